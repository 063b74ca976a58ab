"""What each method behind a ranking is, its paper, and what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.reports._held import held
from assay.reports._methods import Key, Method, methods_in

__all__ = ["METHODS", "methods_of"]

_RANK = "metrics.preference.ranking.rank_policies"
_AGREE = "metrics.preference.agreeing.agree_rankings"

METHODS: Mapping[Key, Method] = {
    ("strength", "sandwich"): Method(
        "Bradley's and Terry's model, by Newton's method on counts; errors that do not trust it",
        "Bradley and Terry (1952); Huber (1967)",
        held("strength, sandwich"),
        _RANK,
    ),
    ("strength", "davidson"): Method(
        "Davidson's model of ties, with errors that do not trust it",
        "Davidson (1970); Huber (1967)",
        held("strength, davidson"),
        _RANK,
    ),
    ("strength", "clustered"): Method(
        "The same with the votes of one rater, or of one scene, taken together",
        "Liang and Zeger (1986)",
        held("strength, clustered"),
        _RANK,
    ),
    ("strength", "regularised"): Method(
        "A fit that draws all strengths a little to 0, with errors from the curvature of its"
        " likelihood",
        "Bradley and Terry (1952)",
        held("strength, regularised"),
        _RANK,
    ),
    ("pairs", "difference of strengths"): Method(
        "The difference of two strengths with the covariance of both; p by Holm over all pairs",
        "Huber (1967); Holm (1979)",
        held("pair of strengths"),
        _RANK,
    ),
    ("ranks left open", "tests of pairs"): Method(
        "All ranks that the tests of pairs, adjusted by Holm, do not rule out",
        "Mogstad, Romano, Shaikh and Wilhelm (2024); Holm (1979)",
        held("ranks left open"),
        "metrics.preference.tiers.rank_limits",
    ),
    ("first", "resamples"): Method(
        "The share of resamples of the votes in which a policy is first",
        "Efron (1979)",
        "It is no probability that the policy is the best.",
        "metrics.preference.bootstrap.resample_strengths",
    ),
    ("another ranking", "orders left open"): Method(
        "Kendall's and Spearman's correlations of all orders that both rankings leave open",
        "Kendall (1945); Brandenburg, Gleissner and Hofmeier (2013)",
        held("rankings, tau", "rankings, rho"),
        _AGREE,
    ),
    ("next pair", "information"): Method(
        "How much a vote on a pair is expected to tell of all strengths, in nats",
        "Lindley (1956)",
        "It is advice, and claims nothing.",
        "metrics.preference.planning.next_pairs",
    ),
}
"""By kind and name: what it is, its citation, and its coverage."""


def methods_of(ranked: Mapping[str, Any]) -> list[tuple[Key, Method]]:
    """Return every method that stands in the document, once, with its line."""
    return methods_in(_used(ranked), METHODS)


def _used(ranked: Mapping[str, Any]) -> Iterator[Key]:
    asked = ranked["settings"]
    if ranked["interval"]:
        if asked["regularise"]:
            yield "strength", "regularised"
        else:
            yield "strength", "davidson" if asked["ties"] == "davidson" else "sandwich"
        if asked["cluster"]:
            yield "strength", "clustered"
    if ranked["pairs"]:
        yield "pairs", "difference of strengths"
        yield "ranks left open", "tests of pairs"
    if any(row.get("first") is not None for row in ranked["policies"]):
        yield "first", "resamples"
    other = ranked.get("against")
    if other and any(other[key]["low"] is not None for key in ("kendall", "spearman")):
        yield "another ranking", "orders left open"
    if ranked.get("next"):
        yield "next pair", "information"
