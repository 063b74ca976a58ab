"""assay diagnose."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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

__all__ = ["diagnose"]


def diagnose(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="[LABEL=]PATH...", help="Clips; LABEL names generator or policy."),
    ],
    judge: Annotated[
        str,
        typer.Option(
            help="Who looks: gaze, vanilla, instruments, NAME@MODEL, or module:Class; see"
            " `assay list judges`."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder for the report; made if need be.")],
    options: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the judge, as field=value.")
    ] = None,
    model: Model = "",
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help="Exit 1 if a clip has such an event: severity>=4, type==blur,"
            " dimension==visual_quality; may be given several times.",
            show_default="no rule",
        ),
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="csv: episode[,task][,policy][,scene][,instruction].")
    ] = None,
    task_map: Annotated[
        Path | None, typer.Option(help="csv: from,to; renames tasks or instructions.")
    ] = None,
    views: Annotated[str, typer.Option(help="Views to use, such as front,wrist.")] = "",
    limit: Annotated[int | None, typer.Option(help="Take so many clips of each PATH.")] = None,
    trust_pickles: TrustPickles = False,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Examine what is not ok in a finished run again.")
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
    """Find what is wrong in robot videos: what, when, how bad, and on what evidence.

    Example: assay diagnose clips --judge gaze --model openai:Qwen3-VL-8B@http://localhost:8000/v1
    --fail-on "severity>=4" --out diagnosed
    """
    from assay.jobs._models import with_model
    from assay.jobs.diagnose import DiagnoseSettings
    from assay.jobs.diagnose import diagnose as run
    from assay.jobs.diagnose import plan as count
    from assay.judges import make_judge

    with only_answers():  # whatever a judge prints
        made = make_judge(judge, options_of(options or []), outside=True)
    (made,) = with_model([made], model)
    settings = DiagnoseSettings(
        out=out,
        judge=made,
        labels=labels,
        task_map=task_map,
        views=words(views),
        limit=limit,
        fail_on=tuple(fail_on or ()),
        trust_pickles=trust_pickles,
        jobs=jobs,
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
    finish(result, Form.json if json else form, "assay.reports.diagnose_tables")
