"""What each method behind judges against people is, its paper, and what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.reports._held import held
from assay.reports._methods import BOUND, Key, Method, methods_in

__all__ = ["METHODS", "methods_of"]

_CORRELATIONS = held("pearson", "spearman", "kendall")
_MEANS = held("mean", "mean, open range")
_ASSISTED = held(
    *("labels and judge", "labels alone", "labels and judge, by task", "labels alone, by task")
)
_ALPHA = held("alpha ordinal", "alpha interval")
_KAPPA = held("cohen", "weighted cohen", "fleiss")
_POWERED = (
    "Prediction-powered mean with power tuning, and the mean of labels alone, both by the"
    " studentised bootstrap within parts"
)
_BY_RULE = "A bound by rule: it takes the disagreement by chance as it was seen."

METHODS: Mapping[Key, Method] = {
    ("correlation", "jackknife by episode, Fisher's z"): Method(
        "Each episode left out in turn, on Fisher's z",
        "Tukey (1958); Fisher (1915)",
        _CORRELATIONS,
        "metrics.correlation.associate",
    ),
    ("line and lift", "jackknife by episode"): Method(
        "Each episode left out in turn",
        "Tukey (1958)",
        held("slope", "intercept", "gain"),
        "metrics.correlation.associate",
    ),
    ("error and bias", "bootstrap-t"): Method(
        "Studentised bootstrap of a mean over episodes",
        "Efron (1981); Hall (1988)",
        _MEANS,
        "metrics.intervals.mean_interval",
    ),
    ("error and bias", "exact bound"): Method(
        BOUND,
        "",
        _MEANS,
        "metrics.intervals.mean_interval",
    ),
    ("labels and judge", "bootstrap-t"): Method(
        _POWERED,
        "Angelopoulos et al. (2023); Angelopoulos, Duchi and Zrnic (2023); Cochran (1977)",
        _ASSISTED,
        "metrics.assisted.assist",
    ),
    ("labels and judge", "exact bound"): Method(
        BOUND,
        "",
        _ASSISTED,
        "metrics.assisted.assist",
    ),
    ("worth", "of the correlation: jackknife by episode, Fisher's z"): Method(
        "n / (1 - r^2 N / (n + N)) labels, at the ends of the interval of the correlation r",
        "Cochran (1977)",
        held("effective"),
        "metrics.assisted.assist",
    ),
    ("judge alone", "bootstrap-t"): Method(
        "Studentised bootstrap of the judge's own mean",
        "Efron (1981); Hall (1988)",
        f"It holds for the mean of the judge's figures, not for what they stand for. {_MEANS}",
        "metrics.intervals.mean_interval",
    ),
    ("judge alone", "exact bound"): Method(
        BOUND,
        "",
        _MEANS,
        "metrics.intervals.mean_interval",
    ),
    ("judge alone", "wilson"): Method(
        "Wilson's score interval of a share",
        "Wilson (1927)",
        held("share"),
        "metrics.intervals.share_interval",
    ),
    ("ICC(1)", "jackknife by episode, Fisher's z"): Method(
        "One-way intraclass correlation, each episode left out in turn, on Fisher's z",
        "Shrout and Fleiss (1979); Fisher (1925); Tukey (1958)",
        held("icc"),
        "metrics.raters.agree",
    ),
    ("alpha", "bootstrap-t"): Method(
        "Krippendorff's alpha, episodes drawn again, studentised",
        "Krippendorff (2011); Hayes and Krippendorff (2007); Efron (1981)",
        _ALPHA,
        "metrics.krippendorff.krippendorff_alpha",
    ),
    ("alpha", "bound"): Method(
        BOUND,
        "",
        _BY_RULE,
        "metrics.krippendorff.krippendorff_alpha",
    ),
    ("kappa", "bootstrap-t"): Method(
        "Kappa, episodes drawn again, studentised",
        "Cohen (1960, 1968); Fleiss (1971); Efron (1981)",
        _KAPPA,
        "metrics.kappa.cohen_kappa",
    ),
    ("kappa", "bound"): Method(
        BOUND,
        "",
        _BY_RULE,
        "metrics.kappa.cohen_kappa",
    ),
    ("one rater against the others", "bootstrap-t"): Method(
        "Each rater in turn plays the judge; episodes drawn again, studentised",
        "Efron (1981, 1982)",
        held("ceiling of scores"),
        "metrics.ceiling.score_ceiling",
    ),
}
"""By kind and name: what it is, its citation, and its coverage."""

_KINDS = {
    "pearson": "correlation",
    "spearman": "correlation",
    "kendall": "correlation",
    "slope": "line and lift",
    "intercept": "line and lift",
    "lift": "line and lift",
    "error": "error and bias",
    "bias": "error and bias",
}


def methods_of(compared: Mapping[str, Any]) -> list[tuple[Key, Method]]:
    """Return every method that stands in the document, once, with its line."""
    return methods_in(_used(compared), METHODS)


def _used(compared: Mapping[str, Any]) -> Iterator[Key]:
    for row in compared["rows"]:
        for part, kind in _KINDS.items():
            yield from _named(kind, row[part])
    for row in compared.get("assisted") or ():
        for part in ("mean", "alone"):
            yield from _named("labels and judge", row[part])
        yield from _named("correlation", row["correlation"])
        yield from _named("worth", row["effective_labels"])
        yield from _named("judge alone", row["judge_alone"])
    agreement = compared["human"]["agreement"]
    if agreement:
        yield from _named("ICC(1)", agreement["icc"])
        yield from _named("alpha", agreement.get("alpha"))
        yield from _named("kappa", agreement.get("kappa"))
        one_out = agreement.get("one_out") or {"mean": None, "raters": ()}
        for figure in (one_out["mean"], *one_out["raters"]):
            yield from _named("one rater against the others", figure)


def _named(kind: str, figure: Mapping[str, Any] | None) -> Iterator[Key]:
    if figure and figure.get("method"):
        yield kind, str(figure["method"])
