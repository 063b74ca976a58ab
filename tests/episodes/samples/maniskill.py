"""Paths that the format of ManiSkill trajectories must claim."""

from hdf5_made import write_maniskill


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    return [write_maniskill(root / "set"), root / "set"]
