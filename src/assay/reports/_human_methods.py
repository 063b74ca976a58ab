"""What each method behind judges against people is, its paper, and what was measured of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

__all__ = ["METHODS", "method_words", "methods_of"]

Key: TypeAlias = tuple[str, str]
Line: TypeAlias = tuple[str, str, str]

_CORRELATIONS = (
    "Of nominal 95 %, 0.93 to 0.96 held the truth for Pearson at n = 20 and 50, 0.94 to 0.99 for"
    " orders (tests/proof/correlation_coverage.py)."
)
_MEANS = "Of nominal 95 %, 0.939 or more from n = 10 on, but for a rare collapse (docs/metrics.md)."
_ASSISTED = (
    "Of nominal 95 %, 0.943 to 0.993 held the truth at 20 to 200 labels, and 0.920 to 0.970 by"
    " task; 0.853 at 20 labels where the judge overlooks a failure in one of ten episodes"
    " (tests/proof/assisted_coverage.py, parts_coverage.py)."
)
_BY = "(tests/proof/agreement_coverage.py)"
_ALPHA = f"Of nominal 95 %, 0.930 to 0.990 held the truth at n = 20 and 50 {_BY}."
_KAPPA = f"Of nominal 95 %, 0.920 to 0.993 held the truth at n = 20 and 50 {_BY}."
_CEILING = f"Of nominal 95 %, 0.940 to 0.975 held the truth at n = 20 to 200 {_BY}."
_ICC = (
    "Of nominal 95 %, 0.910 to 0.960 held the truth at n = 20 to 200"
    " (tests/proof/correlation_coverage.py)."
)
_LINE = (
    "Of nominal 95 %, 0.910 to 0.953 held the truth of the lift at n = 20 to 200"
    " (tests/proof/correlation_coverage.py)."
)
_POWERED = (
    "Prediction-powered mean with power tuning, and the mean of labels alone, both by the"
    " studentised bootstrap within parts"
)
_BOUND = "A bound for values without spread: what could differ unseen in n draws"
_BY_RULE = "A bound by rule: it takes the disagreement by chance as it was seen."

METHODS: Mapping[Key, Line] = {
    ("correlation", "jackknife by episode, Fisher's z"): (
        "Each episode left out in turn, on Fisher's z",
        "Tukey (1958); Fisher (1915)",
        _CORRELATIONS,
    ),
    ("line and lift", "jackknife by episode"): (
        "Each episode left out in turn",
        "Tukey (1958)",
        _LINE,
    ),
    ("error and bias", "bootstrap-t"): (
        "Studentised bootstrap of a mean over episodes",
        "Efron (1981); Hall (1988)",
        _MEANS,
    ),
    ("error and bias", "exact bound"): (_BOUND, "", _MEANS),
    ("labels and judge", "bootstrap-t"): (
        _POWERED,
        "Angelopoulos et al. (2023); Angelopoulos, Duchi and Zrnic (2023); Cochran (1977)",
        _ASSISTED,
    ),
    ("labels and judge", "exact bound"): (_BOUND, "", _ASSISTED),
    ("worth", "of the correlation: jackknife by episode, Fisher's z"): (
        "n / (1 - r^2 N / (n + N)) labels, at the ends of the interval of the correlation r",
        "Cochran (1977)",
        _CORRELATIONS,
    ),
    ("judge alone", "bootstrap-t"): (
        "Studentised bootstrap of the judge's own mean",
        "Efron (1981); Hall (1988)",
        f"It holds for the mean of the judge's figures, not for what they stand for. {_MEANS}",
    ),
    ("judge alone", "exact bound"): (_BOUND, "", _MEANS),
    ("judge alone", "wilson"): (
        "Wilson's score interval of a share",
        "Wilson (1927)",
        "Of nominal 95 %, more than 0.91 at n = 5 to 50 (docs/metrics.md).",
    ),
    ("ICC(1)", "jackknife by episode"): (
        "One-way intraclass correlation, each episode left out in turn",
        "Shrout and Fleiss (1979); Tukey (1958)",
        _ICC,
    ),
    ("alpha", "bootstrap-t"): (
        "Krippendorff's alpha, episodes drawn again, studentised",
        "Krippendorff (2011); Hayes and Krippendorff (2007); Efron (1981)",
        _ALPHA,
    ),
    ("alpha", "bound"): (_BOUND, "", _BY_RULE),
    ("kappa", "bootstrap-t"): (
        "Kappa, episodes drawn again, studentised",
        "Cohen (1960, 1968); Fleiss (1971); Efron (1981)",
        _KAPPA,
    ),
    ("kappa", "bound"): (_BOUND, "", _BY_RULE),
    ("one rater against the others", "bootstrap-t"): (
        "Each rater in turn plays the judge; episodes drawn again, studentised",
        "Efron (1981, 1982)",
        _CEILING,
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


def methods_of(compared: Mapping[str, Any]) -> list[tuple[Key, Line]]:
    """Return every method that stands in the document, once, with its line."""
    used = set(_used(compared))
    told = [(key, line) for key, line in METHODS.items() if key in used]
    unknown = sorted(used - METHODS.keys())
    return [*told, *((key, ("no line is written of it", "", "")) for key in unknown)]


def method_words(line: Line) -> str:
    """Return a line as text: what it is (paper). Coverage."""
    what, cites, coverage = line
    source = f" ({cites})" if cites else ""
    return f"{what}{source}. {coverage}".strip()


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
