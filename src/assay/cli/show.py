"""assay show."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._print import AsJson, Form, print_attempts, print_table
from assay.errors import RunError

if TYPE_CHECKING:
    from assay.jobs.show import OtherResult

__all__ = ["show"]

_TABLES = {
    "compare": ("assay.reports.compare_tables", "to_terminal"),
    "watch": ("assay.reports.watch_tables", "to_terminal"),
    "rank": ("assay.reports.rank_tables", "to_terminal"),
    "certify": ("assay.reports.passport", "to_terminal"),
    "train": ("assay.reports.training", "to_terminal"),
    "train-policy": ("assay.reports.policy_training", "to_terminal"),
    "build": ("assay.reports.pulse_tables", "built_to_terminal"),
    "bench": ("assay.reports.pulse_tables", "bench_to_terminal"),
    "build glitches": ("assay.reports.glitch_built", "built_to_terminal"),
    "bench glitches": ("assay.reports.glitch_tables", "to_terminal"),
    "diagnose": ("assay.reports.diagnose_tables", "to_terminal"),
}
"""Where the table of a kind of result is made; those of audit and rollout have more forms."""


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
    from assay.jobs.show import OtherResult, load

    found = load(run)
    if isinstance(found, RolloutResult):
        if json or form is Form.json:
            typer.echo(found.text, nl=False)
        else:
            print_attempts(found.document)
        typer.echo(f"Its report: assay audit {run} --judge oracle --out DIR", err=True)
        return
    if isinstance(found, OtherResult):
        _print_other(found, as_json=json or form is Form.json)
    else:
        print_table(found, Form.json if json else form)
    page = (run / "index.html").absolute()
    if page.is_file():
        typer.echo(f"Report: {page}", err=True)
    if open_:
        typer.launch(page.as_uri())


def _print_other(found: OtherResult, *, as_json: bool) -> None:
    if as_json:
        typer.echo(found.text, nl=False)
        return
    from rich.console import Console

    module, name = _TABLES[found.kind]
    try:
        table = getattr(import_module(module), name)(found.document)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise RunError(f"{found.out}/{found.verb}.json is not whole ({error!r}).") from error
    Console().print(table)
