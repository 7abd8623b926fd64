"""Vertices: bodies, meshes from files, and what a shader is fed from them."""
