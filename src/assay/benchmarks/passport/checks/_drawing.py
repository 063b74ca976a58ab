"""Curves as the page draws them."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.benchmarks.passport.material import Material
from assay.records import Floats

__all__ = ["curves"]

_DECIMALS = 4


def curves(material: Material, **series: tuple[Floats, Floats]) -> dict[str, Any]:
    """Return named curves, each of times [s] and values, as plain data; `_` is read as a space."""
    return {
        "episode": material.episode.id,
        "series": [
            {
                "name": name.replace("_", " "),
                "t": np.round(times, _DECIMALS).tolist(),
                "v": np.round(values, _DECIMALS).tolist(),
            }
            for name, (times, values) in series.items()
        ],
    }
