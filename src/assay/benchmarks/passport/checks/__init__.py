"""The checks of a passport, one file each."""
