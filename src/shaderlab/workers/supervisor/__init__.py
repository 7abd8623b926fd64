"""A parent that starts, watches, limits and replaces child processes."""
