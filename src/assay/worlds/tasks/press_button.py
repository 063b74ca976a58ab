"""Press the red button and leave the blue one alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.worlds.moves import Move
from assay.worlds.state import GRIPPER, State
from assay.worlds.tasks._buttons import BEGIN, DOWN, OUT, PANEL, REACH, add_panel, press, sides
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks.base import Aim, Layout, Place, Subgoal, Thing, Wrong

__all__ = ["PressButton"]

CLEAR = 0.01  # from a cap up to the fingers when they have left it [m]


@dataclass(frozen=True)
class PressButton:
    """Press the red button until it stays down, and not the blue one beside it."""

    name: str = "press-button"
    instruction: str = "Press the red button and leave the blue button alone."
    paraphrases: tuple[str, str, str] = (
        "Push down the red button without pressing the blue button.",
        "Of the two buttons press the red button only, not the blue one.",
        "Make the red button click and keep off the blue button.",
    )
    limit_s: float = 8.0
    things: tuple[Thing, ...] = (
        Thing("block", distractor=True),
        Thing("can", "cylinder", (0.03, 0.02), distractor=True),
    )
    fixtures: tuple[str, ...] = PANEL
    wrongs: tuple[Wrong, ...] = ("object", "constraint")

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        """Return get over it, touch it, press it by thirds until it stays down, leave it."""
        names = ("a third of the way", "two thirds of the way", "until it stays down")
        words = [f"press the button {name}" for name in names]
        levels, untils = (DOWN / 3, 2 * DOWN / 3, DOWN), (*words[1:], "")
        presses = (_pressed(*one) for one in zip(words, levels, untils, strict=True))
        return (
            Subgoal(
                "get over the button",
                lambda s: _to_column(s) < 0.012,
                _to_column,
                until="touch the button",
            ),
            Subgoal("touch the button", _touched, _gap, until=words[0]),
            *presses,
            Subgoal("leave the button", lambda s: _to_leave(s) == 0.0, _to_leave),
        )

    def furnish(self, worldbody: Any) -> None:  # noqa: ANN401 - mujoco.MjsBody
        """Add a panel with two buttons."""
        add_panel(worldbody)

    def arrange(self, rng: np.random.Generator) -> Layout:
        """Lay the panel in the middle, the red button on either side; scatter the rest around."""
        x, y, yaw = (float(v) for v in rng.uniform((0.42, -0.10, -0.4), (0.54, 0.10, 0.4)))
        buttons, taken = sides(rng), ((x, y, 0.17),)
        names = [thing.name for thing in self.things]
        places = scatter(rng, names, (0.36, 0.60), (-0.26, 0.26), gap=0.12, taken=taken)
        return Layout({**places, "panel": Place(x, y, yaw=yaw)}, buttons)

    def script(self, aim: Aim) -> tuple[Move, ...]:
        """Press from above with closed fingers; a near miss lets go before it clicks."""
        first = press("blue-button") if aim.wrong else ()
        return first if aim.wrong == "object" else (*first, *press("red-button", aim.miss))


def _pressed(name: str, level: float, until: str) -> Subgoal:
    """Return the subgoal that the red button is so deep [m]."""

    def left(state: State) -> float:
        return max(level - state.slide("red-button"), 0.0)

    return Subgoal(name, lambda state: left(state) == 0.0, left, until=until)


def _to_column(state: State) -> float:
    """Return how far the tool is from the stretch straight above the button [m]."""
    gap = state.position("tool") - state.position("red-button")
    up = float(np.clip(gap[2], REACH, REACH + BEGIN))
    return float(np.linalg.norm([gap[0], gap[1], gap[2] - up]))


def _gap(state: State) -> float:
    """Return how far the fingers are from the cap's top [m]."""
    gap = state.position("tool") - state.position("red-button")
    return float(np.linalg.norm([gap[0], gap[1], max(gap[2] - REACH, 0.0)]))


def _touched(state: State) -> bool:
    return state.touching(GRIPPER, "red-button")


def _to_leave(state: State) -> float:
    """Return how much farther the hand must go from the button [m].

    It is all of it until the button stays down, and for ever if the blue one was pressed.
    """
    right = state.slide("red-button") >= DOWN and state.slide("blue-button") < OUT
    return max(CLEAR - _gap(state), 0.0) if right else CLEAR
