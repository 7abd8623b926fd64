"""Samples recorded here, and their export."""
