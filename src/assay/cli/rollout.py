"""assay rollout."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._print import AsJson, only_answers, options_of, print_attempts, words
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.worlds.policies.base import Policy

__all__ = ["rollout"]


def rollout(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A name of `assay list tasks`.")],
    out: Annotated[Path, typer.Option(help="The folder for the dataset; made if need be.")],
    robot: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="With what: a name of `assay list robots`, or an MJCF or URDF file.",
            show_default="panda, or bimanual where the task takes two arms",
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[LABEL=]NAME",
            help="Who tries: a name of `assay list policies`, or module:Class.",
            show_default="expert",
        ),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the policies, as [POLICY.]field=value."),
    ] = None,
    seeds: Annotated[str, typer.Option(help="Scenes: 0:50, 3 or 0:10,20:25.")] = "0:50",
    perturb: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=LEVEL]", help="Change every scene; see `assay list perturbations`."
        ),
    ] = None,
    views: Annotated[
        str, typer.Option(help="What is filmed, or none.")
    ] = "front,side,overhead,wrist",
    size: Annotated[int, typer.Option(help="Width and height of the pictures [pixels].")] = 256,
    quality: Annotated[
        str, typer.Option(help="How pictures are drawn: fast, good, fine.")
    ] = "good",
    fps: Annotated[int, typer.Option(help="Samples and frames a second; divides 20.")] = 10,
    act_timeout: Annotated[
        float, typer.Option(help="The most that a policy may take for one answer [s].")
    ] = 30.0,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    json: AsJson = False,
) -> None:
    """Let policies try a task in a simulated world; keep every attempt as a LeRobot dataset.

    Example: assay rollout lift-block --policy expert --policy dropper --seeds 0:50 --out runs/lift
    """
    from assay.jobs.rollout import RolloutSettings, make_perturbation
    from assay.jobs.rollout import rollout as run

    with only_answers():  # whatever a policy prints
        settings = RolloutSettings(
            out=out,
            task=task,
            robot=robot,
            policies=_policies(policy or ["expert"], options_of(options or [])),
            seeds=seeds,
            perturbations=tuple(make_perturbation(text) for text in perturb or ()),
            views=() if views.strip() == "none" else words(views),
            size=size,
            quality=quality,
            fps=fps,
            act_timeout=act_timeout,
            jobs=jobs,
        )
        result = run(settings)
    if json:
        sys.stdout.write(result.text)
    else:
        print_attempts(result.document)
    for line in result.problems():
        typer.echo(line, err=True)
    if result.document["dataset"]["episodes"]:
        typer.echo(f"Dataset: {out}", err=True)
    else:
        typer.echo("No attempt was carried to its end: there is no dataset.", err=True)
    if not result.ok:
        raise typer.Exit(1)


def _policies(asked: Iterable[str], options: Mapping[str, str]) -> dict[str, Policy]:
    """Return the policies by label, each with the options that are meant for it."""
    from assay.worlds.policies._making import make_policy

    named: dict[str, str] = {}
    for text in asked:
        label, equals, name = text.partition("=")
        if not label.isprintable() or not label.strip():
            raise UsageError(f"--policy takes NAME or LABEL=NAME, not {text!r}.")
        if label in named:
            raise UsageError(f"The policy {label!r} was asked for twice: give each a LABEL=.")
        named[label] = name if equals else label
    own: dict[str, dict[str, str]] = {label: {} for label in named}
    for field, value in options.items():
        label, dot, rest = field.rpartition(".")
        if dot and label not in own:
            raise UsageError(f"--set {field}: no policy {label!r} was asked for.")
        for chosen in [own[label]] if dot else own.values():
            chosen[rest] = value
    return {label: make_policy(name, own[label], outside=True) for label, name in named.items()}
