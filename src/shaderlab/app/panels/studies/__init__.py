"""Questions beside "what does it cost": the panel, and its presenter."""
