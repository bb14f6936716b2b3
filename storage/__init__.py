"""Redis/Valkey: the queue and the records, behind `harness.ports`."""
