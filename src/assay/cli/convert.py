"""assay convert."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli._print import AsJson, options_of

__all__ = ["convert"]


def convert(
    sources: Annotated[list[str], typer.Argument(metavar="[LABEL=]PATH...", help="What to read.")],
    to: Annotated[str, typer.Option(help="What to write: a name of `assay list writers`.")],
    out: Annotated[Path, typer.Option(help="The folder to write to; made if need be.")],
    options: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the writer, as field=value.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Take so many episodes of each PATH.", show_default="all")
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    json: AsJson = False,
) -> None:
    """Convert episodes from any format that is read into one that others open.

    Example: assay convert bridge/1.0.0 --to lerobot --out bridge-lerobot
    """
    from assay.jobs.convert import ConvertSettings
    from assay.jobs.convert import convert as run

    settings = ConvertSettings(
        out=out, to=to, options=options_of(options or []), limit=limit, jobs=jobs
    )
    result = run(sources, settings)
    if json:
        sys.stdout.write(result.text)
    else:
        document = result.document
        typer.echo(
            f"{document['episodes']} episodes with {document['frames']} frames are in {out}."
        )
    for line in result.problems():
        typer.echo(line, err=True)
    if not result.ok:
        raise typer.Exit(1)
