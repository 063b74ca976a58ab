"""assay train."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._print import AsJson, Finished, only_answers, words
from assay.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["train"]


def train(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="What to train: progress or policy.")],
    demos: Annotated[
        list[str], typer.Argument(metavar="DEMOS...", help="Demonstrations to learn from.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder for what is trained; made if need be.")
    ],
    start: Annotated[
        str,
        typer.Option(
            "--from",
            show_default="auto",
            help="progress: where to start: scratch, prm-mini, the folder of a trained judge, or"
            " auto: prm-mini if it has seen such scenes.",
        ),
    ] = "",
    labels: Annotated[
        Path | None, typer.Option(help="csv: episode[,task][,policy][,scene][,success].")
    ] = None,
    task_map: Annotated[
        Path | None, typer.Option(help="progress: csv: from,to; renames tasks or instructions.")
    ] = None,
    inputs: Annotated[
        str,
        typer.Option(
            help="policy: what it looks at: the simulator's state, or pixels.",
            show_default="state",
        ),
    ] = "",
    tried: Annotated[
        str,
        typer.Option(
            "--try", help="policy: seeds on which it tries its task.", show_default="none"
        ),
    ] = "",
    views: Annotated[str, typer.Option(help="Views to learn from.", show_default="all")] = "",
    fps: Annotated[
        float | None, typer.Option(help="progress: frames a second.", show_default="5")
    ] = None,
    validation: Annotated[
        float | None,
        typer.Option(
            help="Share of episodes to hold out; 0 holds none out.",
            show_default="0.2; 0.1 for a policy",
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="The most steps.", show_default="as many as help")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(help="progress: the most time.", show_default="no limit")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Take so many episodes of each PATH.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    seed: Annotated[int, typer.Option(help="Decides who is held out, and the training.")] = 0,
    json: AsJson = False,
) -> None:
    """Train a judge of progress, or a policy, on your own demonstrations; the folder is the result.

    Example: assay train progress demos -o my-judge
    """
    shared = {
        "out": out,
        "labels": labels,
        "views": words(views),
        "steps": steps,
        "limit": limit,
        "jobs": jobs,
        "seed": seed,
        **({} if validation is None else {"validation": validation}),
    }
    judge_only = {"--from": start, "--task-map": task_map, "--fps": fps, "--minutes": minutes}
    policy_only = {"--inputs": inputs, "--try": tried}
    if what == "policy":
        _refuse(what, judge_only)
        _train_policy(demos, {**shared, "inputs": inputs or "state", "tried": tried}, json)
    elif what == "progress":
        _refuse(what, policy_only)
        own = {"start": start or "auto", "task_map": task_map, "minutes": minutes}
        _train_progress(demos, {**shared, **own, **({} if fps is None else {"fps": fps})}, json)
    else:
        raise UnknownNameError("thing to train", what, ["progress", "policy"])


def _refuse(what: str, others: Mapping[str, object]) -> None:
    """Refuse options that are not for what is trained."""
    for option, value in others.items():
        if value not in (None, ""):
            raise UsageError(f"{option} is no option of `assay train {what}`.")


def _train_progress(demos: list[str], settings: dict[str, Any], as_json: bool) -> None:
    from assay.jobs.train import TrainSettings
    from assay.jobs.train import train as run
    from assay.reports.training import to_terminal

    with only_answers():  # whatever torch prints
        result = run(demos, TrainSettings(**settings))
    _finish(result, to_terminal, "Judge: {0} (use it with --judge {0})", as_json)


def _train_policy(demos: list[str], settings: dict[str, Any], as_json: bool) -> None:
    from assay.jobs.train_policy import PolicyTrainSettings
    from assay.jobs.train_policy import train_policy as run
    from assay.reports.policy_training import to_terminal

    with only_answers():  # whatever torch prints
        result = run(demos, PolicyTrainSettings(**settings))
    _finish(result, to_terminal, "Policy: {0} (use it with --policy {0})", as_json)


def _finish(
    result: Finished, table: Callable[[Mapping[str, Any]], Table], line: str, as_json: bool
) -> None:
    """Print the table, say where the result is, and exit 1 if some episode could not be used."""
    if as_json:
        sys.stdout.write(result.text)
    else:
        from rich.console import Console

        Console().print(table(result.document))
    for problem in result.problems():
        typer.echo(problem, err=True)
    typer.echo(line.format(result.out), err=True)
    typer.echo(f"Report: {result.out}/index.html", err=True)
    if not result.ok:
        raise typer.Exit(1)
