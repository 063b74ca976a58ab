"""Paths that the format of AgiBot World must claim."""

from robot_folders_made import write_agibot


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    return [write_agibot(root / "agibot")]
