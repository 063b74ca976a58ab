"""How far people agree among themselves: each figure, and one line on what it means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.reports import words

__all__ = ["RaterFigure", "rater_figures", "rater_words"]

Row: TypeAlias = Mapping[str, Any]

_SCALES = {
    "ordinal": "by the order of scores",
    "interval": "by the distance of scores, which take too many values for one by their order",
}


@dataclass(frozen=True)
class RaterFigure:
    """One figure of agreement: what it is called, its number in words, and what it means."""

    name: str
    told: str
    meaning: str


def rater_figures(agreement: Row) -> list[RaterFigure]:
    """Return every figure of agreement that there is.

    Args:
        agreement: The entry of `compare.json`.
    """
    found = [
        RaterFigure(
            "ICC(1) of a single score",
            _told(agreement["icc"]),
            "the share of the variance of one person's score that lies between episodes",
        )
    ]
    found += [*_alpha(agreement), *_kappa(agreement), *_one_out(agreement)]
    if agreement["pairwise"] is not None:
        pairs = words.counted(agreement["pairs"], "pair")
        found.append(
            RaterFigure(
                "Mean correlation of two raters",
                f"{agreement['pairwise']:.3g} ({pairs})",
                "how far two people go together; a lenient one does no harm here",
            )
        )
    if agreement["ceiling"] is not None:
        found.append(
            RaterFigure(
                "Reliability of the mean score",
                f"{agreement['reliability']:.3g}",
                f"what was scored more than once has {agreement['per_thing']:.3g} scores on"
                " average, and a judge that knew the truth could expect a correlation of about"
                f" {agreement['ceiling']:.3g} with their mean",
            )
        )
    return found


def rater_words(agreement: Row) -> list[str]:
    """Say each figure in a sentence."""
    icc = agreement["icc"]
    if icc["value"] is None and not (agreement.get("alpha") or {}).get("value"):
        return [f"How far raters agree can't be told: {icc['why']}."]
    return [f"{one.name}: {one.told}, {one.meaning}." for one in rater_figures(agreement)]


def _alpha(agreement: Row) -> Iterator[RaterFigure]:
    found = agreement.get("alpha")
    if found:
        yield RaterFigure(
            f"Krippendorff's alpha, {found['scale']}",
            _told(found),
            f"1 when all agree, 0 when no more than chance, {_SCALES[found['scale']]}",
        )


def _kappa(agreement: Row) -> Iterator[RaterFigure]:
    found = agreement.get("kappa")
    if not found:
        return
    kinds = words.counted(found["categories"], "category")
    left = f"; {found['left_out']} with another number of scores left out"
    if found["kind"] == "cohen":
        what = f"the same of {kinds} by two raters, a disagreement counted by its square"
        yield RaterFigure("Cohen's kappa", _told(found), what)
    else:
        what = f"the same of {kinds} by {found['raters']} raters each, without an order"
        yield RaterFigure(
            "Fleiss' kappa", _told(found), f"{what}{left if found['left_out'] else ''}"
        )


def _one_out(agreement: Row) -> Iterator[RaterFigure]:
    found = agreement.get("one_out")
    if not found:
        return
    each = [f"{one['name']} {words.amount(one)}" for one in found["raters"]]
    yield RaterFigure(
        "One rater against the others",
        _told(found["mean"]),
        "mean correlation of a rater with the mean of the others, the height that a judge can be"
        f" held against ({words.some(each)})",
    )


def _told(figure: Row) -> str:
    if figure["value"] is None:
        return f"{words.MISSING} ({figure.get('why') or 'not computed'})"
    return f"{words.amount(figure)} ({words.count(figure)})"
