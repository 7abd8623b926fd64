"""Judging models by committed samples.  What makes the models is in `models/` of the repository."""
