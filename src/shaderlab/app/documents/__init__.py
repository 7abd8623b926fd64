"""Documents: open, save, journal."""
