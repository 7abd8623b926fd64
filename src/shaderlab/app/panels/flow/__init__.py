"""Control-flow graphs with counts."""
