"""Paths that the format of REASSEMBLE recordings must claim."""

from hdf5_made import Made
from robot_folders_made import write_reassemble


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    one = write_reassemble(root / "set/2025-01-09-13-59-54.h5")
    write_reassemble(root / "set/2025-01-10-15-28-50.h5", Made(1))
    return [root / "set", one]
