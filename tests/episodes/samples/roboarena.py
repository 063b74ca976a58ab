"""Paths that the format of RoboArena sessions must claim."""

import numpy as np

from formats_made import Made, write_roboarena


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    joints = np.arange(21.0).reshape(3, 7)
    session = write_roboarena(
        root / "dump/evaluation_sessions/s1", Made.counting(3, joint_position=joints)
    )
    pickled = write_roboarena(root / "pickled", Made.counting(2), pickled=True)
    return [session, root / "dump", root / "dump/evaluation_sessions", pickled]
