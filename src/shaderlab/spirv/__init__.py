"""SPIR-V as data: words <-> Module, grammar, control flow, source lines, counting passes.  No I/O, numpy only."""
