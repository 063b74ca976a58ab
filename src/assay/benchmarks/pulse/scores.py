"""Score the answers of one judge: accuracy by every stratum, each with its interval and n."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay.benchmarks.pulse.items import Item
from assay.benchmarks.pulse.pairs import ORDERS
from assay.benchmarks.pulse.shares import Averages, Resampled, bounded, clustered_share
from assay.benchmarks.pulse.thresholds import BIN_NAMES
from assay.records import Floats

__all__ = ["INVALID", "Answers", "Scorer", "answer_of"]

INVALID: Final = 9
"""Stands for an answer that there is none of, beside 1, -1 and 0."""

Answers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def answer_of(value: float | None) -> int:
    """Return the sign of what a judge said; `INVALID` when it said nothing."""
    if value is None or np.isnan(value):
        return INVALID
    return int(np.sign(value))


@dataclass(frozen=True, eq=False)
class _Marks:
    """Which answers are right, and which are no answers at all, both of shape (n,)."""

    right: Bools
    invalid: Bools

    @property
    def best(self) -> Bools:
        """Return which would be right if every missing answer were."""
        return self.right | self.invalid


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores answers to `items`; zero and invalid answers count as wrong.

    An invalid answer is none, and could have been right: `worst` counts it as wrong, as the value
    does, and `best` as right.
    """

    items: Sequence[Item]
    seed: int = 0

    def figures(self, answers: Answers) -> dict[str, Any]:
        """Return all figures of one judge's answers, of shape (n,), as plain data."""
        marks = self._marks(answers)
        right = marks.right
        lost = self._where("order", "anti-time")
        wrong_object, undone = (self._where(name, "True") for name in ("wrong_object", "undone"))
        return {
            "counts": {
                "right": int(right.sum()),
                "wrong": int(np.count_nonzero((np.abs(answers) == 1) & ~right)),
                "zero": int(np.count_nonzero(answers == 0)),
                "invalid": int(np.count_nonzero(answers == INVALID)),
            },
            **self.averages(answers),
            "orders": {order: self._share(marks, self._where("order", order)) for order in ORDERS},
            "anti_time_wrong_object": self._share(marks, lost & wrong_object),
            "anti_time_undone": self._share(marks, lost & undone),
            "anti_time_by_policy": self._by(marks, "policy", lost),
            "tasks": self._deeper(marks, "task"),
            "perturbations": self._deeper(marks, "perturbation"),
            "cells": self._cells(marks),
        }

    def averages(self, answers: Answers) -> dict[str, Any]:
        """Return the accuracy by bin and setting, with the unweighted averages."""
        marks, means = self._marks(answers), self._averages()
        scores = marks.right.astype(np.float64)
        best = marks.best.astype(np.float64)
        bins: dict[str, Any] = {}
        for place, name in enumerate(self._bins()):
            own = self._where("bin", name)
            average = self._bounded(means.of_bin(scores, place), own)
            reached = means.of_bin(best, place).value if marks.invalid[own].any() else None
            bins[name] = {
                "average": _reaching(average, best=reached),
                "pairs": self._share(marks, own),
                "settings": self._by(marks, "setting", own),
            }
        every = np.ones(len(self.items), dtype=bool)
        overall = self._bounded(means.overall(scores), every)
        reached = means.overall(best).value if marks.invalid.any() else None
        return {
            "overall": {
                "average": _reaching(overall, best=reached),
                "pairs": self._share(marks, every),
            },
            "bins": bins,
        }

    def overall(self, answers: Answers) -> Floats:
        """Return the overall average, then that of resamples, the same for every judge."""
        return self._averages().overall(self._marks(answers).right.astype(np.float64)).values

    def lift(self, answers: Answers, null: Answers) -> dict[str, Any]:
        """Return by how much the overall average lies above that of a null judge, paired.

        At worst the judge's missing answers are wrong and the null's right; at best the other way.
        """
        own, other, means = self._marks(answers), self._marks(null), self._averages()
        every = np.ones(len(self.items), dtype=bool)

        def above(one: Bools, under: Bools) -> Resampled:
            return means.overall(one.astype(np.float64) - under)

        found = self._bounded(above(own.right, other.right), every, (-1.0, 1.0))
        worst = above(own.right, other.best).value if other.invalid.any() else None
        best = above(own.best, other.right).value if own.invalid.any() else None
        return _reaching(found, worst=worst, best=best)

    def _marks(self, answers: Answers) -> _Marks:
        right = np.asarray(answers == np.array([item.y for item in self.items]))
        return _Marks(right, np.asarray(answers == INVALID))

    def _bins(self) -> list[str]:
        return [name for name in BIN_NAMES if self._where("bin", name).any()]

    def _names(self, field: str) -> list[str]:
        return sorted({_named(getattr(item, field)) for item in self.items})

    def _where(self, field: str, name: str) -> Bools:
        """Tell of each item whether its `field` is called `name`."""
        return np.array([_named(getattr(item, field)) == name for item in self.items], dtype=bool)

    def _averages(self) -> Averages:
        bins = self._bins()
        pairs = sorted({(bins.index(item.bin), item.setting) for item in self.items})
        places = {pair: k for k, pair in enumerate(pairs)}
        episodes = {name: k for k, name in enumerate(self._names("episode"))}
        return Averages(
            np.array([episodes[item.episode] for item in self.items]),
            np.array([places[bins.index(item.bin), item.setting] for item in self.items]),
            np.array([place for place, _ in pairs]),
            self.seed,
        )

    def _bounded(
        self, resampled: Resampled, mask: Bools, ends: tuple[float, float] = (0.0, 1.0)
    ) -> dict[str, Any]:
        episodes = len(set(self._episodes(mask)))
        return bounded(resampled, int(mask.sum()), episodes, ends).as_json()

    def _episodes(self, mask: Bools) -> list[str]:
        return [item.episode for item, keep in zip(self.items, mask, strict=True) if keep]

    def _share(self, marks: _Marks, mask: Bools) -> dict[str, Any]:
        found = clustered_share(marks.right[mask], self._episodes(mask)).as_json()
        best = float(np.mean(marks.best[mask])) if marks.invalid[mask].any() else None
        return _reaching(found, best=best)

    def _by(self, marks: _Marks, field: str, mask: Bools) -> dict[str, Any]:
        """Return the share of each group that has items within `mask`."""
        groups = {name: self._where(field, name) & mask for name in self._names(field)}
        return {name: self._share(marks, own) for name, own in groups.items() if own.any()}

    def _deeper(self, marks: _Marks, field: str) -> dict[str, Any]:
        """Return all, small and anti-time pairs of each group."""
        kinds = {
            "pairs": np.ones(len(self.items), dtype=bool),
            "small": self._where("bin", "small"),
            "anti-time": self._where("order", "anti-time"),
        }
        return {
            name: {
                kind: self._share(marks, self._where(field, name) & own)
                for kind, own in kinds.items()
            }
            for name in self._names(field)
        }

    def _cells(self, marks: _Marks) -> list[dict[str, Any]]:
        names = sorted({(item.bin, item.setting, item.category) for item in self.items})
        fields = ("bin", "setting", "category")
        return [
            {
                **dict(zip(fields, at, strict=True)),
                "accuracy": self._share(
                    marks,
                    np.logical_and.reduce(
                        [self._where(f, value) for f, value in zip(fields, at, strict=True)]
                    ),
                ),
            }
            for at in names
        ]


def _reaching(
    found: Mapping[str, Any], *, worst: float | None = None, best: float | None = None
) -> dict[str, Any]:
    """Return an estimate with what missing answers could make of it; None leaves it as it is."""
    told = {"worst": worst, "best": best}
    return {**found, **{name: value for name, value in told.items() if value is not None}}


def _named(value: object) -> str:
    """Return what a group is called; a scene that nothing was changed in is "none"."""
    return "none" if value is None else str(value)
