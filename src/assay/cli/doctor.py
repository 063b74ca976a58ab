"""assay doctor."""

from __future__ import annotations

from dataclasses import asdict

import typer

from assay.cli._print import AsJson, print_json

__all__ = ["doctor"]


def doctor(json: AsJson = False) -> None:
    """Check this machine: versions, video codecs, rendering, cores, disk, database.

    Example: assay doctor
    """
    from assay.jobs.doctor import examine

    checks = examine()
    if json:
        print_json({"schema": "assay.doctor/1", "checks": [asdict(check) for check in checks]})
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            typer.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name:<{width}}  {check.found}")
    if not all(check.ok for check in checks):
        raise typer.Exit(1)
