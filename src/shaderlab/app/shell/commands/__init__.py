"""The window's commands: what there is (`table`), and what each does, by subject."""
