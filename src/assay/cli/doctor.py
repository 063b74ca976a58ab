"""assay doctor."""

from __future__ import annotations

import typer

__all__ = ["doctor"]


def doctor() -> None:
    """Check this machine: versions, video codecs, cores, disk, database.

    Example: assay doctor
    """
    from assay.jobs.doctor import examine

    checks = examine()
    width = max(len(check.name) for check in checks)
    for check in checks:
        typer.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name:<{width}}  {check.found}")
    if not all(check.ok for check in checks):
        raise typer.Exit(1)
