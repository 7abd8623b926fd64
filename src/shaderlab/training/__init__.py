"""Data sets, recipes and the evaluation of models.  Nothing the application runs imports it."""
