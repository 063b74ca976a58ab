"""Recorded curves: from the cells of a file to one curve per episode."""
