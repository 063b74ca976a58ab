"""Paths that the format of LeRobot datasets must claim."""

from lerobot_sets import write_v21, write_v30


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    bare = root / "bare/meta"
    bare.mkdir(parents=True)
    (bare / "info.json").write_text("{}")
    return [write_v30(root / "set"), write_v21(root / "old"), root / "bare"]
