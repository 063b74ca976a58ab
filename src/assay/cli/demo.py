"""assay demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._print import AsJson, Form, finish

__all__ = ["demo"]


def demo(
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("demo-report"),
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    json: AsJson = False,
) -> None:
    """Audit a generated set of recorded curves: five policies with known flaws, three tasks.

    Example: assay demo --out demo-report
    """
    from assay.jobs.demo import NOTE
    from assay.jobs.demo import demo as run

    typer.echo(NOTE, err=True)
    finish(run(out, jobs=jobs), Form.json if json else Form.terminal)
