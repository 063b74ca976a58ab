"""Paths that the format of raw DROID episodes must claim."""

from hdf5_made import Made
from robot_folders_made import write_droid


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    day = root / "droid/LAB/success/2023-05-15"
    for number in range(2):
        write_droid(day / f"Mon_May_15_00:51:{number}", Made(number))
    episode = day / "Mon_May_15_00:51:0"
    return [root / "droid", day, episode, episode / "trajectory.h5"]
