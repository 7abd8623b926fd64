"""Samples: what a shader is and does, and how long it took; kept, exchanged and checked."""
