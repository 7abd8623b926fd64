"""The text editor, its margins and marks."""
