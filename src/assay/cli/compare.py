"""assay compare."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from assay.cli._print import AsJson, Form, finish, only_answers
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.jobs.watch import WatchSettings

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
    real: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[LABEL=]RUN",
            help="A finished audit of real episodes: the others are then simulation; may be given"
            " several times.",
            show_default="none",
        ),
    ] = None,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Follow audits or rollouts that still grow, until there is a verdict."
        ),
    ] = False,
    every: Annotated[
        float | None,
        typer.Option(help="With --watch: seconds between two looks.", show_default="10"),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="With --watch: look once and end.")] = False,
    margin: Annotated[
        float | None,
        typer.Option(
            help="With --watch: the smallest difference that matters, in points.",
            show_default="every one does",
        ),
    ] = None,
    bets: Annotated[
        str,
        typer.Option(
            help="With --watch: bet on the mean and on who is ahead scene by scene (both), or on"
            " the mean alone (mean)."
        ),
    ] = "both",
    seed: Annotated[int, typer.Option(help="Decides resampling and permutations.")] = 0,
    form: Annotated[
        Form, typer.Option("--format", help="How the table is printed.")
    ] = Form.terminal,
    json: AsJson = False,
) -> None:
    """Compare policies of finished audits, their judges with people, or simulation with reality.

    Example: assay compare pi0=run-1 act=run-2 --metric mp --metric success_end --out compared

    Example: assay compare images=run-images both=run-both --human scores.csv --out compared

    Example: assay compare simulated --real lab --metric mp --out compared

    Example: assay compare --watch pi0=run-1 act=run-2 --metric mp --margin 5 --out watched
    """
    shown = Form.json if json else form
    if watch:
        if human or real or scale is not None or (pair, score) != ("auto", "last30"):
            raise UsageError(
                "--watch goes with --metric, --level, --across-judges, --every, --once, --margin,"
                " --bets and --seed, and with nothing else."
            )
        from assay.jobs.watch import WatchSettings

        how = WatchSettings(
            out=out,
            metrics=tuple(metric or ()),
            every=10.0 if every is None else every,
            once=once,
            margin=margin,
            bets=cast("Any", bets),  # checked by the settings, which name the nearest
            level=level,
            across_judges=across_judges,
            seed=seed,
        )
        _follow(runs, how, shown)
        return
    if once or every is not None or margin is not None or bets != "both":
        raise UsageError("--every, --once, --margin and --bets go with --watch.")
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
        real=tuple(real or ()),
    )
    with only_answers():
        result = run(runs, settings)
    finish(result, shown, "assay.reports.compare_tables")


def _follow(runs: list[str], settings: WatchSettings, form: Form) -> None:
    """Follow growing runs; a line for each change, on stderr where stdout is read by a program."""
    from assay.jobs.watch import watch as run

    apart = form is not Form.terminal
    finish(
        run(runs, settings, lambda line: typer.echo(line, err=apart)),
        form,
        "assay.reports.watch_tables",
    )
