"""Diagnostics of a cell: rejected alternatives to the headline metrics, shown only by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay import plugins
from assay.episodes import catalogue
from assay.errors import InputError
from assay.metrics.diagnostics.base import Context, Diagnostic
from assay.metrics.intervals import mean_interval
from assay.metrics.opd import check_curve
from assay.metrics.results import Estimate
from assay.records import Episode, Floats

__all__ = ["Diagnostics"]

_FOLDER = "assay.metrics.diagnostics"


class Diagnostics:
    """The diagnostics that were asked for.

    Args:
        names: Their names; an unknown one is an error with the nearest.
        experts: A file of recorded demonstrations, for those that compare with experts.
    """

    def __init__(self, names: Sequence[str], experts: Path | None = None) -> None:
        self._chosen: dict[str, Diagnostic] = {n: plugins.find(_FOLDER, n)() for n in names}
        self._experts = _read_experts(experts) if experts is not None else ()

    def of(self, curves: Sequence[Floats], epsilon: float, seed: int) -> dict[str, Any]:
        """Return the mean of each diagnostic over the curves of a cell."""
        context = Context(epsilon, self._experts)
        return {
            name: _estimate(np.array([one(c, context) for c in curves]), seed).as_json()
            for name, one in self._chosen.items()
        }


def _estimate(values: Floats, seed: int) -> Estimate:
    """Return the mean where the diagnostic is defined; its range is open, so nothing is clipped."""
    values = values[~np.isnan(values)]
    if not len(values):
        return Estimate(None, None, None, 0, None, None, "undefined for every episode")
    mean, low, high, method = mean_interval(values, low=-math.inf, high=math.inf, seed=seed)
    if low is None or high is None:
        why = "too few episodes, or all values equal: no interval"
        return Estimate(mean, None, None, len(values), None, None, why)
    why = "a diagnostic has no worst and best value"
    return Estimate(mean, low, high, len(values), None, None, why, method)


def _read_experts(path: Path) -> tuple[Floats, ...]:
    found = []
    for episode in catalogue.read(path):
        if not isinstance(episode, Episode) or "progress" not in episode.signals:
            continue
        values = np.asarray(episode.signals["progress"].values, dtype=np.float64)
        if (at := check_curve(values)) is not None:
            raise InputError(
                f"the expert {episode.id!r} has the progress {values[at]:g} at moment {at};"
                " it must be in 0..1 throughout.",
                path,
            )
        found.append(values)
    if not found:
        raise InputError("holds no recorded curve of an expert.", path)
    return tuple(found)
