"""Curves in, numbers with intervals out: numpy and scipy only."""
