"""Footage of the worlds to learn from: attempts of all kinds, seen at telling moments."""
