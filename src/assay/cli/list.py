"""assay list."""

from __future__ import annotations

from typing import Annotated

import typer

from assay import plugins
from assay.errors import UnknownNameError

__all__ = ["list_plugins"]

KINDS = {
    "judges": "assay.judges",
    "formats": "assay.episodes.formats",
    "diagnostics": "assay.metrics.diagnostics",
}


def list_plugins(
    kind: Annotated[
        str | None, typer.Argument(help=f"One of {', '.join(KINDS)}.", show_default="all")
    ] = None,
) -> None:
    """List what can be named on the command line: judges, formats, diagnostics.

    Example: assay list judges
    """
    from rich.console import Console
    from rich.table import Table

    if kind is not None and kind not in KINDS:
        raise UnknownNameError("kind of plug-in", kind, KINDS)
    console = Console()
    for title in [kind] if kind else KINDS:
        table = Table(title=title, title_justify="left", box=None, show_header=False)
        table.add_column(no_wrap=True, style="bold")
        table.add_column()
        for name in plugins.names(KINDS[title]):
            table.add_row(name, plugins.describe(KINDS[title], name))
        console.print(table)
