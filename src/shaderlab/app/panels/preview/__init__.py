"""The live picture and the heat map over it."""
