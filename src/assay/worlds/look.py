"""How worlds look: colours, rendering quality, and the version of all that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assay.errors import UnknownNameError
from assay.records import Image
from assay.worlds.robots.base import Robot

__all__ = [
    "COLOURS",
    "LOOK",
    "QUALITY",
    "VIEWS",
    "Quality",
    "moves",
    "reference_frame",
    "views_of",
]

WRIST: Final = "wrist"

LOOK: Final = 2
"""The version of the worlds' look. Judges trained on pixels are bound to it; a new one is due
whenever a reference frame moves by more than 2 grey levels (`scripts/look.py`). The frames lie
beside the tests: at run time the number is enough. 2: knobs are dark discs with a coloured bar."""

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
"""What can be filmed; with two arms `wrist` is both `wrist.left` and `wrist.right`."""


def views_of(robot: Robot, asked: Sequence[str] = VIEWS) -> tuple[str, ...]:
    """Return the views that `asked` means with this robot.

    Raises:
        UnknownNameError: The robot has no such view.
    """
    wrists = [arm.signal(WRIST) for arm in robot.arms]
    found: list[str] = []
    for view in asked:
        found += wrists if view == WRIST else [view]
    known = [view for view in VIEWS if view != WRIST] + wrists
    for view in found:
        if view not in known:
            raise UnknownNameError("view", view, [*known, "none"])
    return tuple(found)


def moves(view: str) -> bool:
    """Tell whether a view moves with the robot."""
    return view.partition(".")[0] == WRIST


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
