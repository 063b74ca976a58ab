"""Paths that the format of vla-eval must claim."""

from formats_made import Made, write_vla_eval


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    file = write_vla_eval(root / "run", [Made.counting(3)])
    return [file, root / "run"]
