"""From the user's text to a `Program`: dialects, includes, compiler processes, diagnostics."""
