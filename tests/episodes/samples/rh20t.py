"""Paths that the format of RH20T scenes must claim."""

from hdf5_made import Made
from robot_folders_made import SCENE, write_rh20t


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    scene = write_rh20t(root / "RH20T_cfg1")
    write_rh20t(root / "RH20T_cfg1", SCENE.replace("0016", "0017"), Made(1), rating=1)
    return [root / "RH20T_cfg1", root, scene]
