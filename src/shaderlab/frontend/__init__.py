"""From the user's text to a `Program`: dialects, includes, the compiler's processes, diagnostics."""
