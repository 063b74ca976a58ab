"""Zarr replay buffers: groups of format 2 in a folder or a zip file."""
