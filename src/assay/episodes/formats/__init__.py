"""Formats of recorded episodes: one file each, and nothing else."""
