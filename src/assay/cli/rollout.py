"""assay rollout."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._print import AsJson, only_answers, options_of, print_attempts, words
from assay.cli._rollout_gym import notes, refuse_own, roll_out
from assay.errors import UsageError
from assay.worlds.gym.making import PREFIX

if TYPE_CHECKING:
    from assay.jobs.rollout import RolloutResult
    from assay.worlds.policies.base import Policy

__all__ = ["rollout"]


def rollout(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK",
            help="A name of `assay list tasks`, or gym:ENV_ID or gym:module:factory for a "
            "Gymnasium environment.",
        ),
    ],
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
            metavar="[LABEL=]NAME[@URL]",
            help="Who tries: a name of `assay list policies`, on a server with its URL, a folder"
            " of `assay train policy`, or module:Class; for gym: random, module:Class or"
            " module:function.",
            show_default="expert; random for gym",
        ),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="An option of the policies, as [POLICY.]field=value; for gym: field=value of the "
            "environment, such as success=KEY, env.KEY=value for what it is made with.",
        ),
    ] = None,
    seeds: Annotated[str, typer.Option(help="Scenes: 0:50, 3 or 0:10,20:25.")] = "0:50",
    perturb: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=LEVEL]", help="Change every scene; see `assay list perturbations`."
        ),
    ] = None,
    views: Annotated[
        str | None,
        typer.Option(
            help="What is filmed, or none.",
            show_default="front,side,overhead,wrist; all there are for gym",
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(help="Width and height of the pictures [pixels].", show_default="256"),
    ] = None,
    quality: Annotated[
        str | None,
        typer.Option(help="How pictures are drawn: fast, good, fine.", show_default="good"),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(
            help="Samples and frames a second; divides 20, or the steps a second of gym.",
            show_default="10; every step for gym",
        ),
    ] = None,
    act_timeout: Annotated[
        float, typer.Option(help="The most that a policy may take for one answer [s].")
    ] = 30.0,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    json: AsJson = False,
) -> None:
    """Let policies try a task in a simulated world; keep every attempt as a LeRobot dataset.

    Example: assay rollout lift-block --policy expert --policy dropper --seeds 0:50 --out runs/lift
    A server: assay rollout lift-block --policy pi0=websocket@ws://localhost:8000 --out runs/pi0

    Or: assay rollout gym:FrozenLake-v1 --set "success=reward>=1" --views none --out runs/lake
    """
    seen = None if views is None else () if views.strip() == "none" else words(views)
    shared: dict[str, Any] = {"out": out, "seeds": seeds, "act_timeout": act_timeout, "jobs": jobs}
    with only_answers():  # whatever a policy prints
        if task.startswith(PREFIX):
            refuse_own(
                {"--robot": robot, "--perturb": perturb, "--size": size, "--quality": quality}
            )
            named = _named(policy or ["random"])
            told = options_of(options or [])
            result = roll_out(task, named, told, views=seen, fps=fps, **shared)
        else:
            own = _given(robot=robot, views=seen, size=size, quality=quality, fps=_whole(fps))
            policies = _policies(policy or ["expert"], options_of(options or []))
            result = _roll_out(task, policies, perturb or (), {**own, **shared})
    if json:
        sys.stdout.write(result.text)
    else:
        print_attempts(result.document)
    for line in (*notes(result.document), *result.problems()):
        typer.echo(line, err=True)
    if result.document["dataset"]["episodes"]:
        typer.echo(f"Dataset: {out}", err=True)
    else:
        typer.echo("No attempt was carried to its end: there is no dataset.", err=True)
    if not result.ok:
        raise typer.Exit(1)


def _roll_out(
    task: str, policies: Mapping[str, Policy], perturb: Iterable[str], settings: Mapping[str, Any]
) -> RolloutResult:
    """Roll policies out in the tabletop world."""
    from assay.jobs.rollout import RolloutSettings, make_perturbation
    from assay.jobs.rollout import rollout as run

    changes = tuple(make_perturbation(text) for text in perturb)
    return run(RolloutSettings(task=task, policies=policies, perturbations=changes, **settings))


def _given(**options: Any) -> dict[str, Any]:  # noqa: ANN401 - options of any kind
    """Return the options that were given: the settings know the others' defaults."""
    return {name: value for name, value in options.items() if value is not None}


def _whole(fps: float | None) -> int | None:
    """Return the rate as a whole number, which it is in the tabletop world."""
    if fps is not None and not fps.is_integer():
        raise UsageError(f"--fps must be a whole number that divides 20, not {fps:g}.")
    return None if fps is None else int(fps)


def _named(asked: Iterable[str]) -> dict[str, str]:
    """Return the names of policies by label."""
    named: dict[str, str] = {}
    for text in asked:
        label, name = _labelled(text)
        if not label.isprintable() or not label.strip():
            raise UsageError(f"--policy takes NAME or LABEL=NAME, not {text!r}.")
        if label in named:
            raise UsageError(f"The policy {label!r} was asked for twice: give each a LABEL=.")
        named[label] = name
    return named


def _policies(asked: Iterable[str], options: Mapping[str, str]) -> dict[str, Policy]:
    """Return the policies by label, each with the options that are meant for it."""
    from assay.worlds.policies._making import make_policy

    named = _named(asked)
    own: dict[str, dict[str, str]] = {label: {} for label in named}
    for field, value in options.items():
        label, dot, rest = field.rpartition(".")
        if dot and label not in own:
            raise UsageError(f"--set {field}: no policy {label!r} was asked for.")
        for chosen in [own[label]] if dot else own.values():
            chosen[rest] = value
    return {label: make_policy(name, own[label], outside=True) for label, name in named.items()}


def _labelled(text: str) -> tuple[str, str]:
    """Return the label and the name; without a label the name is it, but for folder and address."""
    from assay.worlds.policies._cloned.card import is_cloned

    label, equals, name = text.partition("=")
    if is_cloned(Path(text)):
        return Path(text).absolute().name, text
    if equals and "@" not in label:
        return label, name
    return text.partition("@")[0], text
