"""Recipes: each makes a shipped model, table or report from data; see CONTRIBUTING.md."""
