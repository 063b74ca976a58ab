"""Paths that the format of Zarr replay buffers must claim."""

from formats_made import Made, write_zarr


def make(root):
    """Write the samples below `root` and return their paths; the first one can be read."""
    episodes = [Made.counting(3), Made.counting(2, first=3)]
    (root / "zipped").mkdir()
    zipped = write_zarr(root / "zipped/demo.zarr.zip", episodes, zipped=True)
    third = write_zarr(root / "third.zarr", episodes, version=3)
    return [write_zarr(root / "demo.zarr", episodes), zipped, third]
