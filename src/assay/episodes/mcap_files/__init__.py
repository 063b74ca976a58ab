"""MCAP recordings: read and written without the mcap package."""
