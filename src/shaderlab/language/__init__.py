"""What an editor must know of a text: its structure, names, types and built-in functions.

Works on unfinished texts, which no compiler accepts; imports neither Qt nor the compilers.
"""
