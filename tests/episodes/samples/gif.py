"""Paths that the format of GIFs must claim."""

from formats_made import Made, write_gif


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    file = write_gif(root / "gifs/a.gif", Made.counting(3))
    return [root / "gifs", file]
