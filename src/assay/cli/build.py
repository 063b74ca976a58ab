"""assay build."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._print import AsJson, Finished, only_answers, words
from assay.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["build"]


def build(
    benchmark: Annotated[
        str, typer.Argument(metavar="BENCHMARK", help="What to build: pulse, glitches.")
    ],
    out: Annotated[Path, typer.Option(help="The folder for the benchmark; made if need be.")],
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[[LABEL=]PATH...]", help="pulse: episodes of any format."),
    ] = None,
    per_episode: Annotated[
        int | None,
        typer.Option(
            help="pulse: at most so many pairs of an episode in each bin and order.",
            show_default="4",
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(help="pulse: only episodes whose seed is in this split, such as fresh."),
    ] = None,
    task: Annotated[str, typer.Option(help="pulse: only these tasks, such as lift-block.")] = "",
    perturbation: Annotated[
        str, typer.Option(help="pulse: only these perturbations, such as none,lighting.")
    ] = "",
    setting: Annotated[
        str | None,
        typer.Option(help="pulse: where episodes of no world were filmed: Real, Sim, UMI, Human."),
    ] = None,
    category: Annotated[
        str | None,
        typer.Option(help="pulse: their kind of robot.", show_default="the name of the source"),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="pulse: take so many episodes of each PATH.")
    ] = None,
    clips: Annotated[
        int | None, typer.Option(help="glitches: how many clips.", show_default="382")
    ] = None,
    recorded: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="[LABEL=]PATH",
            help="glitches: spoil recorded episodes, and film no world.",
        ),
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="glitches: the side of a picture.", show_default="224")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="glitches: workers.", show_default="one a core")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides what is taken or made.")] = 0,
    json: AsJson = False,
) -> None:
    """Build a benchmark for judges: pairs of moments in order, or clips with known glitches.

    Example: assay build pulse runs/lift runs/stack --out pulse

    Example: assay build glitches --clips 382 --out glitches
    """
    pulse = {
        "PATH": sources,
        "per_episode": per_episode,
        "split": split,
        "task": task,
        "perturbation": perturbation,
        "setting": setting,
        "category": category,
        "limit": limit,
    }
    glitches = {"clips": clips, "from": recorded, "size": size, "jobs": jobs}
    if benchmark == "pulse":
        _refuse_others("pulse", glitches, "glitches")
        _pulse(sources or [], out, seed, pulse, json=json)
    elif benchmark == "glitches":
        _refuse_others("glitches", pulse, "pulse")
        _glitches(out, seed, glitches, json=json)
    else:
        raise UnknownNameError("benchmark", benchmark, ("glitches", "pulse"))


def _refuse_others(benchmark: str, options: Mapping[str, Any], whose: str) -> None:
    """Raise when an option was given that belongs to the other benchmark."""
    for name, value in options.items():
        if value not in (None, "", []):
            said = "PATH" if name == "PATH" else f"--{name.replace('_', '-')}"
            hint = " (recorded episodes are named by --from)" if name == "PATH" else ""
            raise UsageError(
                f"`assay build {benchmark}` takes no {said}{hint}; it belongs to {whose}."
            )


def _pulse(
    sources: Sequence[str], out: Path, seed: int, given: Mapping[str, Any], *, json: bool
) -> None:
    """Build pairs of moments from episodes."""
    from assay.jobs.build import BuildSettings
    from assay.jobs.build import build as run
    from assay.reports.pulse_tables import built_to_terminal

    if not sources:
        raise UsageError("`assay build pulse` needs PATH: the episodes to build from.")
    counts = {} if given["per_episode"] is None else {"per_episode": given["per_episode"]}
    settings = BuildSettings(
        out=out,
        split=given["split"],
        tasks=words(given["task"]),
        perturbations=words(given["perturbation"]),
        setting=given["setting"],
        category=given["category"],
        limit=given["limit"],
        seed=seed,
        **counts,
    )
    with only_answers():
        result = run(sources, settings)
    _finish(result, out, built_to_terminal(result.document), json=json)


def _glitches(out: Path, seed: int, given: Mapping[str, Any], *, json: bool) -> None:
    """Build clips with known glitches."""
    from assay.jobs.build_glitches import BuildGlitchesSettings, build_glitches
    from assay.reports.glitch_built import built_to_terminal

    chosen = {name: given[name] for name in ("clips", "size") if given[name] is not None}
    settings = BuildGlitchesSettings(
        out=out, recorded=tuple(given["from"] or ()), seed=seed, jobs=given["jobs"], **chosen
    )
    with only_answers():
        result = build_glitches(settings)
    _finish(result, out, built_to_terminal(result.document), json=json)


def _finish(result: Finished, out: Path, table: RenderableType, *, json: bool) -> None:
    """Print what was built and where it is."""
    from rich.console import Console

    if json:
        sys.stdout.write(result.text)
    else:
        Console().print(table)
    for line in result.problems():
        typer.echo(line, err=True)
    typer.echo(f"Benchmark: {out}", err=True)
    if not result.ok:
        raise typer.Exit(1)
