"""Show a passport as a table: on the terminal, in Markdown, and in words for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.reports import words

__all__ = [
    "HEADS",
    "amount",
    "by_domain",
    "cells",
    "extent",
    "notes",
    "to_markdown",
    "to_terminal",
]

HEADS = ("check", "verdict", "value", "limit", "n", "what it means")
_STYLES = {
    "pass": "green",
    "fail": "bold red",
    "stated": "",
    "not run": "dim",
    "not measured": "dim",
}
_SCALE = (
    "Values and limits are on the scale of 0 to 100 unless a unit stands beside them. n counts"
    " episodes, scenes or pairs of moments."
)


def by_domain(document: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the lines of each domain; no grade is ever made over several of them."""
    found: dict[str, list[Mapping[str, Any]]] = {name: [] for name in document["domains"]}
    for line in document["checks"]:
        found.setdefault(line["domain"], []).append(line)
    return found


def extent(document: Mapping[str, Any], domain: str) -> str:
    """Word on what a domain rests: "7 episodes", "6 scenes of 2 tasks: lift-block, turn-knob".

    Older passports don't say on which tasks.
    """
    about = document["domains"].get(domain, {})
    noun = "episode" if domain == "your episodes" else "scene"
    count = words.counted(about.get("subjects", 0), noun)
    tasks = about.get("tasks") or ()
    named = f" of {words.counted(len(tasks), 'task')}: {', '.join(tasks)}" if tasks else ""
    return f"{count}{named}"


def cells(line: Mapping[str, Any]) -> tuple[str, str, str, str, str, str]:
    """Return the texts of a row, in the order of `HEADS`."""
    value = line["value"]
    if value is None:
        shown, count = words.MISSING, ""
    else:
        number = f"{words.amount(value)} {line['unit']}" if line["unit"] else words.number(value)
        shown, count = number, str(value["n"])
    # Capitals, since colour alone tells some readers nothing.
    verdict = "FAIL" if line["verdict"] == "fail" else line["verdict"]
    return line["title"], verdict, shown, _limit_of(line), count, _told(line)


def amount(line: Mapping[str, Any], value: float) -> str:
    """Word a number of a line, of the line's own unit; whole numbers are counts."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.3g}" if line["unit"] else words.points(value)


def _told(line: Mapping[str, Any]) -> str:
    """Say what a line means, and what of it could not be measured."""
    why = _why(line).rstrip(".")
    parts = [str(line["meaning"]), f"{why[:1].upper()}{why[1:]}." if why else ""]
    return " ".join(filter(None, parts))


def _why(line: Mapping[str, Any]) -> str:
    """Say why a check has no value, or not one of every episode; empty when it has."""
    if line["verdict"] == "not run":
        return f"not run, because {line['why']}"
    return f"not measured: {line['why']}" if line["verdict"] == "not measured" else line["why"]


def _limit_of(line: Mapping[str, Any]) -> str:
    """Word the limit of a line: "at most 10.0"."""
    limit = line["limit"]
    if limit is None:
        return "none"
    return f"{limit['is']} {amount(line, limit['value'])}"


def notes(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what is to know of the values: their scale, and the mark of those without interval."""
    few = any(words.FEW in cells(line)[2] for line in lines)
    return [_SCALE, *([words.few_note()] if few else [])]


def to_terminal(document: Mapping[str, Any]) -> RenderableType:
    """Return a table for each domain, and why checks were not made, or not on all of it."""
    parts: list[RenderableType] = []
    for domain, lines in by_domain(document).items():
        table = Table(box=None, pad_edge=False, title=Text(_title(document, domain)))
        table.title_justify = "left"
        for head in HEADS[:-1]:
            table.add_column(head, justify="right" if head == "n" else "left")
        for line in lines:
            title, verdict, *rest = map(Text, cells(line)[:-1])
            verdict.style = _STYLES[line["verdict"]]
            table.add_row(title, verdict, *rest)
        whys = [f"{line['title']}: {_why(line)}" for line in lines if line["why"]]
        parts += [table, *(Text(why, style="dim") for why in whys)]
        parts += [Text(note) for note in [_note(document, domain)] if note] + [Text()]
    return Group(*parts, *(Text(note, style="dim") for note in notes(document["checks"])))


def to_markdown(document: Mapping[str, Any]) -> str:
    """Return a table for each domain in Markdown."""
    blocks = []
    for domain, lines in by_domain(document).items():
        rows = [_row(HEADS), _row(["---"] * len(HEADS)), *(_row(cells(line)) for line in lines)]
        note = _note(document, domain)
        title = f"**{_title(document, domain)}**"
        blocks.append("\n".join([title, "", *([note, ""] if note else []), *rows]))
    return "\n\n".join([*blocks, *notes(document["checks"])]) + "\n"


def _title(document: Mapping[str, Any], domain: str) -> str:
    return f"{document['judge']['name']} on {domain} ({extent(document, domain)})"


def _note(document: Mapping[str, Any], domain: str) -> str:
    return str(document["domains"].get(domain, {}).get("note") or "")


def _row(texts: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"
