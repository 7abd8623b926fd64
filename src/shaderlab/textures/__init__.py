"""Texels: generated patterns and image files, as arrays ready to upload."""
