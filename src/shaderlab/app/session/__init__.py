"""What the window shows, without the window: jobs, state and signals."""
