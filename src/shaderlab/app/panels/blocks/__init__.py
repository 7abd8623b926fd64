"""Basic blocks by cost."""
