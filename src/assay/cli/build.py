"""assay build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli._print import AsJson, only_answers, words

__all__ = ["build"]


def build(
    benchmark: Annotated[str, typer.Argument(metavar="BENCHMARK", help="What to build: pulse.")],
    sources: Annotated[
        list[str], typer.Argument(metavar="[LABEL=]PATH...", help="Episodes of any format.")
    ],
    out: Annotated[Path, typer.Option(help="The folder for the benchmark; made if need be.")],
    per_episode: Annotated[
        int, typer.Option(help="At most so many pairs of an episode in each bin and order.")
    ] = 4,
    split: Annotated[
        str | None, typer.Option(help="Only episodes whose seed is in this split, such as fresh.")
    ] = None,
    task: Annotated[str, typer.Option(help="Only these tasks, such as lift-block.")] = "",
    perturbation: Annotated[
        str, typer.Option(help="Only these perturbations, such as none,lighting.")
    ] = "",
    setting: Annotated[
        str | None,
        typer.Option(help="Where episodes of no world were filmed: Real, Sim, UMI, Human."),
    ] = None,
    category: Annotated[
        str | None,
        typer.Option(help="Their kind of robot.", show_default="the name of the source"),
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Take so many episodes of each PATH.")] = None,
    seed: Annotated[int, typer.Option(help="Decides which pairs are taken.")] = 0,
    json: AsJson = False,
) -> None:
    """Build a benchmark for judges from episodes: pairs of moments with a known order.

    Example: assay build pulse runs/lift runs/stack --out pulse
    """
    from rich.console import Console

    from assay.jobs.build import BuildSettings
    from assay.jobs.build import build as run
    from assay.reports.pulse_tables import built_to_terminal

    settings = BuildSettings(
        out=out,
        benchmark=benchmark,
        per_episode=per_episode,
        split=split,
        tasks=words(task),
        perturbations=words(perturbation),
        setting=setting,
        category=category,
        limit=limit,
        seed=seed,
    )
    with only_answers():
        result = run(sources, settings)
    if json:
        sys.stdout.write(result.text)
    else:
        Console().print(built_to_terminal(result.document))
    for line in result.problems():
        typer.echo(line, err=True)
    typer.echo(f"Benchmark: {out}", err=True)
    if not result.ok:
        raise typer.Exit(1)
