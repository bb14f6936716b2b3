"""The Slack surface and the process."""
