"""How worlds look: colours, rendering quality, and the version of all that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assay.records import Image

__all__ = ["COLOURS", "LOOK", "QUALITY", "VIEWS", "Quality", "reference_frame"]

LOOK: Final = 1
"""The version of the worlds' look. Judges trained on pixels are bound to it; a new one is due
whenever a reference frame moves by more than 2 grey levels (`scripts/look.py`). The frames lie
beside the tests: at run time the number is enough."""

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

VIEWS: Final = ("front", "side", "overhead", "wrist")


@dataclass(frozen=True, slots=True)
class Quality:
    """What a picture costs: size of the shadow map (0: no shadows) and samples a pixel (0: one)."""

    shadows: int
    samples: int


QUALITY: Final[Mapping[str, Quality]] = {
    "fast": Quality(0, 0),
    "good": Quality(512, 0),
    "fine": Quality(2048, 4),
}


def reference_frame(task: str) -> Image:
    """Return the frame by which a change of the look is noticed, uint8 of shape (128, 128, 3).

    It is the front view of seed 0 before anything moves, with shadows: what policies do never
    shows in it.
    """
    from assay import plugins
    from assay.worlds.rendering import Renderer
    from assay.worlds.world import World

    world = World(plugins.find("assay.worlds.tasks", task)())
    with Renderer(world, 128, "good") as renderer:
        return renderer.rgb("front")
