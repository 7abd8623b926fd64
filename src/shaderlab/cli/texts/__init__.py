"""Answers as the JSON of the contract and as text for a terminal, by subject."""
