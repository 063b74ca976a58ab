"""assay demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._print import AsJson, Form, finish

__all__ = ["demo"]


def demo(
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("demo-report"),
    seeds: Annotated[int, typer.Option(min=1, max=500, help="Attempts per task and policy.")] = 8,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Open the report in a browser when it is done.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Let six scripted policies act in a simulated world, judge what the cameras see, and compare.

    The judge is a small network; beside it stand the truth and a clock.

    Example: assay demo --out demo-report --open
    """
    from assay.jobs.demo import demo as run

    result = run(out, seeds=seeds, jobs=jobs, say=lambda text: typer.echo(text, err=True))
    if open_:
        typer.launch((result.out / "index.html").absolute().as_uri())
    finish(result, Form.json if json else Form.terminal)
