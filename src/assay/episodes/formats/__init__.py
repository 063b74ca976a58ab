"""Formats of recorded episodes, one file each."""
