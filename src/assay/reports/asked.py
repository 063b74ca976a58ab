"""Show what models were asked: what the answers came to, and what a command paid for.

Two things are told apart. `asked` of the document is what the answers behind a report came to when
they were given; it is the same for a run that found them in the ledger. Usage is what one command
sent, and so differs between the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.reports import words
from assay.reports._markup import Safe, tag

__all__ = ["asked_notes", "asked_section", "mixed_notes", "plan_lines", "usage_lines"]

_TEXTS = ("model", "answered as", "status")
_HEADS = (
    *_TEXTS[:2],
    *("questions", "distinct", "pictures", "tokens in", "tokens out", "cost"),
    _TEXTS[2],
)
_NO_PRICE = "no price known"
_NOT_TOLD = "not told"
_AGAIN = (
    "Tokens and price are what they can come to at most. An answer that can't be read is asked"
    " for again, which is not counted."
)


def asked_section(audit: Mapping[str, Any]) -> Safe | None:
    """Return the table of what models were asked; None where no judge asked one."""
    asked: Mapping[str, Any] = audit.get("asked") or {}
    if not asked:
        return None
    kinds = [None if name in _TEXTS else "num" for name in _HEADS]
    heads = [tag("th", n, scope="col", class_=k) for n, k in zip(_HEADS, kinds, strict=True)]
    head = tag("thead", tag("tr", *heads))
    body = tag("tbody", *(_row(model, came_to) for model, came_to in asked.items()))
    told = (
        "What the answers behind this report came to when they were given. A question that stands"
        " in several episodes is paid for once; an answer that the ledger holds is not paid for"
        " again. The page of an episode shows its questions and the replies."
    )
    return tag(
        "section",
        tag("h2", "What models were asked"),
        tag("div", tag("table", head, body), class_="scroll"),
        *(tag("p", note, class_="notice") for note in mixed_notes(audit)),
        tag("p", told, class_="quiet"),
        tag("ul", id="usage", class_="quiet"),
        id="asked",
    )


def _row(model: str, came_to: Mapping[str, Any]) -> Safe:
    numbers = [came_to[name] for name in ("questions", "distinct", "pictures")]
    numbers += [came_to[f"{side}_tokens"] for side in ("input", "output")]
    return tag(
        "tr",
        tag("th", tag("code", model), scope="row"),
        tag("td", _answered_as(came_to)),
        *(tag("td", f"{number:,}", class_="num") for number in numbers),
        tag("td", _cost(came_to["cost"]), class_="num"),
        tag("td", words.statuses(came_to["status"])),
    )


def asked_notes(audit: Mapping[str, Any]) -> list[str]:
    """Return a sentence on each model for tables and the terminal."""
    asked: Mapping[str, Any] = audit.get("asked") or {}
    return [
        f"{model}: {_counted(came_to['questions'], 'question')}"
        f" ({words.statuses(came_to['status'])}), {_tokens(came_to)}, {_cost(came_to['cost'])}"
        f"{_by(came_to)}."
        for model, came_to in asked.items()
    ]


def mixed_notes(audit: Mapping[str, Any]) -> list[str]:
    """Return a sentence on each model of which several revisions answered."""
    asked: Mapping[str, Any] = audit.get("asked") or {}
    return [
        f"{model} answered as {len(came_to['revisions'])} revisions ({_answered_as(came_to)}):"
        " they are not one model. Judge all episodes anew, with another --out."
        for model, came_to in asked.items()
        if len(came_to.get("revisions") or {}) > 1
    ]


def _answered_as(came_to: Mapping[str, Any]) -> str:
    """Name the revision that answered; of several each with its answers, of none nothing."""
    found: Mapping[str, int] = came_to.get("revisions") or {}
    told = [(name or _NOT_TOLD, count) for name, count in found.items()]
    if len(told) == 1:
        return told[0][0]
    return ", ".join(f"{name}: {count:,}" for name, count in told)


def _by(came_to: Mapping[str, Any]) -> str:
    """Say who answered, as the end of a sentence."""
    told = _answered_as(came_to)
    if told == _NOT_TOLD:
        return f", its revision {told}"
    return f", answered as {told}" if told else ""


def usage_lines(usage: Mapping[str, Any] | None) -> list[str]:
    """Say what one command sent, by model."""
    models: Mapping[str, Any] = (usage or {}).get("models") or {}
    return [
        f"{model}: {_counted(used['calls'], 'call')} sent, {used['cached']:,} answers from"
        f" the ledger, {used['failed']:,} without an answer; {_tokens(used)},"
        f" {_cost(used['cost'])}."
        for model, used in models.items()
    ]


def plan_lines(plan: Mapping[str, Any]) -> list[str]:
    """Say what a run would send, by model."""
    models: Mapping[str, Any] = plan["models"]
    silent = words.statuses(plan["silent"])
    unasked = [f"Nothing to ask about: {silent}."] if silent else []
    if not models:
        return ["Nothing would be asked of any model.", *unasked]
    lines = [
        f"{model}: {_counted(used['calls'], 'call')} to send with"
        f" {_counted(used['pictures'], 'picture')}, {used['cached']:,} answers are there;"
        f" {_tokens(used)}, {_cost(used['cost'])}."
        for model, used in models.items()
    ]
    head = f"{_counted(plan['episodes'], 'episode')}; nothing was sent."
    return [head, *lines, *unasked, _AGAIN]


def _counted(n: int, noun: str) -> str:
    """Word a number that may be large."""
    return f"{n:,}{words.counted(n, noun).removeprefix(str(n))}"


def _tokens(used: Mapping[str, Any]) -> str:
    return f"{used['input_tokens']:,} + {used['output_tokens']:,} tokens"


def _cost(cost: float | None) -> str:
    if cost is None:
        return _NO_PRICE
    return f"{cost:.2f} USD" if cost >= 1 or cost == 0 else f"{cost:.2g} USD"
