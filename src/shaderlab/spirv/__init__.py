"""SPIR-V as data: modules, grammar, control flow, source lines, counting.  No I/O, numpy only."""
