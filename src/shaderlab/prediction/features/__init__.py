"""What every model starts from: a traced program as counts of priced work."""
