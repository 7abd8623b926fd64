"""What is drawn: draws and frames as plain data, before any device is chosen."""
