"""The captured frame: its draws, passes and times."""
