"""Model bundles on disk, read as untrusted input."""
