"""assay convert."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli._print import AsJson, options_of, print_json
from assay.cli._reading import TrustPickles
from assay.errors import UnknownNameError, UsageError

__all__ = ["convert"]


def convert(
    sources: Annotated[list[str], typer.Argument(metavar="[LABEL=]PATH...", help="What to read.")],
    to: Annotated[
        str,
        typer.Option(help="A name of `assay list writers`, or lerobot-progress for an audit."),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write to; made if need be.")],
    options: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the writer, as field=value.")
    ] = None,
    events: Annotated[
        Path | None,
        typer.Option(help="Reports of glitches (jsonl), to be written as labels of their clips."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="Take so many episodes of each PATH.", show_default="all")
    ] = None,
    trust_pickles: TrustPickles = False,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    json: AsJson = False,
) -> None:
    """Convert episodes from any format that is read into one that others open.

    With --to lerobot-progress PATH is the run directory of an audit, whose curves are written as a
    progress file for its LeRobot dataset.

    With --events the glitches of a report become labels: `dense_subtask_*` in a LeRobot dataset.

    Example: assay convert bridge/1.0.0 --to lerobot --out bridge-lerobot
    """
    from assay.jobs._convert_progress import PROGRESS
    from assay.jobs.convert import ConvertSettings
    from assay.jobs.convert import convert as run

    if to == PROGRESS:
        if events is not None:
            raise UsageError("--events is for datasets; a progress file has no place for labels.")
        _progress(sources, out, options_of(options or []), json)
        return
    settings = ConvertSettings(
        out=out,
        to=to,
        options=options_of(options or []),
        events=events,
        limit=limit,
        trust_pickles=trust_pickles,
        jobs=jobs,
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


def _progress(sources: list[str], out: Path, options: dict[str, str], json: bool) -> None:
    """Write the curves of an audit as a progress file."""
    from assay.jobs._convert_progress import write_progress

    dataset = options.pop("dataset", None)
    if options:
        raise UnknownNameError("option of lerobot-progress", next(iter(options)), ["dataset"])
    if len(sources) != 1:
        raise UsageError(f"lerobot-progress is written from one audit, not {len(sources)}.")
    made = write_progress(Path(sources[0]), out, None if dataset is None else Path(dataset))
    if json:
        counts = {"rows": made.rows, "episodes": made.episodes, "scored": made.scored}
        print_json({"schema": "assay.convert/1", "file": str(made.file), **counts})
    else:
        counted = f"{made.scored} of {made.rows} moments of {made.episodes} episodes have a score"
        typer.echo(f"{made.file}: {counted}.")
