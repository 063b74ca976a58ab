"""Recorded data in and out: one file per format, and frames from video."""
