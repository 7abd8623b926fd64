"""The lines that cost most."""
