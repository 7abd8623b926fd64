"""Compiler diagnostics."""
