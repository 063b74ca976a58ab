"""The command line: one verb per file."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    from assay.cli._app import run

    run()
