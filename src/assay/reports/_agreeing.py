"""Word how far the judges beside the main one agree with it; every number is the document's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from assay.reports import words

__all__ = [
    "ORDERED",
    "ORDER_HEADS",
    "closeness",
    "knowledge",
    "named",
    "order_notes",
    "order_rows",
    "ranked",
    "tau",
    "verdict",
    "verdicts",
    "widest",
]

Beside: TypeAlias = Mapping[str, Any]
Order: TypeAlias = Mapping[str, Any]

FIRM = 0.95
"""A pair that changes places in this share of resamples does so firmly."""

_SAME = 1e-9
_MANY = 8
_ORACLE = "oracle"
_KNOWLEDGE = {
    "ramp": "only looks at the clock",
    "last-frame": "takes every end for success",
    "constant": "gives every moment the same number",
    "random": "throws dice",
    "pixel-change": "only sees how far the picture is from the first one",
}

ORDERED = (
    "Policies are ordered by mean MP within each task, over the episodes that both judges scored. "
    "Tau-b is 1 for the same order and -1 for the reversed one; its 95 % interval spans all orders "
    "of these policies that the means and their errors leave open. Swapped: pairs that the judges "
    "put in opposite orders. Tied: pairs that only the main judge tells apart."
)
ORDER_HEADS = ("judge", "task", "policies", "tau-b", "swapped", "tied")


def knowledge(beside: Beside) -> str:
    """Say what a null judge or the oracle knows; empty for a judge that looks."""
    if beside["judge"]["name"] == _ORACLE:
        return "knows the truth"
    if not beside["is_null"]:
        return ""
    return _KNOWLEDGE.get(beside["judge"]["name"], "sees neither frames nor signals")


def named(beside: Beside) -> str:
    """Name a judge and say what it knows: "ramp, a null judge that only looks at the clock"."""
    known = knowledge(beside)
    name = str(beside["judge"]["name"])
    which = "a null judge that" if beside["is_null"] else "which"
    return f"{name}, {which} {known}" if known else name


def verdict(beside: Beside) -> str:
    """Say what becomes of the order of policies, without a full stop."""
    told = f"judged by {named(beside)},"
    pairs = sum(order["pairs"] for order in beside["orders"])
    swapped = [swap for order in beside["orders"] for swap in order["swapped"]]
    tied = sum(len(order["tied"]) for order in beside["orders"])
    if not pairs:
        return f"{told} no two policies of a task can be compared"
    one, whole = "the one pair of policies", f"{pairs} pairs of policies"
    if tied == pairs:
        return (
            f"{told} {one if pairs == 1 else f'all {whole}'} {_tied(pairs, bare=True)} by mean MP"
        )
    if not swapped:
        kept = f"{one} keeps its order" if pairs == 1 else f"none of {whole} changes places"
        return f"{told} {kept} by mean MP{f', but {_tied(tied)}' if tied else ''}"
    changes = f"change{'s' * (len(swapped) == 1)} places by mean MP{_firmly(swapped)}"
    moved = one if pairs == 1 else f"{len(swapped)} of {whole}"
    return f"{told} {moved} {changes}{f', and {_tied(tied)}' if tied else ''}"


def verdicts(audit: Mapping[str, Any]) -> list[str]:
    """Return the one sentence of the opening on all judges beside the main one, if there are."""
    found = [verdict(beside) for beside in audit.get("beside") or ()]
    if not found:
        return []
    whole = "; ".join(found)
    return [f"{whole[0].upper()}{whole[1:]}."]


def widest(audit: Mapping[str, Any], beside: Beside) -> str:
    """Tell of the pair that changes places most surely, then most widely; empty without one."""
    found = [(order["task"], swap) for order in beside["orders"] for swap in order["swapped"]]
    if not found:
        return ""
    task, swap = max(found, key=lambda pair: (pair[1]["share"] or 0.0, _gap(pair[1])))
    one, two = swap["policies"]
    first, second = ([words.points(v, 2) for v in swap[who]] for who in ("main", "beside"))
    share = swap["share"]
    sure = "" if share is None else f", and so in {100 * share:.1f} % of resamples"
    return (
        f"Most surely so on {words.quoted(task)}: {audit['judge']['name']} puts {one} above {two} "
        f"({first[0]} against {first[1]}), {beside['judge']['name']} puts {two} above {one} "
        f"({second[1]} against {second[0]}){sure}."
    )


def closeness(audit: Mapping[str, Any], beside: Beside) -> str:
    """Say how far the curves lie apart."""
    apart, main = beside["difference"], audit["judge"]["name"]
    if words.reason(apart):
        return f"No episode has a curve of this judge and one of {main}."
    return (
        f"From moment to moment its curves lie {words.number(apart)} points ({words.count(apart)}) "
        f"away from those of {main}, on average."
    )


def ranked(order: Order, who: str) -> str:
    """Write the order of policies by one judge: "a > b = c"; "" for too many to read.

    Args:
        order: The order of a task.
        who: "main" or "beside".
    """
    places = sorted(order["policies"], key=lambda place: (-place[who], place["policy"]))
    if len(places) > _MANY:
        return ""
    ties: list[list[str]] = []
    last = 2.0
    for place in places:
        if last - place[who] > _SAME:
            ties.append([])
        ties[-1].append(str(place["policy"]))
        last = place[who]
    return " > ".join(" = ".join(names) for names in ties)


def tau(order: Order) -> str:
    """Word the agreement of two orders: "0.8 [0.6, 1]", or "n/a"."""
    return words.amount(order["tau"])


def order_rows(audit: Mapping[str, Any]) -> list[list[str]]:
    """Return a row of texts per judge and task, for tables under `ORDER_HEADS`."""
    return [
        [
            str(beside["judge"]["name"]),
            str(order["task"]),
            str(len(order["policies"])),
            tau(order),
            f"{len(order['swapped'])} of {order['pairs']}",
            f"{len(order['tied'])} of {order['pairs']}",
        ]
        for beside in audit.get("beside") or ()
        for order in beside["orders"]
    ]


def order_notes(audit: Mapping[str, Any]) -> list[str]:
    """Return what a table of `order_rows` needs below it: its meaning, and what is missing."""
    taus = (order["tau"] for beside in audit.get("beside") or () for order in beside["orders"])
    reasons = dict.fromkeys(tau["why"] for tau in taus if tau.get("why"))
    return [f"Beside other judges. {ORDERED}", *(f"No tau-b or no interval: {w}." for w in reasons)]


def _firmly(swapped: Sequence[Mapping[str, Any]]) -> str:
    """Say how many swaps most resamples have too; empty where some were not resampled."""
    shares = [swap["share"] for swap in swapped]
    if None in shares:
        return ""
    if len(shares) == 1:
        return f" (in {100 * shares[0]:.0f} % of resamples)"
    firm = sum(share >= FIRM for share in shares)
    return f" ({firm} of them in at least {100 * FIRM:.0f} % of resamples)"


def _tied(count: int, *, bare: bool = False) -> str:
    is_are = f"{'is' if count == 1 else 'are'} tied"
    return is_are if bare else f"{count} {is_are}"


def _gap(swap: Mapping[str, Sequence[float]]) -> float:
    return swap["main"][0] - swap["main"][1]
