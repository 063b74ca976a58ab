"""Zarr replay buffers: groups of format 2 or 3 in a folder or a zip file."""
