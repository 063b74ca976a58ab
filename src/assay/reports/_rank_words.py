"""What the tables and the page of a ranking say: columns, numbers and sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.reports import words

__all__ = [
    "COLUMNS",
    "Field",
    "agreement_words",
    "chance",
    "judges_of",
    "lead",
    "next_words",
    "notes",
    "strength",
]

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Field:
    """One column: heading, meaning, and how a policy's cell is worded."""

    heading: str
    title: str
    word: Callable[[Row], str]


def strength(row: Row) -> str:
    """Word a strength with its interval: "+0.55 [+0.19, +0.91]", "+0.55 †" without one, "n/a"."""
    if row["beta"] is None:
        return words.MISSING
    if row["low"] is None:
        return f"{_signed(row['beta'])} {words.FEW}"
    return f"{_signed(row['beta'])} [{_signed(row['low'])}, {_signed(row['high'])}]"


def chance(row: Row) -> str:
    """Word the strength as the chance of winning against an average policy, in percent."""
    ends = {key: None if row[k] is None else _share(row[k]) for key, k in _ENDS.items()}
    return words.number(ends)


_ENDS = {"value": "beta", "low": "low", "high": "high"}


def _share(beta: float) -> float:
    return (1.0 + math.tanh(beta / 2.0)) / 2.0


def _signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}"  # + 0.0 turns a negative zero round


def _known(key: str) -> Callable[[Row], str]:
    return lambda row: words.MISSING if row.get(key) is None else str(row[key])


def _span(row: Row) -> str:
    first, last = row.get("rank_low"), row.get("rank_high")
    if first is None or last is None:
        return words.MISSING
    return str(first) if first == last else f"{first} to {last}"


def _first(row: Row) -> str:
    return words.points(row.get("first"))


_MODEL = (
    "Strengths are log-odds by Bradley and Terry: a policy that is stronger by d wins with"
    " probability 1 / (1 + exp(-d)); an average policy has 0."
)

COLUMNS = (
    Field("Rank", "1 is the strongest; policies of equal strength share a rank.", _known("rank")),
    Field(
        "Strength",
        "The log-odds beta of winning against an average policy, with its interval.",
        strength,
    ),
    Field("Wins against average, %", "The strength as a share of decisive votes.", chance),
    Field(
        "Tier",
        "All intervals of one tier overlap; a policy that lies clear below one of them opens the"
        " next tier.",
        _known("tier"),
    ),
    Field(
        "Tier by tests",
        "The same with tests of all pairs, adjusted by Holm, in place of intervals.",
        _known("tier_tests"),
    ),
    Field("Ranks left open", "All ranks that those tests don't rule out.", _span),
    Field("First, %", "The share of resamples of the votes in which it is first.", _first),
    Field("Wins", "Votes that it won.", _known("wins")),
    Field("Losses", "Votes that it lost.", _known("losses")),
    Field("Ties", "Votes that neither won.", _known("ties")),
)


def lead(ranked: Row) -> str:
    """Say in words who is first, and how sure that is."""
    policies = ranked["policies"]
    votes = f"{ranked['votes']:,} votes on {words.counted(len(policies), 'policy')}"
    begun = f"{votes}, {ranked['decisive']:,} of them decisive."
    known = [row for row in policies if row["rank"] is not None]
    if not known:
        return f"{begun} They give no policy a strength: {policies[0]['why']}."
    best = known[0]
    among = "" if len(known) == len(policies) else f"Of the {len(known)} that share a scale, "
    told = f"{among}{words.quoted(best['name'])} is first, with a strength of {strength(best)}"
    beside = [row["name"] for row in known[1:] if row["tier"] == best["tier"] is not None]
    if best["tier"] is None:
        return f"{begun} {told}: too few votes for an interval."
    if beside:
        names = words.some([words.quoted(name) for name in beside])
        return f"{begun} {told}; {names} can't be told from it: the intervals overlap."
    all_sure = all(row["tier"] is not None for row in known)
    return f"{begun} {told}, clear of all others{'' if all_sure else ' with an interval'}."


def next_words(ranked: Row) -> list[str]:
    """Say which pair to put to the vote next."""
    found = []
    for place, pair in enumerate(ranked.get("next") or ()):
        a, b = words.quoted(pair["a"]), words.quoted(pair["b"])
        begun = f"The next vote tells most on {a} and {b}" if not place else f"Then {a} and {b}"
        known = f"{words.counted(pair['votes'], 'decisive vote')} so far"
        odds = f"{words.points(pair['chance'], 0)} % for {a}"
        found.append(f"{begun}: {known}, {odds}, {pair['gain']:.2g} nats expected.")
    return found


def agreement_words(ranked: Row) -> list[str]:
    """Say how far the other ranking agrees."""
    other = ranked.get("against")
    if not other:
        return []
    what = {"votes": "the votes of", "rank": "the ranking of", "audit": "the audit of"}
    by = f" (mean {other['metric'].upper()} by {other['judge']})" if other["metric"] else ""
    found = []
    for key, name in (("kendall", "Kendall's tau"), ("spearman", "Spearman's rho")):
        figure = other[key]
        why = f" ({figure['why']})" if figure.get("why") else ""
        found.append(f"{name} {words.amount(figure)}{why}")
    policies = words.counted(len(other["policies"]), "policy")
    told = [
        f"With {what[other['kind']]} {other['path']}{by}, on {policies}: {words.listing(found)}."
    ]
    if other["swapped"]:
        pairs = [f"{words.quoted(a)} above {words.quoted(b)}" for a, b in other["swapped"]]
        told.append(f"Here but not there: {words.some(pairs)}.")
    for key, where in (("only_here", "there"), ("only_there", "here")):
        if other[key]:
            told.append(f"Without a rank {where}: {words.some(other[key])}.")
    return [*told, *other.get("alarms", ())]


def judges_of(ranked: Row) -> dict[str, Row]:
    """Return the judge of the other ranking as its audit describes it; none without an audit."""
    judge = (ranked.get("against") or {}).get("described")
    return {judge["name"]: judge} if judge else {}


def notes(ranked: Row) -> list[str]:
    """Return how the numbers were made."""
    asked = ranked["settings"]
    level = f"{100 * ranked['level']:g} %"
    found = [
        _MODEL,
        f"Intervals hold {level}; how they were made: {ranked['interval'] or 'there are none'}.",
        _ties(ranked, asked),
    ]
    if any(row["low"] is None and row["beta"] is not None for row in ranked["policies"]):
        found.append(f"{words.FEW} no interval: fewer than 5 votes, or clusters of votes.")
    if ranked["input"]["ignored"]:
        found.append(f"Columns that were not read: {words.listing(ranked['input']['ignored'])}.")
    return found


def _ties(ranked: Row, asked: Row) -> str:
    ties = ranked["votes"] - ranked["decisive"]
    if not ties:
        return "No vote is a tie."
    counted = words.counted(ties, "tie")
    if asked["ties"] == "exclude":
        return f"{counted} left out of the fit."
    nu = "" if ranked["nu"] is None else f", nu = {ranked['nu']:.3g}"
    return f"{counted} counted by Davidson's model{nu}."
