"""What the program reads, and what it is given."""
