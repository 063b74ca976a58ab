"""Paths that the format of ALOHA episodes must claim."""

from hdf5_made import Made, write_aloha


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    for number in (2, 10):
        write_aloha(root / f"transfer/episode_{number}.hdf5", Made(number), jpeg=number == 2)
    return [root / "transfer", root / "transfer/episode_2.hdf5"]
