"""A thing that was not there: the hand has it between its fingers and never took it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from assay.benchmarks.glitches.injecting.injectors._kinds import OfAnyScene
from assay.benchmarks.glitches.injecting.injectors._things import box_of, new_colour
from assay.benchmarks.glitches.injecting.injectors.base import Level, Which
from assay.benchmarks.glitches.injecting.prepared import Injected, Prepared, edited
from assay.benchmarks.glitches.injecting.take import Take
from assay.errors import EpisodeError
from assay.records import Floats, Image
from assay.worlds.look import COLOURS
from assay.worlds.robots.base import Arm
from assay.worlds.tasks.base import Aim, Task

__all__ = ["HallucinationHeld"]

_CAN: Final = "extra-1"
_BLOCK: Final = "extra-2"
_LASTS_S = ((0.4, 0.55), (0.55, 0.75), (0.75, 1.4))
_TALL_M = (0.02, 0.026, 0.034)  # half its height
_DEEP_M = (0.016, 0.02, 0.026)  # half its depth, of a block
_MARGIN_S = 0.27  # before and after
_OPEN = 0.85  # of a whole opening: a hand that holds nothing
_CLEAR_M = 0.095  # from the tool to the middle of any thing
_NEAR_M = 0.06  # from the tool to the box around a fixture
_HIGH_M = 0.09  # from the tool to the table
_LEAST = 0.004  # of the picture shows it
_WHOLE = 0.6  # of it is in sight
_DARK: Final = "brown"  # the hand is nearly black


@dataclass(frozen=True)
class HallucinationHeld(OfAnyScene):
    """Put a thing between the fingers of a hand that took none, and let it go along with them."""

    type: ClassVar[str] = "object_hallucination"
    which: ClassVar[Which] = "first"
    severities: ClassVar[tuple[int, int, int]] = (2, 3, 4)

    def suits(self, task: Task) -> bool:
        """Say yes if a hand comes with open fingers, to close them on something."""
        return any("close on" in move.name for move in task.script(Aim()))

    def inject(self, clip: Prepared, level: Level, rng: np.random.Generator) -> Injected:
        """Draw a stretch in which a hand is open in the air with the thing in it."""
        take = clip.attempt
        arms = take.world.robot.arms
        arm = arms[int(rng.integers(len(arms)))]
        start, stop = _free_stretch(clip, arm, level, rng)
        held = _Held(arm, level, str(rng.choice([_CAN, _BLOCK])), new_colour(take, rng, _DARK))
        for number in (start, (start + stop) // 2, stop - 1):
            if not held.seen(take, number):
                raise EpisodeError("it can't be seen in the hand")

        def holding(number: int, _: Image) -> Image:
            return held.drawn(take, number)

        noun, hand = "can" if held.thing == _CAN else "block", f"{arm.side} hand".lstrip()
        said = (
            f"A {held.colour} {noun} is between the fingers of the {hand} at once and goes along "
            "with it, and later is gone again; the hand never took it, as of a generator that "
            "expects a hand to hold something."
        )
        return Injected(edited(clip, start, stop, holding), start, stop, said)


@dataclass(frozen=True, eq=False)
class _Held:
    """A thing between the fingers of a hand, as wide as they are apart.

    Attributes:
        arm: Whose hand.
        level: How large it is.
        thing: Which of those that wait under the floor: a cylinder or a block.
        colour: Its name.
    """

    arm: Arm
    level: Level
    thing: str
    colour: str

    def drawn(self, take: Take, number: int) -> Image:
        """Return a frame in which the hand holds it."""
        with take.scene() as model:
            pose = self._posed(take, number, model)
            return take.draw(number, pose)

    def seen(self, take: Take, number: int) -> bool:
        """Tell whether a frame shows enough of it, and not behind the robot."""
        with take.scene() as model:
            pose = self._posed(take, number, model)
            shown = float(take.mask(number, self.thing, pose).mean())
            model.geom_rgba[take.geoms_of("robot"), 3] = 0.0
            whole = float(take.mask(number, self.thing, pose).mean())
        return shown >= max(_LEAST, _WHOLE * whole)

    def _posed(self, take: Take, number: int, model: Any) -> Floats:  # noqa: ANN401 - MjModel
        """Give the thing its size and colour; return the pose with it in the hand."""
        import mujoco

        pose: Floats = take.poses[number].copy()
        fingers = [model.joint(self.arm.part(finger)).qposadr[0] for finger in self.arm.fingers]
        wide, tall = float(pose[fingers].mean()), _TALL_M[self.level]
        size = (wide, tall, 0.0) if self.thing == _CAN else (_DEEP_M[self.level], wide, tall)
        geoms = take.geoms_of(self.thing)
        model.geom_size[geoms], model.geom_rgba[geoms, :3] = size, COLOURS[self.colour]
        take.renderer.follow(pose)
        tool, turned = take.renderer.data.site(self.arm.part("tool")), np.empty(4)
        mujoco.mju_mat2Quat(turned, tool.xmat)
        pose[take.place(self.thing)] = (*tool.xpos, *turned)
        return pose


def _free_stretch(
    clip: Prepared, arm: Arm, level: Level, rng: np.random.Generator
) -> tuple[int, int]:
    """Return a stretch in which a hand is open, in the air and away from all there is.

    Raises:
        EpisodeError: There is none that is long enough.
    """
    take, margin = clip.attempt, round(_MARGIN_S * clip.fps)
    tool, opening = take.trace.tools[arm.side], take.trace.opening[arm.side]
    free = (opening > _OPEN) & (tool[:, 2] > _HIGH_M)
    free[:margin] = free[-margin:] = False
    for name in take.things:
        free &= np.linalg.norm(take.trace.positions[name] - tool, axis=1) > _CLEAR_M
    for name in take.world.task.fixtures:
        low, high = box_of(take, 0, take.geoms_of(name))
        free &= ~np.all((tool > low - _NEAR_M) & (tool < high + _NEAR_M), axis=1)
    least, most = (round(seconds * clip.fps) for seconds in _LASTS_S[level])
    edges = np.flatnonzero(np.diff(free.astype(int), prepend=0, append=0))
    runs = [(int(a), int(b)) for a, b in edges.reshape(-1, 2) if b - a >= least]
    if not runs:
        raise EpisodeError("no hand is open in the air for long enough")
    first, last = runs[int(rng.integers(len(runs)))]
    count = int(rng.integers(least, min(most, last - first) + 1))
    start = first + int(rng.integers(0, last - first - count + 1))
    return start, start + count
