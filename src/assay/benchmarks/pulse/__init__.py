"""Pulse: which of two moments of an episode is further on, and by how much."""
