"""Counts meet the machine code of compilers that print no flow graph of their own."""
