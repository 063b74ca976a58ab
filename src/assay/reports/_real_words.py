"""What simulation against reality comes to, in words: figures, sentences, and their methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.reports import words
from assay.reports._difference_words import title_of
from assay.reports._held import held
from assay.reports._methods import BOUND, Key, Method, methods_in

__all__ = [
    "FIGURES",
    "METHODS",
    "Number",
    "lead",
    "methods_of",
    "metric_of",
    "pairs_words",
    "ranks",
]

Row: TypeAlias = Mapping[str, Any]

_FUNCTION = "metrics.sim_real.compare_sim_real"
_SIDES = (("sim", "simulation"), ("real", "reality"))
_TIE = 1e-9  # as in `metrics.sim_real`


@dataclass(frozen=True)
class Number:
    """One figure: its key in the document, heading and meaning, and how it is worded."""

    key: str
    heading: str
    title: str
    word: Callable[[words.Estimate], str]


FIGURES = (
    Number(
        "pearson",
        "Pearson",
        "Linear correlation of the policies' means: 1 when reality is a straight line of"
        " simulation.",
        words.amount,
    ),
    Number(
        "spearman",
        "Spearman",
        "Linear correlation of the ranks: 1 when both sides have the same order.",
        words.amount,
    ),
    Number(
        "kendall",
        "Kendall",
        "Tau-b: pairs of policies in the same order less pairs in the opposite one, as a share.",
        words.amount,
    ),
    Number(
        "mmrv",
        "MMRV",
        "Mean maximum rank violation, in points of 0..100: how much real performance the worst"
        " wrong order of a policy costs, on average; 0 is right.",
        words.number,
    ),
)

METHODS: Mapping[Key, Method] = {
    ("mean", "bootstrap-t"): Method(
        "Studentised bootstrap of a mean over episodes",
        "Efron (1981); Hall (1988)",
        held("mean"),
        "metrics.intervals.mean_interval",
    ),
    ("mean", "exact bound"): Method(BOUND, "", held("mean"), "metrics.intervals.mean_interval"),
    ("mean", "wilson"): Method(
        "Wilson's score interval of a share",
        "Wilson (1927)",
        held("share"),
        "metrics.intervals.share_interval",
    ),
    ("Pearson", "wider bootstrap"): Method(
        "Episodes of each policy drawn again on each side; the wider of the studentised interval"
        " and the longer arm to both sides",
        "Efron (1981); Hall (1988)",
        held("sim and real pearson"),
        _FUNCTION,
    ),
    ("ranks", "orders left open"): Method(
        "Spearman's and Kendall's correlations of all orders that the means and their errors leave"
        " open",
        "Kendall (1945); Brandenburg, Gleissner and Hofmeier (2013)",
        held("sim and real spearman", "sim and real kendall"),
        _FUNCTION,
    ),
    ("MMRV", "symmetric bootstrap"): Method(
        "Episodes of each policy drawn again on each side, the longer arm to both sides, and down"
        " to what the wrong orders that are settled cost",
        "Li et al. (2024); Hall (1988)",
        held("sim and real mmrv"),
        _FUNCTION,
    ),
}
"""By kind and name: what it is, its citation, and its coverage."""


def methods_of(compared: Row) -> list[tuple[Key, Method]]:
    """Return every method that stands in the document, once, with its line."""
    return methods_in(_used(compared), METHODS)


def _used(compared: Row) -> Iterator[Key]:
    for row in compared["comparisons"]:
        for policy in row["policies"]:
            for side, _ in _SIDES:
                yield from _named("mean", policy[side])
        for number in FIGURES:
            kind = {"pearson": "Pearson", "mmrv": "MMRV"}.get(number.key, "ranks")
            yield from _named(kind, row[number.key])


def _named(kind: str, figure: Row | None) -> Iterator[Key]:
    if figure and figure.get("method"):
        yield kind, str(figure["method"])


def metric_of(compared: Row, name: str) -> Row:
    """Return the metric with that name, as the document has it."""
    found: Row = next(one for one in compared["metrics"] if one["name"] == name)
    return found


def ranks(metric: Row, row: Row, side: str) -> dict[str, float]:
    """Return the rank of each policy on a side, 1 for the best; ties share their mean rank."""
    sign = -1.0 if metric["up_is_good"] is False else 1.0
    means = {policy["name"]: sign * policy[side]["value"] for policy in row["policies"]}
    return {
        name: 1.0
        + sum(other > mean + _TIE for other in means.values())
        + (sum(abs(other - mean) <= _TIE for other in means.values()) - 1) / 2
        for name, mean in means.items()
    }


def pairs_words(row: Row) -> str:
    """Say how many pairs of policies are far enough apart to have an order."""
    return f"{row['resolved']} of {words.counted(row['pairs'], 'pair')}"


def lead(compared: Row) -> str:
    """Say of each metric how far simulation orders policies as reality does."""
    whole = [row for row in compared["comparisons"] if row["task"] is None]
    return " ".join(_sentence(compared, row) for row in whole)


def _sentence(compared: Row, row: Row) -> str:
    title = title_of(metric_of(compared, row["metric"]))
    if row["why"]:
        return f"Simulation and reality can't be compared by {title}: {row['why']}."
    count = words.counted(len(row["policies"]), "policy")
    cost = f"MMRV {words.number(row['mmrv'])} points"
    behind = f"{pairs_words(row)} told apart on both sides"
    if row["spearman"]["value"] is None:
        why = row["spearman"].get("why") or "undefined"
        return f"By {title}, {count}: no correlation ({why}), {cost}; {behind}."
    said = f"Simulation puts {count} in the order of reality by {title}"
    if row["mmrv"]["value"] > _TIE:
        said = f"Simulation puts {count} in another order than reality by {title}"
        if (row["spearman"]["high"] or 0.0) >= 1.0 - _TIE:
            said += ", though these episodes leave open that it is the same"
    return (
        f"{said}: rank correlation {words.amount(row['spearman'])}, Pearson"
        f" {words.amount(row['pearson'])}, {cost}; {behind}."
    )
