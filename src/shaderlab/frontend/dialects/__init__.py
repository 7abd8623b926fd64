"""What differs from dialect to dialect of shader text: one module for each family.

A family (`family.py`) recognises its texts, says what a compiler is given for them, and what they
say about the values of their inputs.  `registry.py` lists them in the order they are asked.
"""
