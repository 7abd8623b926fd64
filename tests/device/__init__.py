"""What is checked wherever a real GPU is at hand."""
