"""assay audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

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
from assay.cli._print import AsJson, Form, finish, only_answers, options_of, words
from assay.cli._reading import TrustPickles

__all__ = ["audit"]

Fill = Literal["previous", "linear"]  # as in metrics.gaps, which would bring numpy along


def audit(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="[LABEL=]PATH...", help="Episodes; LABEL names the policy."),
    ],
    out: Annotated[Path, typer.Option(help="The folder for the report; made if need be.")],
    judge: Annotated[
        str,
        typer.Option(
            help="Who scores: a name of `assay list judges`, NAME@MODEL, or module:function."
        ),
    ] = "recorded",
    options: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the judge, as field=value.")
    ] = None,
    model: Model = "",
    beside: Annotated[
        list[str] | None,
        typer.Option(help="A further judge of the same episodes, such as ramp, to compare with."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="csv: episode[,task][,policy][,scene][,instruction][,success]."),
    ] = None,
    curves: Annotated[
        Path | None,
        typer.Option(
            help="Recorded curves (csv, jsonl, *_progress.parquet) to join by episode id."
        ),
    ] = None,
    task_map: Annotated[
        Path | None, typer.Option(help="csv: from,to; renames tasks or instructions.")
    ] = None,
    goal: Annotated[
        Path | None, typer.Option(help="Goal image or demonstrations, for judges that need one.")
    ] = None,
    passport: Annotated[
        Path | None,
        typer.Option(help="What `assay certify` wrote on the judge.", show_default="where it is"),
    ] = None,
    by: Annotated[str, typer.Option(help="What to group by.")] = "task,policy",
    views: Annotated[str, typer.Option(help="Views to use, such as front,wrist.")] = "",
    fps: Annotated[
        float | None,
        typer.Option(help="Judge so many moments a second.", show_default="the judge's own"),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="Steps below this count as standing still.", show_default="measured"),
    ] = None,
    fill: Annotated[
        Fill | None, typer.Option(help="Fill unscored moments, and say so in the report.")
    ] = None,
    clip: Annotated[bool, typer.Option("--clip", help="Clip progress to 0..1.")] = False,
    success_at: Annotated[
        float | None, typer.Option(help="Call progress at or above this a success.")
    ] = None,
    diagnostics: Annotated[
        str, typer.Option(help="Also show these; see `assay list diagnostics`.")
    ] = "",
    experts: Annotated[
        Path | None, typer.Option(help="Recorded curves of demonstrations, for grdtw.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Take so many episodes of each PATH.")] = None,
    trust_pickles: TrustPickles = False,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    seed: Annotated[int, typer.Option(help="Decides the resampling of intervals.")] = 0,
    retry: Annotated[
        bool, typer.Option("--retry", help="Judge what is not ok in a finished run again.")
    ] = False,
    plan: Plan = False,
    max_cost: MaxCost = None,
    prices: Prices = None,
    ledger: LedgerPlace = None,
    in_flight: InFlight = 16,
    per_minute: PerMinute = None,
    timeout: Timeout = 120.0,
    no_video: Annotated[
        bool, typer.Option("--no-video", help="Leave videos out of the report.")
    ] = False,
    copy_videos: Annotated[
        bool, typer.Option("--copy-videos", help="Copy videos in, so the folder can be sent.")
    ] = False,
    form: Annotated[
        Form, typer.Option("--format", help="How the table is printed.")
    ] = Form.terminal,
    json: AsJson = False,
) -> None:
    """Judge episodes and write a report: how far each policy gets, how, and where it fails.

    Example: assay audit pi0=runs/a act=runs/b --judge recorded --out report
    """
    from assay.jobs._goals import with_goal
    from assay.jobs._models import with_model
    from assay.jobs.audit import AuditSettings
    from assay.jobs.audit import audit as run
    from assay.jobs.audit import plan as count
    from assay.judges import make_judge

    chosen = options_of(options or [])
    if clip:
        chosen["clip"] = "true"
    with only_answers():  # whatever a judge prints
        made = make_judge(judge, chosen, outside=True)
        further = [make_judge(name, outside=True) for name in beside or ()]
    made, *further = with_model(with_goal([made, *further], goal), model)
    settings = AuditSettings(
        out=out,
        judge=made,
        beside=tuple(further),
        labels=labels,
        curves=curves,
        task_map=task_map,
        by=words(by),
        views=words(views),
        fps=fps,
        epsilon=epsilon,
        fill=fill,
        success_at=success_at,
        diagnostics=words(diagnostics),
        experts=experts,
        passport=passport,
        limit=limit,
        trust_pickles=trust_pickles,
        jobs=jobs,
        seed=seed,
        retry=retry,
        models=model_settings(ledger, max_cost, in_flight, per_minute, timeout, prices),
        video="none" if no_video else "copy" if copy_videos else "link",
    )
    if plan:
        with only_answers():
            planned = count(sources, settings)
        print_plan(planned, json=json or form is Form.json)
        return
    with only_answers():
        result = run(sources, settings)
    print_usage(result.usage, result.document)
    finish(result, Form.json if json else form)
