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
    levels = np.quantile(rows, list(_QUANTILES.values()), axis=0)
    return {
        "min": rows.min(axis=0),
        "max": rows.max(axis=0),
        "mean": rows.mean(axis=0),
        "std": rows.std(axis=0),
        "count": np.array([len(rows)]),
        **dict(zip(_QUANTILES, levels, strict=True)),
    }


class PictureStats:
    """Statistics of one view over an episode, from pictures thinned to 150 pixels.

    Args:
        length: The number of pictures that will be shown, to choose which to look at.
        most: How many to look at.
    """

    def __init__(self, length: int, most: int = _PICTURES) -> None:
        chosen = np.linspace(0, length - 1, min(length, most))
        self._chosen = set(np.round(chosen).astype(int).tolist())
        self._levels = np.zeros((3, 256), dtype=np.int64)
        self._seen = 0

    def see(self, number: int, picture: Image) -> None:
        """Count the grey levels of the picture if it is one of the chosen."""
        if number in self._chosen:
            step = max(1, max(picture.shape[:2]) // _SIDE)
            for channel in range(3):
                pixels = picture[::step, ::step, channel].ravel()
                self._levels[channel] += np.bincount(pixels, minlength=256)
            self._seen += 1

    def result(self) -> Stats:
        """Return the channels' statistics in 0..1, of shape (3, 1, 1); `count` is of pictures."""
        levels = np.arange(256) / 255
        share = self._levels / self._levels.sum(axis=1, keepdims=True)
        below = np.cumsum(self._levels, axis=1) / self._levels.sum(axis=1, keepdims=True)
        mean = share @ levels
        found = {
            "min": levels[np.argmax(share > 0, axis=1)],
            "max": levels[255 - np.argmax(share[:, ::-1] > 0, axis=1)],
            "mean": mean,
            "std": np.sqrt((share * (levels - mean[:, None]) ** 2).sum(axis=1)),
            # The lowest level that at least the share q of the pixels does not exceed.
            **{name: levels[np.argmax(below >= q, axis=1)] for name, q in _QUANTILES.items()},
        }
        shaped = {name: value.reshape(3, 1, 1) for name, value in found.items()}
        return shaped | {"count": np.array([self._seen])}


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
