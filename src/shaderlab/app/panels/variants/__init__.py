"""Variants of the document and its history: listed, compared, brought back."""
