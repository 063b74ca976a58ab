"""Word how far a judge may be believed: its card, what it has not seen, its passport."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._layout import Grid
from assay.reports.asked import asked_notes

__all__ = [
    "NOVEL_LIMIT",
    "alarms",
    "card_facts",
    "card_levels",
    "card_origin",
    "judge_notes",
    "passport_line",
    "passport_warnings",
    "unseen",
]

Judge: TypeAlias = Mapping[str, Any]

NOVEL_LIMIT = 0.2
"""The share of novel moments above which figures are no evidence, where a card names none."""


def alarms(audit: Mapping[str, Any]) -> list[str]:
    """Return what must stand before anything else: that the judge has not seen such scenes."""
    judge = audit.get("judge") or {}
    found = unseen(judge)
    return found or _unseen_cells(audit, judge)


def unseen(judge: Judge) -> list[str]:
    """Say that a judge has not seen such scenes; nothing when it has, or can't tell."""
    novel = judge.get("novel")
    if not _is_above(novel, judge):
        return []
    name, limit = judge["name"], words.points(_limit(judge))
    told = (
        f"{name} has not seen such scenes, and the figures are not evidence: {_share(novel)} of "
        f"100 moments are unlike anything it was trained on, and its limit is {limit}."
    )
    return [told, *_looks(judge)]


def card_facts(judge: Judge) -> list[str]:
    """Return what stands in the heading of a learned judge; nothing of a judge that has no card."""
    facts = card_levels(judge)
    if judge.get("novel") is not None:
        facts.append(f"novel moments {_share(judge['novel'])} of 100")
    elif judge.get("card"):
        facts.append("novel moments: it can't tell")
    return facts + card_origin(judge) + ([] if unseen(judge) else _looks(judge))


def card_levels(judge: Judge) -> list[str]:
    """Return the completion level and the noise of a learned judge."""
    card, facts = judge.get("card") or {}, []
    if isinstance(card.get("completion"), int | float):
        facts.append(f"completion level {card['completion']:.3g}")
    if card and judge.get("noise") is not None:
        facts.append(f"noise sigma {judge['noise']:.3g}")
    return facts


def card_origin(judge: Judge) -> list[str]:
    """Return what a learned judge was trained on."""
    origin = (judge.get("card") or {}).get("trained_on")
    return [f"trained on {origin}"] if origin else []


def passport_line(judge: Judge) -> str:
    """Say which checks the judge passed, or how to have it checked."""
    passport = judge.get("passport")
    if passport is None:
        settings = judge.get("settings") or {}
        asked = settings.get("weights") or judge.get("name")
        model = f" --model {settings['model']}" if settings.get("model") else ""
        return f"no passport: run `assay certify {asked}{model} --out passport`"
    return f"passport: {passport['summary']}"


def passport_warnings(judge: Judge) -> list[str]:
    """Return a sentence for each failed check that matters to an audit."""
    return list((judge.get("passport") or {}).get("warnings") or ())


def judge_notes(audit: Mapping[str, Any]) -> list[str]:
    """Return the heading's lines on the judge for tables: card, passport and its warnings."""
    judge = audit.get("judge") or {}
    about = "; ".join([f"Judge {judge.get('name')}", *card_facts(judge), passport_line(judge)])
    return [f"{about}.", *passport_warnings(judge), *asked_notes(audit)]


def _unseen_cells(audit: Mapping[str, Any], judge: Judge) -> list[str]:
    """Name the groups that the judge has not seen the like of, where most others are known."""
    grid = Grid.of(audit)
    found = [
        f"{series} on {words.quoted(panel)}" if panel else series
        for (panel, series), cell in grid.by_place.items()
        if _is_above(cell.get("novel"), judge)
    ]
    if not found:
        return []
    told = (
        f"{judge['name']} has not seen scenes such as those of {words.some(found)}: more than "
        f"{words.points(_limit(judge))} of 100 moments there are unlike anything it was trained "
        "on, and these figures are not evidence."
    )
    return [told]


def _looks(judge: Judge) -> list[str]:
    """Say which episodes come from worlds of another look."""
    others = judge.get("other_looks")
    if not others:
        return []
    seen = words.listing(map(str, others["looks"]))
    own = (judge.get("card") or {}).get("look")
    told = (
        f"{words.counted(others['episodes'], 'episode')} of worlds with look {seen} count as "
        f"novel: {judge['name']} was trained on look {own}."
    )
    return [told]


def _is_above(novel: words.Estimate, judge: Judge) -> bool:
    return novel is not None and (novel.get("value") or 0.0) > _limit(judge)


def _limit(judge: Judge) -> float:
    limit = (judge.get("card") or {}).get("novel_limit")
    return float(limit) if isinstance(limit, int | float) else NOVEL_LIMIT


def _share(novel: words.Estimate) -> str:
    return f"{words.number(novel)} ({words.count(novel)})"
