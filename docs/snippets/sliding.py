"""An environment of your own, and a policy for it: slide a block along a rail to the mark."""

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces


class Sliding(gymnasium.Env[np.ndarray, np.ndarray]):
    """The block is at 0, the mark between 0.5 and 1; an action pushes by up to 5 cm."""

    # Ten steps are a second: without this number, time would have to be told by --set hz=10.
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(self, render_mode: str | None = None, width: int = 96) -> None:
        self.render_mode, self.width = render_mode, width
        self.action_space = spaces.Box(-1.0, 1.0, (1,))
        self.observation_space = spaces.Box(-2.0, 2.0, (2,), np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.block, self.mark = 0.0, self.np_random.uniform(0.5, 1.0)
        return self._seen(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.block += 0.05 * float(np.clip(action[0], -1.0, 1.0))
        left = abs(self.mark - self.block)
        return self._seen(), 1.0 - left, left < 0.02, False, {"success": left < 0.02}

    def render(self) -> np.ndarray:  # type: ignore[override]
        picture = np.full((32, self.width, 3), 235, np.uint8)
        for place, colour, height in (
            (self.mark, (40, 160, 60), 32),
            (self.block, (200, 40, 40), 8),
        ):
            left = int(np.clip(place, 0.0, 1.0) * (self.width - 8))
            picture[32 - height :, left : left + 8] = colour
        return picture

    def _seen(self) -> np.ndarray:
        return np.array([self.block, self.mark])


class Pushing:
    """Push towards the mark, as hard as it is far."""

    def __init__(self, gain: str = "20") -> None:
        self.gain = float(gain)

    def reset(self, instruction: str) -> None:
        print("told to:", instruction)

    def act(self, observation: np.ndarray) -> np.ndarray:
        block, mark = observation
        return np.clip([self.gain * (mark - block)], -1.0, 1.0)
