"""assay compare."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from assay.cli._print import AsJson, Form, finish, only_answers

__all__ = ["compare"]


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="[LABEL=]RUN...",
            help="Finished audits to compare; a label is POLICY or POLICY/CHECKPOINT.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder for the report; made if need be.")],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="What policies are compared by: a column such as mp or success_end, or a share"
            " such as mc@75; may be given several times.",
            show_default="mp, and success_end where there are labels",
        ),
    ] = None,
    pair: Annotated[
        str, typer.Option(help="Compare scene by scene: auto (when most match), scene or none.")
    ] = "auto",
    level: Annotated[float, typer.Option(help="What intervals of differences should hold.")] = 0.95,
    across_judges: Annotated[
        bool, typer.Option("--across-judges", help="Compare runs of different judges all the same.")
    ] = False,
    human: Annotated[
        Path | None,
        typer.Option(help="People's scores (csv, jsonl, parquet): episode,score[,rater][,time]."),
    ] = None,
    scale: Annotated[
        int | None,
        typer.Option(help="What people call a finished task: 100 or 1.", show_default="as scored"),
    ] = None,
    score: Annotated[
        str, typer.Option(help="The judge's score of an episode: last30, end or max.")
    ] = "last30",
    seed: Annotated[int, typer.Option(help="Decides resampling and permutations.")] = 0,
    form: Annotated[
        Form, typer.Option("--format", help="How the table is printed.")
    ] = Form.terminal,
    json: AsJson = False,
) -> None:
    """Compare the policies of finished audits, or their judges with people's scores.

    Example: assay compare pi0=run-1 act=run-2 --metric mp --metric success_end --out compared

    Example: assay compare images=run-images both=run-both --human scores.csv --out compared
    """
    from assay.jobs.compare import CompareSettings
    from assay.jobs.compare import compare as run

    settings = CompareSettings(
        out=out,
        human=human,
        scale=scale,
        score=score,
        seed=seed,
        metrics=tuple(metric or ()),
        across_judges=across_judges,
        pair=cast("Any", pair),  # checked by the settings, which name the nearest
        level=level,
    )
    with only_answers():
        result = run(runs, settings)
    finish(result, Form.json if json else form, "assay.reports.compare_tables")
