"""All benches, each in a process of its own: `make bench`."""

import subprocess
import sys

BENCHES = ("harness", "queue", "turn")


def main() -> int:
    failed = 0
    for name in BENCHES:
        sys.stdout.write(f"\n== tests.bench.{name}\n")
        sys.stdout.flush()
        failed += (
            subprocess.run([sys.executable, "-m", f"tests.bench.{name}"], check=False).returncode
            != 0
        )
    return failed


if __name__ == "__main__":
    sys.exit(main())
