"""Values of one pixel of the preview."""
