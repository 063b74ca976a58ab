"""What each method behind a comparison of policies is, its paper, and what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from assay.reports._difference_words import family_size

__all__ = ["METHODS", "methods_of"]

Key: TypeAlias = tuple[str, str]

_PAIRED = (
    "Of nominal 95 %, 0.935 to 0.983 held the truth at n = 20 to 200; 0.872 for a rare collapse"
    " against a policy near 1 at n = 20"
)
_UNPAIRED = (
    "Of nominal 95 %, 0.940 to 0.973 held the truth at n = 20 to 200; 0.864 for a rare collapse"
    " against a policy near 1 at n = 20"
)
_MEANS = "Of nominal 95 %, 0.939 or more from n = 10 on, but for a rare collapse"
_BY = "(tests/proof/difference_coverage.py)"
_HALL = "Hall (1988); Cameron, Gelbach and Miller (2008)"
_BOUND = "A bound for values without spread: what could differ unseen in n draws."
_EXACT = "Exact: its error is at most the nominal one by construction."
_FLIPS = "Exact when the two policies could change places in every scene, else in the limit."
_DROPS = "Measured by tests/proof/agreement_coverage.py."
_T_POWER = "Where it says 0.80, 0.76 to 0.91 was measured"

METHODS: Mapping[Key, tuple[str, str, str]] = {
    ("mean", "bootstrap-t"): (
        "Studentised bootstrap of a mean over episodes",
        "Efron (1981); Hall (1988)",
        f"{_MEANS} (docs/metrics.md).",
    ),
    ("mean", "exact bound"): (_BOUND.rstrip("."), "", f"{_MEANS} (docs/metrics.md)."),
    ("mean", "wilson"): (
        "Wilson's score interval of a share",
        "Wilson (1927)",
        "Of nominal 95 %, more than 0.91 at n = 5 to 50 (docs/metrics.md).",
    ),
    ("paired", "bootstrap-t"): (
        "Studentised bootstrap of the mean difference over scenes, tasks weighted",
        _HALL,
        f"{_PAIRED} {_BY}.",
    ),
    ("unpaired", "bootstrap-t"): (
        "Studentised bootstrap of the difference of means, drawn within tasks",
        f"{_HALL}; Zou and Donner (2008)",
        f"{_UNPAIRED} {_BY}.",
    ),
    ("paired", "exact bound"): (_BOUND.rstrip("."), "", f"{_PAIRED} {_BY}."),
    ("unpaired", "exact bound"): (_BOUND.rstrip("."), "", f"{_UNPAIRED} {_BY}."),
    ("paired", "tango"): (
        "Tango's score interval of the difference of paired shares",
        "Tango (1998)",
        f"Of nominal 95 %, 0.948 to 0.992 held the truth {_BY}.",
    ),
    ("unpaired", "miettinen-nurminen"): (
        "Miettinen's and Nurminen's score interval of the difference of shares, by task",
        "Miettinen and Nurminen (1985)",
        f"Of nominal 95 %, 0.945 to 0.982 held the truth {_BY}.",
    ),
    ("test", "exact sign flips"): (
        "All ways to flip the signs of the paired differences",
        "Fisher (1935)",
        _FLIPS,
    ),
    ("test", "sign flips"): (
        "Signs of the paired differences flipped at random",
        "Fisher (1935); Phipson and Smyth (2010)",
        _FLIPS,
    ),
    ("test", "exact permutation"): (
        "All ways to swap episodes between the policies within tasks, studentised",
        "Janssen (1997); Chung and Romano (2013)",
        "Exact when the distributions are equal, else in the limit.",
    ),
    ("test", "permutation"): (
        "Episodes swapped between the policies at random within tasks, studentised",
        "Janssen (1997); Chung and Romano (2013); Phipson and Smyth (2010)",
        "Exact when the distributions are equal, else in the limit.",
    ),
    ("test", "exact mcnemar"): (
        "McNemar's exact test of paired outcomes",
        "McNemar (1947)",
        _EXACT,
    ),
    ("test", "boschloo"): ("Boschloo's exact test of two shares", "Boschloo (1970)", _EXACT),
    ("test", "exact stratified"): (
        "The exact test of two shares given each task's total of successes",
        "Birch (1964); Cochran (1954)",
        _EXACT,
    ),
    ("test", "score"): (
        "The pooled score test of two shares, where an exact one would take too long",
        "Pearson (1900)",
        "Right in the limit of many episodes.",
    ),
    ("effect", "sandwich or bootstrap-t"): (
        "The difference in standard deviations, corrected for few; the wider of two intervals",
        "Cohen (1988); Hedges (1981)",
        "As wide as the interval of the difference, or wider.",
    ),
    ("improvement", "score, effective n"): (
        "P(a > b) + P(a = b) / 2, with a score interval",
        "Brunner and Munzel (2000); Korn and Graubard (1998); Agarwal et al. (2021)",
        f"Of nominal 95 %, 0.937 to 0.978 held the truth {_BY}.",
    ),
    ("improvement", "exact bound"): (
        _BOUND.rstrip("."),
        "",
        f"Of nominal 95 %, 0.937 to 0.978 held the truth {_BY}.",
    ),
    ("needed", "noncentral t"): (
        "Pairs for the wanted power of the paired t test; quartiles over pilots drawn again",
        "Cohen (1988)",
        f"{_T_POWER} {_BY}.",
    ),
    ("needed", "noncentral t, Welch"): (
        "Episodes for the wanted power of Welch's test; quartiles over pilots drawn again",
        "Welch (1938)",
        f"{_T_POWER} {_BY}.",
    ),
    ("needed", "exact mcnemar"): (
        "Pairs for the wanted power of McNemar's test; quartiles over pilots drawn again",
        "Duffy (1984)",
        "The power is computed exactly.",
    ),
    ("needed", "normal limit of boschloo"): (
        "Episodes for the wanted power of two shares; quartiles over pilots drawn again",
        "Fleiss, Levin and Paik (2003)",
        f"The power of Boschloo's test itself stands beside it in the proof {_BY}.",
    ),
    ("drop", "bootstrap-t"): (
        "Studentised bootstrap over scenes; of the relative drop by Fieller's argument",
        "Hall (1988); Fieller (1954)",
        _DROPS,
    ),
    ("drop", "exact bound"): (_BOUND.rstrip("."), "", _DROPS),
    ("drop", "bound"): ("A bound for the scenes in which nothing was left", "", _DROPS),
    ("many", "holm"): (
        "p adjusted over all metrics and pairs of policies; those of single tasks by themselves",
        "Holm (1979)",
        "One false claim or more in at most 1 - level of such reports.",
    ),
    ("many", "letters"): (
        "Policies share a letter exactly if they are not separable",
        "Piepho (2004)",
        "A picture of the tests: it adds no claim.",
    ),
}
"""By kind and name: what it is, its citation, and its coverage."""


def methods_of(compared: Mapping[str, Any]) -> list[tuple[Key, tuple[str, str, str]]]:
    """Return every method that stands in the document, once, with its line."""
    used = set(_used(compared))
    unknown = sorted(used - METHODS.keys())
    told = [(key, line) for key, line in METHODS.items() if key in used]
    return [*told, *((key, ("no line is written of it", "", "")) for key in unknown)]


def _used(compared: Mapping[str, Any]) -> Iterator[Key]:
    for policy in compared["policies"]:
        for estimate in policy["estimates"].values():
            yield from _named("mean", estimate)
    for row in compared["comparisons"]:
        yield from _of_row(row)
    for row in compared["drops"]:
        for part in ("control", "perturbed", "drop", "relative"):
            yield from _named("drop", row[part])
    if max(family_size(compared, is_task=task) for task in (False, True)) > 1:
        yield "many", "holm"
    if len(compared["policies"]) > 2:
        yield "many", "letters"


def _of_row(row: Mapping[str, Any]) -> Iterator[Key]:
    yield from _named("needed", row["needed"])
    found = row["difference"]
    if found is None:
        return
    yield from _named("paired" if found["paired"] else "unpaired", found)
    if found["test"]:
        yield "test", found["test"]
    for part in ("effect", "improvement"):
        yield from _named(part, found[part])


def _named(kind: str, figure: Mapping[str, Any] | None) -> Iterator[Key]:
    if figure and figure.get("method"):
        yield kind, str(figure["method"])
