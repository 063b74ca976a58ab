"""Metaworld's 50 tasks as Gymnasium environments that follow their seed, and their experts.

    PYTHONPATH=scripts .venv-metaworld/bin/assay rollout gym:metaworld_envs:make \
        --set env.task=reach --policy expert=metaworld_envs:Expert --set expert.task=reach --out DIR

Metaworld's own `gymnasium.make` leaves the layout to chance whatever the seed, and its cameras hang
upside down; `Stage` of `metaworld_demos.py` sees to both.
"""

from __future__ import annotations

import atexit
import json
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from metaworld_demos import TASKS, Action, Stage

from assay.records import Floats, Image

CAMERA = "corner"
# Metaworld has no instructions of its own.
INSTRUCTIONS = TASKS | {
    "assembly": "Put the ring over the peg.",
    "basketball": "Put the ball into the basket.",
    "bin-picking": "Move the block from one bin to the other.",
    "box-close": "Put the lid on the box.",
    "button-press": "Press the button.",
    "button-press-topdown-wall": "Press the button behind the wall from above.",
    "button-press-wall": "Press the button behind the wall.",
    "coffee-button": "Press the button of the coffee machine.",
    "coffee-pull": "Pull the mug away from the coffee machine.",
    "coffee-push": "Push the mug under the coffee machine.",
    "dial-turn": "Turn the dial.",
    "disassemble": "Lift the ring off the peg.",
    "door-close": "Close the door of the safe.",
    "door-lock": "Turn the lock of the door shut.",
    "door-unlock": "Turn the lock of the door open.",
    "faucet-close": "Turn the faucet shut.",
    "faucet-open": "Turn the faucet open.",
    "hammer": "Hit the nail with the hammer.",
    "hand-insert": "Put the gripper into the hole.",
    "handle-press": "Press the handle down.",
    "handle-press-side": "Press the handle down from the side.",
    "handle-pull": "Pull the handle up.",
    "handle-pull-side": "Pull the handle up from the side.",
    "lever-pull": "Pull the lever up.",
    "peg-unplug-side": "Pull the peg out of the side of the box.",
    "pick-out-of-hole": "Take the block out of the hole.",
    "pick-place-wall": "Pick up the block and hold it at the marker behind the wall.",
    "plate-slide": "Slide the plate into the cabinet.",
    "plate-slide-back": "Slide the plate out of the cabinet.",
    "plate-slide-back-side": "Slide the plate out of the cabinet, sideways.",
    "plate-slide-side": "Slide the plate into the cabinet, sideways.",
    "push-back": "Pull the block back to the marker.",
    "push-wall": "Push the block past the wall to the marker.",
    "reach-wall": "Move the gripper to the marker behind the wall.",
    "shelf-place": "Put the block on the shelf.",
    "soccer": "Push the ball into the goal.",
    "stick-pull": "Pull the box with the stick.",
    "stick-push": "Push the box with the stick.",
    "sweep": "Sweep the block off the table.",
    "sweep-into": "Sweep the block into the hole.",
}


class Metaworld(gymnasium.Env[Floats, Action]):
    """One task of metaworld.

    Args:
        task: One of `INSTRUCTIONS`.
        witness: A folder that gets what metaworld says after every step, by seed: a record of its
            own, which Assay knows nothing of. It must be there. Empty for none.
        render_mode: "rgb_array" or None.
    """

    def __init__(self, task: str, witness: str = "", render_mode: str | None = None) -> None:
        # Metaworld says that its experts' gains are high, at every step.
        warnings.filterwarnings("ignore", "Constant", UserWarning)
        self._stage, self._witness = _stage(task), witness
        own = self._stage.env
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": own.metadata["render_fps"]}
        self.render_mode = render_mode
        self.action_space, self.observation_space = own.action_space, own.observation_space
        self._seed = self._steps = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Lay the scene out by `seed`."""
        self._seed, self._steps = seed or 0, 0
        observed, _ = self._stage.reset(self._seed)
        return observed, options or {}

    def step(self, action: Action) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Take one step of 1/80 s."""
        observed, reward, terminated, truncated, info = self._stage.env.step(action)
        self._steps += 1
        if self._witness:
            told = {"steps": self._steps, "success": float(info["success"])}
            Path(self._witness, f"{self._seed}.json").write_text(json.dumps(told), encoding="utf-8")
        return observed, float(reward), bool(terminated), bool(truncated), info

    def render(self) -> Image:  # type: ignore[override]
        """Return what one of metaworld's own cameras sees."""
        return self._stage.picture(CAMERA)


_KEPT: dict[str, Stage] = {}


def _stage(task: str) -> Stage:
    """Return the stage of a task; the last one is kept: to make one takes as long as an attempt."""
    if task not in _KEPT:
        _strike()
        _KEPT[task] = Stage(task)
        atexit.register(_strike)  # after MuJoCo's own, and so before it
    return _KEPT[task]


def _strike() -> None:
    """Give the renderer and the environment of the kept stage back."""
    atexit.unregister(_strike)
    while _KEPT:
        _KEPT.popitem()[1].close()


def make(task: str, witness: str = "", render_mode: str | None = None) -> Metaworld:
    """Return the environment of a task."""
    return Metaworld(task, witness, render_mode)


class Expert:
    """Metaworld's own scripted expert of a task."""

    def __init__(self, task: str) -> None:
        from metaworld.policies import ENV_POLICY_MAP

        self._own = ENV_POLICY_MAP[f"{task}-v3"]

    def reset(self, instruction: str) -> None:  # noqa: ARG002 - it knows its task
        """Begin an attempt with an expert that remembers nothing."""
        self._expert = self._own()

    def act(self, observation: Floats) -> Action:
        """Return the expert's wish, within what the arm takes."""
        return np.clip(self._expert.get_action(observation), -1.0, 1.0)
