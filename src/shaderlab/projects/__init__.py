"""Project files: what a shader is drawn with, kept beside it as TOML."""
