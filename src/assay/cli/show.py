"""assay show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._print import AsJson, Form, print_attempts, print_table

__all__ = ["show"]


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")],
    form: Annotated[
        Form, typer.Option("--format", help="How the table is printed.")
    ] = Form.terminal,
    json: AsJson = False,
    open_: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
) -> None:
    """Print the table of a finished run, or open its report.

    Example: assay show report --open
    """
    from assay.jobs.rollout import RolloutResult
    from assay.jobs.show import load

    found = load(run)
    if isinstance(found, RolloutResult):
        if json or form is Form.json:
            typer.echo(found.text, nl=False)
        else:
            print_attempts(found.document)
        typer.echo(f"Its report: assay audit {run} --judge oracle --out DIR", err=True)
        return
    print_table(found, Form.json if json else form)
    page = (run / "index.html").absolute()
    typer.echo(f"Report: {page}", err=True)
    if open_:
        typer.launch(page.as_uri())
