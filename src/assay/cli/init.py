"""assay init."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from assay.cli._print import AsJson, print_json
from assay.cli._reading import TrustPickles

__all__ = ["init"]


def init(
    path: Annotated[Path, typer.Argument(help="A folder or file with episodes.")],
    trust_pickles: TrustPickles = False,
    json: AsJson = False,
) -> None:
    """Look at a folder, say what was found, and write the command that audits it.

    Example: assay init runs/a
    """
    from assay.jobs.init import look

    found = look(path, trust_pickles=trust_pickles)
    if json:
        print_json({"schema": "assay.init/1", **asdict(found)})
        return
    for line in found.lines:
        typer.echo(line)
    typer.echo(f"\n{found.command}")
