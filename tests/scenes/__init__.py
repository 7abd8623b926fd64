"""Small scenes that use what games and engines use, drawn without a window and captured."""
