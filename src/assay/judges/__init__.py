"""Judges, one file each."""
