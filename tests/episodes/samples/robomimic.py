"""Paths that the format of robomimic and LIBERO files must claim."""

from hdf5_made import write_robomimic


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    libero = write_robomimic(root / "libero/drawer_demo.hdf5", libero=True)
    plain = write_robomimic(root / "lift.h5")
    return [plain, libero, root / "libero"]
