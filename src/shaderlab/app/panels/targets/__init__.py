"""Predicted times by target."""
