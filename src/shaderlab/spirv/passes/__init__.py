"""Rewriting modules: counting, counter placement, packing, zeroing, exactness."""
