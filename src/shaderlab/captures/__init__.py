"""Frames of other programs, as RenderDoc captured them."""
