"""The main window: its parts, commands and start."""
