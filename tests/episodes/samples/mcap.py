"""Paths that the format of MCAP files must claim."""

from formats_made import Made, write_foxglove


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    (root / "runs").mkdir()
    file = write_foxglove(root / "runs/a.mcap", Made.counting(3))
    return [root / "runs", file]
