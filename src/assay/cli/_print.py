"""What the verbs share: parsing small texts and printing a finished run."""

from __future__ import annotations

import enum
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from assay.errors import UsageError

__all__ = [
    "AsJson",
    "Finished",
    "Form",
    "finish",
    "only_answers",
    "options_of",
    "print_attempts",
    "print_json",
    "print_table",
    "words",
]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, nothing else.")]


class Form(enum.StrEnum):
    """How a table is printed."""

    terminal = "terminal"
    md = "md"
    csv = "csv"
    json = "json"


class Finished(Protocol):
    """A finished run: where it is, what it found (as data and as text), and if every unit is ok."""

    @property
    def out(self) -> Path | None: ...
    @property
    def document(self) -> Mapping[str, Any]: ...
    @property
    def text(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    def problems(self) -> list[str]: ...


@contextmanager
def only_answers() -> Iterator[None]:
    """Send to stderr what others print meanwhile, programs that they start included."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def words(text: str) -> tuple[str, ...]:
    """Split a comma-separated option."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def options_of(pairs: Iterable[str]) -> dict[str, str]:
    """Return `field=value` texts as a dictionary."""
    chosen = {}
    for pair in pairs:
        field, equals, value = pair.partition("=")
        if not equals or not field:
            raise UsageError(f"--set takes field=value, not {pair!r}.")
        chosen[field.strip()] = value
    return chosen


def print_json(document: Mapping[str, Any]) -> None:
    """Print a document that stands in no file."""
    sys.stdout.write(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def print_table(
    run: Finished, form: Form, tables: str = "assay.reports.tables", kind: str = ""
) -> None:
    """Print the table of a run on stdout, by the functions `<kind>to_<form>` of `tables`."""
    if form is Form.json:
        sys.stdout.write(run.text)
        return
    module = import_module(tables)
    if form is Form.terminal:
        from rich.console import Console

        Console().print(getattr(module, f"{kind}to_terminal")(run.document))
        return
    name = "markdown" if form is Form.md else "csv"
    sys.stdout.write(getattr(module, f"{kind}to_{name}")(run.document))


def print_attempts(document: Mapping[str, Any]) -> None:
    """Print what came of each policy of a rollout."""
    from rich.console import Console

    from assay.reports.attempts import to_terminal

    Console().print(to_terminal(document))


def finish(run: Finished, form: Form, tables: str = "assay.reports.tables", kind: str = "") -> None:
    """Print the table, say where the report is, and exit 1 if some unit is not ok."""
    print_table(run, form, tables, kind)
    for line in run.problems():
        typer.echo(line, err=True)
    if run.out is not None:
        typer.echo(f"Report: {run.out / 'index.html'}", err=True)
    if not run.ok:
        raise typer.Exit(1)
