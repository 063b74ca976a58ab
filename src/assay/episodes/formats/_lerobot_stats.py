"""Statistics that LeRobot keeps of every feature, by episode and for the whole dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.records import Floats, Image

__all__ = ["STATS", "PictureStats", "Stats", "Total", "of_values"]

Stats: TypeAlias = dict[str, npt.NDArray[Any]]
_QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
STATS = ("min", "max", "mean", "std", "count", *_QUANTILES)
_PICTURES = 100  # looked at in one episode
_SIDE = 150  # pixels of a picture's longer side that are looked at


def of_values(values: npt.NDArray[Any]) -> Stats | None:
    """Return min, max, mean, std, count and quantiles over the first axis.

    Rows with a value that is not finite are left out of the count; None when no row is left.
    """
    rows = values.reshape(len(values), -1).astype(np.float64)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if len(rows) == 0:
        return None
    return _summary(rows)


class PictureStats:
    """Statistics of one view over an episode: 100 pictures at most, thinned to 150 pixels.

    Args:
        length: The number of pictures that will be shown, to choose which to look at.
    """

    def __init__(self, length: int) -> None:
        chosen = np.linspace(0, length - 1, min(length, _PICTURES))
        self._chosen = set(np.round(chosen).astype(int).tolist())
        self._pixels: list[Image] = []

    def see(self, number: int, picture: Image) -> None:
        """Take the picture into account if it is one of the chosen."""
        if number in self._chosen:
            step = max(1, max(picture.shape[:2]) // _SIDE)
            self._pixels.append(picture[::step, ::step].reshape(-1, 3).copy())

    def result(self) -> Stats:
        """Return the channels' statistics in 0..1, of shape (3, 1, 1); `count` is of pictures."""
        found = _summary(np.concatenate(self._pixels).astype(np.float32) / 255)
        shaped = {name: value.reshape(3, 1, 1) for name, value in found.items() if name != "count"}
        return shaped | {"count": np.array([len(self._pixels)])}


class Total:
    """Statistics of the whole dataset, gathered from those of its episodes.

    Means and spreads are exact. Quantiles are the episodes' quantiles averaged by count, as
    LeRobot itself makes them.
    """

    def __init__(self) -> None:
        self._stats: dict[str, Stats] = {}

    def add(self, stats: Mapping[str, Stats | None]) -> None:
        """Take the statistics of one more episode into account."""
        for feature, new in stats.items():
            if new is not None:
                old = self._stats.get(feature)
                self._stats[feature] = new if old is None else _merge(old, new)

    def as_json(self) -> dict[str, dict[str, Any]]:
        """Return what `meta/stats.json` holds."""
        return {
            feature: {name: value.tolist() for name, value in stats.items()}
            for feature, stats in self._stats.items()
        }


def _summary(rows: npt.NDArray[np.floating[Any]]) -> Stats:
    levels = np.quantile(rows, list(_QUANTILES.values()), axis=0)
    return {
        "min": rows.min(axis=0).astype(np.float64),
        "max": rows.max(axis=0).astype(np.float64),
        "mean": rows.mean(axis=0, dtype=np.float64),
        "std": rows.std(axis=0, dtype=np.float64),
        "count": np.array([len(rows)]),
        **{name: level.astype(np.float64) for name, level in zip(_QUANTILES, levels, strict=True)},
    }


def _merge(a: Stats, b: Stats) -> Stats:
    """Join two groups: mean = sum(n m) / n, var = sum(n (v + (m - mean)^2)) / n."""
    count = a["count"] + b["count"]
    share_a, share_b = a["count"] / count, b["count"] / count

    def average(x: Floats, y: Floats) -> Floats:
        joined: Floats = share_a * x + share_b * y
        return joined

    mean = average(a["mean"], b["mean"])
    spread = average(
        a["std"] ** 2 + (a["mean"] - mean) ** 2, b["std"] ** 2 + (b["mean"] - mean) ** 2
    )
    return {
        "min": np.minimum(a["min"], b["min"]),
        "max": np.maximum(a["max"], b["max"]),
        "mean": mean,
        "std": np.sqrt(spread),
        "count": count,
        **{name: average(a[name], b[name]) for name in _QUANTILES},
    }
