"""Rejected alternatives to the headline metrics, one file each, shown only by name."""
