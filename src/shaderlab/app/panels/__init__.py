"""One package per panel: its widgets and its presenter."""
