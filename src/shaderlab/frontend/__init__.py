"""From the user's text to a `Program`: dialects, includes, glslang and SPIRV-Tools as processes, diagnostics."""
