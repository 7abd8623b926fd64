"""The language server: what the window shows of a shader, in other editors.

`analyst` compiles, counts and predicts texts with the same workers as the window, `documents` keeps
what is known of those that are open, `server` speaks the protocol through pygls, and the other
modules turn one into the other.
"""
