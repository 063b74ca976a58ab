"""What each method behind a comparison of policies is, its paper, and what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.reports._difference_words import family_size
from assay.reports._held import held
from assay.reports._methods import BOUND, Key, Method, methods_in

__all__ = ["METHODS", "methods_of"]

_HALL = "Hall (1988); Cameron, Gelbach and Miller (2008)"
_COHEN = "Cohen (1988); Hedges (1981)"
_BETTER = "Brunner and Munzel (2000); Korn and Graubard (1998); Agarwal et al. (2021)"
_EXACT = "Exact: its error is at most the nominal one by construction."
_FLIPS = "Exact when the two policies could change places in every scene, else in the limit."
_T_POWER = "Where it says 80 %, 75 to 91 % was measured (tests/proof/difference_coverage.py)."
_BOSCHLOO = "Where it says 80 %, 79 to 87 % was measured (tests/proof/difference_coverage.py)."
METHODS: Mapping[Key, Method] = {
    ("mean", "bootstrap-t"): Method(
        "Studentised bootstrap of a mean over episodes",
        "Efron (1981); Hall (1988)",
        held("mean"),
        "metrics.intervals.mean_interval",
    ),
    ("mean", "exact bound"): Method(
        BOUND,
        "",
        held("mean"),
        "metrics.intervals.mean_interval",
    ),
    ("mean", "wilson"): Method(
        "Wilson's score interval of a share",
        "Wilson (1927)",
        held("share"),
        "metrics.intervals.share_interval",
    ),
    ("paired", "bootstrap-t"): Method(
        "Studentised bootstrap of the mean difference over scenes, tasks weighted",
        _HALL,
        held("paired difference"),
        "metrics.differences.paired_difference",
    ),
    ("unpaired", "bootstrap-t"): Method(
        "Studentised bootstrap of the difference of means, drawn within tasks",
        f"{_HALL}; Zou and Donner (2008)",
        held("unpaired difference"),
        "metrics.differences.unpaired_difference",
    ),
    ("paired", "exact bound"): Method(
        BOUND,
        "",
        held("paired difference"),
        "metrics.differences.paired_difference",
    ),
    ("unpaired", "exact bound"): Method(
        BOUND,
        "",
        held("unpaired difference"),
        "metrics.differences.unpaired_difference",
    ),
    ("paired", "tango"): Method(
        "Tango's score interval of the difference of paired shares",
        "Tango (1998)",
        held("paired share difference"),
        "metrics.share_differences.paired_share_difference",
    ),
    ("unpaired", "miettinen-nurminen"): Method(
        "Miettinen's and Nurminen's score interval of the difference of shares, by task",
        "Miettinen and Nurminen (1985)",
        held("unpaired share difference"),
        "metrics.share_differences.unpaired_share_difference",
    ),
    ("test", "exact sign flips"): Method(
        "All ways to flip the signs of the paired differences",
        "Fisher (1935)",
        _FLIPS,
        "metrics.permutations.flip_signs",
    ),
    ("test", "sign flips"): Method(
        "Signs of the paired differences flipped at random",
        "Fisher (1935); Phipson and Smyth (2010)",
        _FLIPS,
        "metrics.permutations.flip_signs",
    ),
    ("test", "exact permutation"): Method(
        "All ways to swap episodes between the policies within tasks, studentised",
        "Janssen (1997); Chung and Romano (2013)",
        "Exact when the distributions are equal, else in the limit.",
        "metrics.permutations.swap_labels",
    ),
    ("test", "permutation"): Method(
        "Episodes swapped between the policies at random within tasks, studentised",
        "Janssen (1997); Chung and Romano (2013); Phipson and Smyth (2010)",
        "Exact when the distributions are equal, else in the limit.",
        "metrics.permutations.swap_labels",
    ),
    ("test", "exact mcnemar"): Method(
        "McNemar's exact test of paired outcomes",
        "McNemar (1947)",
        _EXACT,
        "metrics.exact_tests.mcnemar",
    ),
    ("test", "boschloo"): Method(
        "Boschloo's exact test of two shares",
        "Boschloo (1970)",
        _EXACT,
        "metrics.exact_tests.boschloo",
    ),
    ("test", "exact stratified"): Method(
        "The exact test of two shares given each task's total of successes",
        "Birch (1964); Cochran (1954)",
        _EXACT,
        "metrics.exact_tests.stratified",
    ),
    ("test", "score"): Method(
        "The pooled score test of two shares, where an exact one would take too long",
        "Pearson (1900)",
        "Right in the limit of many episodes.",
        "metrics.share_differences.unpaired_share_difference",
    ),
    ("effect", "sandwich or bootstrap-t"): Method(
        "The difference in standard deviations, corrected for few; the wider of two intervals",
        _COHEN,
        held("paired effect", "unpaired effect"),
        "metrics.effects.standardised",
    ),
    ("improvement", "score, effective n"): Method(
        "P(a > b) + P(a = b) / 2, with a score interval",
        _BETTER,
        held("paired improvement", "unpaired improvement"),
        "metrics.effects.improvement",
    ),
    ("improvement", "exact bound"): Method(
        BOUND,
        "",
        held("paired improvement", "unpaired improvement"),
        "metrics.effects.improvement",
    ),
    ("needed", "noncentral t"): Method(
        "Pairs for the wanted power of the paired t test; quartiles over pilots drawn again",
        "Cohen (1988)",
        _T_POWER,
        "metrics.power.needed_pairs",
    ),
    ("needed", "noncentral t, Welch"): Method(
        "Episodes for the wanted power of Welch's test; quartiles over pilots drawn again",
        "Welch (1938)",
        _T_POWER,
        "metrics.power.needed_episodes",
    ),
    ("needed", "exact mcnemar"): Method(
        "Pairs for the wanted power of McNemar's test; quartiles over pilots drawn again",
        "Duffy (1984)",
        "The power is computed exactly.",
        "metrics.success_power.needed_pairs_of_success",
    ),
    ("needed", "normal limit of boschloo"): Method(
        "Episodes for the wanted power of two shares; quartiles over pilots drawn again",
        "Fleiss, Levin and Paik (2003)",
        _BOSCHLOO,
        "metrics.success_power.needed_episodes_of_success",
    ),
    ("drop", "bootstrap-t"): Method(
        "Studentised bootstrap over scenes; of the relative drop by Fieller's argument",
        "Hall (1988); Fieller (1954)",
        held("mean", "drop", "relative drop"),
        "metrics.robustness.paired_drop",
    ),
    ("drop", "exact bound"): Method(
        BOUND,
        "",
        held("mean", "drop"),
        "metrics.robustness.paired_drop",
    ),
    ("drop", "bound"): Method(
        "A bound for the scenes in which nothing was left",
        "",
        held("relative drop"),
        "metrics.robustness.paired_drop",
    ),
    ("many", "holm"): Method(
        "p adjusted over all metrics and pairs of policies; those of single tasks by themselves",
        "Holm (1979)",
        "One false claim or more in at most 1 - level of such reports.",
        "metrics.multiplicity.holm",
    ),
    ("many", "letters"): Method(
        "Policies share a letter exactly if they are not separable",
        "Piepho (2004)",
        "A picture of the tests: it adds no claim.",
        "metrics.multiplicity.letter_groups",
    ),
}
"""By kind and name: what it is, its citation, and its coverage."""


def methods_of(compared: Mapping[str, Any]) -> list[tuple[Key, Method]]:
    """Return every method that stands in the document, once, with its line."""
    return methods_in(_used(compared), METHODS)


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
