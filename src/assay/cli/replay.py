"""assay replay."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._print import AsJson, Form, finish, only_answers, options_of
from assay.cli._reading import TrustPickles

__all__ = ["replay"]


def replay(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a finished audit.")],
    out: Annotated[
        Path | None,
        typer.Option(help="The folder for the new report.", show_default="RUN-replay"),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(help="Where the answers are.", show_default="where the run kept them"),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the judge that is to differ, as field=value."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="[LABEL=]PATH", help="Where the episodes are now, if they moved."),
    ] = None,
    trust_pickles: TrustPickles = False,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    form: Annotated[
        Form, typer.Option("--format", help="How the table is printed.")
    ] = Form.terminal,
    json: AsJson = False,
) -> None:
    """Score a finished audit again from stored answers: no model is asked, nothing is paid.

    Example: assay replay report --out report-again
    """
    from assay.jobs.replay import ReplaySettings
    from assay.jobs.replay import replay as do

    settings = ReplaySettings(
        out=out,
        ledger=ledger,
        options=options_of(options or []),
        sources=tuple(source or ()),
        trust_pickles=trust_pickles,
        jobs=jobs,
    )
    with only_answers():
        result = do(run, settings)
    finish(result, Form.json if json else form)
