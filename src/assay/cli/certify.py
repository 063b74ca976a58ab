"""assay certify."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from assay.cli._models import (
    InFlight,
    LedgerPlace,
    MaxCost,
    Model,
    PerMinute,
    Plan,
    Prices,
    Timeout,
    model_settings,
    print_plan,
    print_usage,
)
from assay.cli._print import AsJson, only_answers, options_of, words

if TYPE_CHECKING:
    from assay.jobs.certify import CertifyResult

__all__ = ["certify"]


def certify(
    judge: Annotated[
        str,
        typer.Argument(
            metavar="JUDGE",
            help="A name of `assay list judges`, module:function, or the folder of a trained one.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder for the passport; made if need be.")],
    on: Annotated[
        list[str] | None,
        typer.Option(metavar="[LABEL=]PATH", help="Episodes of your own; may be given again."),
    ] = None,
    options: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the judge, as field=value.")
    ] = None,
    model: Model = "",
    goal: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|worlds",
            help="Goal image or demonstrations; `worlds` films how experts end there.",
        ),
    ] = None,
    worlds: Annotated[
        bool | None,
        typer.Option(
            "--worlds/--no-worlds",
            help="Whether to use simulated worlds, where the truth is known.",
            show_default="yes, unless the judge was trained on other scenes alone",
        ),
    ] = None,
    tasks: Annotated[
        str,
        typer.Option(
            help="Tasks of the worlds, such as lift-block.",
            show_default="those that the judge has learned, else the six simplest",
        ),
    ] = "",
    seeds: Annotated[int, typer.Option(help="Scenes of each kind and task.")] = 2,
    views: Annotated[str, typer.Option(help="Views of your episodes, such as front,wrist.")] = "",
    limit: Annotated[int, typer.Option(help="Take so many episodes of each PATH.")] = 20,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep/--no-keep", help="Put the passport into the folder of a trained judge."
        ),
    ] = True,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Examine again what has no answer in a finished run.")
    ] = False,
    plan: Plan = False,
    max_cost: MaxCost = None,
    prices: Prices = None,
    ledger: LedgerPlace = None,
    in_flight: InFlight = 16,
    per_minute: PerMinute = None,
    timeout: Timeout = 120.0,
    form: Annotated[
        Literal["terminal", "md"], typer.Option("--format", help="How the table is printed.")
    ] = "terminal",
    json: AsJson = False,
) -> None:
    """Check whether a judge may be believed, and write its passport.

    Example: assay certify my_judges:score --on runs/lift --out passport
    """
    from assay.jobs._models import with_model
    from assay.jobs.certify import CertifySettings
    from assay.jobs.certify import certify as run
    from assay.jobs.certify import plan as count
    from assay.judges import make_judge

    with only_answers():  # whatever a judge prints
        (made,) = with_model([make_judge(judge, options_of(options or []), outside=True)], model)
        settings = CertifySettings(
            out=out,
            judge=made,
            goal=goal,
            on=tuple(on or ()),
            worlds=worlds,
            tasks=words(tasks),
            seeds=seeds,
            views=words(views),
            limit=limit,
            jobs=jobs,
            keep=keep,
            retry=retry,
            models=model_settings(ledger, max_cost, in_flight, per_minute, timeout, prices),
        )
    if plan:
        with only_answers():
            planned = count(settings)
        print_plan(planned, json=json)
        return
    with only_answers():
        result = run(settings)
    print_usage(result.usage, result.document)
    _print(result, "json" if json else form)
    for line in result.problems():
        typer.echo(line, err=True)
    typer.echo(f"Passport: {result.out / 'index.html'}", err=True)
    if not result.ok:
        raise typer.Exit(1)


def _print(result: CertifyResult, form: str) -> None:
    from assay.reports import passport

    if form == "json":
        sys.stdout.write(result.text)
    elif form == "md":
        sys.stdout.write(passport.to_markdown(result.document))
    else:
        from rich.console import Console

        Console().print(passport.to_terminal(result.document))
