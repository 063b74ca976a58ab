"""The command line: one verb per file."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; Ctrl-C is answered from the first import on."""
    try:
        from assay.cli._app import run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("assay: stopped. Run the same command again to go on.\n")
        raise SystemExit(130) from None
