"""What each method behind a comparison of policies is, its paper, and what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from assay.reports._difference_words import family_size

__all__ = ["HELD", "METHODS", "methods_of"]

Key: TypeAlias = tuple[str, str]

_HALL = "Hall (1988); Cameron, Gelbach and Miller (2008)"
_COHEN = "Cohen (1988); Hedges (1981)"
_BETTER = "Brunner and Munzel (2000); Korn and Graubard (1998); Agarwal et al. (2021)"
_BOUND = "A bound for values without spread: what could differ unseen in n draws"
_EXACT = "Exact: its error is at most the nominal one by construction."
_FLIPS = "Exact when the two policies could change places in every scene, else in the limit."
_T_POWER = "Where it says 80 %, 75 to 91 % was measured (tests/proof/difference_coverage.py)."
_BOSCHLOO = "Where it says 80 %, 79 to 87 % was measured (tests/proof/difference_coverage.py)."
_RARE = "least at n = 20 for a rare collapse"

HELD: Mapping[str, tuple[float, float, str]] = {
    "mean": (87.7, 98.2, _RARE),
    "share": (92.2, 97.5, "least at n = 50 for a share of 2 %"),
    "paired difference": (87.0, 98.5, f"{_RARE} against a policy near 1"),
    "unpaired difference": (85.2, 97.8, f"{_RARE} against a policy near 1"),
    "paired effect": (85.8, 100.0, _RARE),
    "unpaired effect": (83.2, 100.0, _RARE),
    "paired improvement": (93.5, 98.0, ""),
    "unpaired improvement": (92.5, 97.8, "least at n = 200 for a rare collapse"),
    "paired share difference": (94.0, 98.8, ""),
    "unpaired share difference": (94.0, 98.8, ""),
    "drop": (91.3, 97.3, "least at n = 20 for equal success"),
    "relative drop": (91.3, 98.3, "least at n = 20 for equal success"),
}
"""How often an interval of nominal 95 % held the truth at n = 20, 50 and 200 [%]: least and most
over all populations of the campaigns, and where it was least if that is below 93. The intervals are
named as in tests/proof/measured, and a test holds these figures against it."""


def _held(*names: str) -> str:
    """Word the coverage that was measured."""
    least, most = min(HELD[name][0] for name in names), max(HELD[name][1] for name in names)
    weak = next((f", {HELD[name][2]}" for name in names if HELD[name][2]), "")
    return (
        f"Of nominal 95 %, {least:.1f} to {most:.1f} % held the truth from n = 20 on{weak}"
        " (docs/metrics.md, Coverage)."
    )


METHODS: Mapping[Key, tuple[str, str, str]] = {
    ("mean", "bootstrap-t"): (
        "Studentised bootstrap of a mean over episodes",
        "Efron (1981); Hall (1988)",
        _held("mean"),
    ),
    ("mean", "exact bound"): (_BOUND, "", _held("mean")),
    ("mean", "wilson"): ("Wilson's score interval of a share", "Wilson (1927)", _held("share")),
    ("paired", "bootstrap-t"): (
        "Studentised bootstrap of the mean difference over scenes, tasks weighted",
        _HALL,
        _held("paired difference"),
    ),
    ("unpaired", "bootstrap-t"): (
        "Studentised bootstrap of the difference of means, drawn within tasks",
        f"{_HALL}; Zou and Donner (2008)",
        _held("unpaired difference"),
    ),
    ("paired", "exact bound"): (_BOUND, "", _held("paired difference")),
    ("unpaired", "exact bound"): (_BOUND, "", _held("unpaired difference")),
    ("paired", "tango"): (
        "Tango's score interval of the difference of paired shares",
        "Tango (1998)",
        _held("paired share difference"),
    ),
    ("unpaired", "miettinen-nurminen"): (
        "Miettinen's and Nurminen's score interval of the difference of shares, by task",
        "Miettinen and Nurminen (1985)",
        _held("unpaired share difference"),
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
        _COHEN,
        _held("paired effect", "unpaired effect"),
    ),
    ("improvement", "score, effective n"): (
        "P(a > b) + P(a = b) / 2, with a score interval",
        _BETTER,
        _held("paired improvement", "unpaired improvement"),
    ),
    ("improvement", "exact bound"): (
        _BOUND,
        "",
        _held("paired improvement", "unpaired improvement"),
    ),
    ("needed", "noncentral t"): (
        "Pairs for the wanted power of the paired t test; quartiles over pilots drawn again",
        "Cohen (1988)",
        _T_POWER,
    ),
    ("needed", "noncentral t, Welch"): (
        "Episodes for the wanted power of Welch's test; quartiles over pilots drawn again",
        "Welch (1938)",
        _T_POWER,
    ),
    ("needed", "exact mcnemar"): (
        "Pairs for the wanted power of McNemar's test; quartiles over pilots drawn again",
        "Duffy (1984)",
        "The power is computed exactly.",
    ),
    ("needed", "normal limit of boschloo"): (
        "Episodes for the wanted power of two shares; quartiles over pilots drawn again",
        "Fleiss, Levin and Paik (2003)",
        _BOSCHLOO,
    ),
    ("drop", "bootstrap-t"): (
        "Studentised bootstrap over scenes; of the relative drop by Fieller's argument",
        "Hall (1988); Fieller (1954)",
        _held("mean", "drop", "relative drop"),
    ),
    ("drop", "exact bound"): (_BOUND, "", _held("mean", "drop")),
    ("drop", "bound"): (
        "A bound for the scenes in which nothing was left",
        "",
        _held("relative drop"),
    ),
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
