"""assay list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from assay import plugins
from assay.cli._print import AsJson, print_json
from assay.errors import UnknownNameError, UsageError

__all__ = ["list_plugins"]

KINDS = {
    "judges": "assay.judges",
    "formats": "assay.episodes.formats",
    "writers": "assay.episodes.writers",
    "diagnostics": "assay.metrics.diagnostics",
    "checks": "assay.benchmarks.passport.checks",
    "tasks": "assay.worlds.tasks",
    "policies": "assay.worlds.policies",
    "perturbations": "assay.worlds.perturbations",
    "robots": "assay.worlds.robots",
}


def list_plugins(
    kind: Annotated[
        str | None, typer.Argument(help=f"One of {', '.join(KINDS)}.", show_default="all")
    ] = None,
    json: AsJson = False,
) -> None:
    """List what can be named on the command line: judges, formats, tasks, policies and more.

    Example: assay list judges
    """
    if kind is not None and kind not in KINDS:
        raise UnknownNameError("kind of plug-in", kind, KINDS)
    found = {
        title: {name: _line(KINDS[title], name) for name in plugins.names(KINDS[title])}
        for title in ([kind] if kind else KINDS)
    }
    if json:
        print_json({"schema": "assay.list/1", **found})
    else:
        _print_tables(found)


def _line(package: str, name: str) -> str:
    """Return what a plug-in does; of a broken one why, so that it does not hide the others."""
    try:
        return plugins.describe(package, name)
    except UsageError as error:
        return str(error)


def _print_tables(found: Mapping[str, Mapping[str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for title, described in found.items():
        table = Table(title=title, title_justify="left", box=None, show_header=False)
        table.add_column(no_wrap=True, style="bold")
        table.add_column()
        for name, line in described.items():
            table.add_row(name, line)
        console.print(table)
