"""assay init."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["init"]


def init(
    path: Annotated[Path, typer.Argument(help="A folder or file with episodes.")],
) -> None:
    """Look at a folder, say what was found, and write the command that audits it.

    Example: assay init runs/a
    """
    from assay.jobs.init import look

    found = look(path)
    for line in found.lines:
        typer.echo(line)
    typer.echo(f"\n{found.command}")
