"""The window's commands: the list (`table`), and what each does, by subject."""
