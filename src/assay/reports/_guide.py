"""Say in words how the summary is read: what a number is over, and what surrounds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.reports._layout import MEANINGS, labelled, unknown
from assay.reports._markup import Safe, join, tag

__all__ = ["INTERVALS", "OVER", "guide"]

OVER = (
    "Success is over the labelled episodes, scored or not; all other columns are over scored ones."
)

INTERVALS = (
    "Intervals are 95 %: of shares (Success, MC) by Wilson, of means by the studentised bootstrap "
    "over episodes, of equal values by an exact bound; none below 5 episodes."
)


_SUCCESS = (
    "True in the last moment. Held: true throughout the last 0.5 s. Once: true in some moment. "
    "Held and once stand below where they differ."
)
_WORST_TO_BEST = (
    "The value with the worst, or the best, put in for each episode that has none: for Success the "
    "unlabelled ones, for all other columns the unscored ones. Empty where no episode lacks one."
)
_SENSITIVITY = (
    "The lowest and the highest mean under 27 settings of the analysis: epsilon times 0.5, 1 and "
    "2, smoothing over 1, 3 and 5 moments, every moment, every 2nd and every 4th. It shows the "
    "weight of these choices, not chance."
)


def guide(audit: Mapping[str, Any]) -> Safe:
    """Return the note on how to read the summary; it explains only what the table shows."""
    terms = [join([tag("dt", term), tag("dd", meaning)]) for term, meaning in _terms(audit)]
    return tag(
        "div", tag("h3", "How to read this"), tag("dl", *terms, class_="meanings"), class_="guide"
    )


def _terms(audit: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    cells = audit["cells"]
    yield "Over what", OVER
    yield "Intervals", INTERVALS
    if any(map(labelled, cells)):
        yield "Success", _SUCCESS
    yield "MC@q", "Milestone coverage: share of episodes that reach q % progress."
    yield from ((key.upper(), meaning) for key, meaning in MEANINGS.items())
    if any(map(unknown, cells)):
        yield "Worst to best", _WORST_TO_BEST
    if any(cell.get("sensitivity") for cell in cells):
        yield "Sensitivity", _SENSITIVITY
