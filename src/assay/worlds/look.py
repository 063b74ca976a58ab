"""How worlds look: colours, rendering quality, and the version of all that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["COLOURS", "LOOK", "QUALITY", "SPARE_COLOURS", "VIEWS", "Quality"]

LOOK: Final = 1
"""The version of the worlds' look. Judges trained on pixels are bound to it; a new one is due
whenever a reference frame moves by more than 2 grey levels (`scripts/look.py`)."""

COLOURS: Final[Mapping[str, tuple[float, float, float]]] = {
    "red": (0.80, 0.10, 0.10),
    "green": (0.12, 0.60, 0.20),
    "blue": (0.12, 0.28, 0.80),
    "yellow": (0.92, 0.80, 0.10),
    "purple": (0.48, 0.16, 0.62),
    "cyan": (0.10, 0.68, 0.72),
    "pink": (0.92, 0.45, 0.62),
    "brown": (0.42, 0.24, 0.12),
}
SPARE_COLOURS: Final = ("yellow", "purple", "cyan", "pink", "brown", "green", "blue", "red")
"""The order in which colours are offered to things that have none."""

VIEWS: Final = ("front", "side", "overhead", "wrist")


@dataclass(frozen=True, slots=True)
class Quality:
    """What a picture costs: size of the shadow map (0: no shadows) and samples a pixel (0: one)."""

    shadows: int
    samples: int


QUALITY: Final[Mapping[str, Quality]] = {
    "fast": Quality(0, 0),
    "good": Quality(1024, 0),
    "fine": Quality(4096, 4),
}
