"""assay train."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli._print import AsJson, only_answers, words
from assay.errors import UnknownNameError

__all__ = ["train"]


def train(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="What to train: progress.")],
    demos: Annotated[
        list[str], typer.Argument(metavar="DEMOS...", help="Demonstrations to learn from.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder for the judge; made if need be.")
    ],
    start: Annotated[
        str,
        typer.Option(
            "--from",
            help="Where to start: scratch, prm-mini, the folder of a trained judge, or auto:"
            " prm-mini if it has seen such scenes.",
        ),
    ] = "auto",
    labels: Annotated[
        Path | None, typer.Option(help="csv: episode[,task][,policy][,scene][,success].")
    ] = None,
    task_map: Annotated[
        Path | None, typer.Option(help="csv: from,to; renames tasks or instructions.")
    ] = None,
    views: Annotated[str, typer.Option(help="Views to learn from.", show_default="all")] = "",
    fps: Annotated[float, typer.Option(help="Frames a second.")] = 5.0,
    validation: Annotated[
        float, typer.Option(help="Share of episodes to hold out; 0 holds none out.")
    ] = 0.2,
    steps: Annotated[
        int | None, typer.Option(help="The most steps.", show_default="as many as help")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="The most time for the steps.", show_default="no limit")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Take so many episodes of each PATH.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    seed: Annotated[int, typer.Option(help="Decides who is held out, and the training.")] = 0,
    json: AsJson = False,
) -> None:
    """Train a judge of progress on your own demonstrations; the folder is the judge.

    Example: assay train progress demos -o my-judge
    """
    from assay.jobs.train import TrainSettings
    from assay.jobs.train import train as run

    if what != "progress":
        raise UnknownNameError("thing to train", what, ["progress"])
    settings = TrainSettings(
        out=out,
        start=start,
        labels=labels,
        task_map=task_map,
        views=words(views),
        fps=fps,
        validation=validation,
        steps=steps,
        minutes=minutes,
        limit=limit,
        jobs=jobs,
        seed=seed,
    )
    with only_answers():  # whatever torch prints
        result = run(demos, settings)
    if json:
        sys.stdout.write(result.text)
    else:
        from rich.console import Console

        from assay.reports.training import to_terminal

        Console().print(to_terminal(result.document))
    for line in result.problems():
        typer.echo(line, err=True)
    typer.echo(f"Judge: {out} (use it with --judge {out})", err=True)
    typer.echo(f"Report: {out / 'index.html'}", err=True)
    if not result.ok:
        raise typer.Exit(1)
