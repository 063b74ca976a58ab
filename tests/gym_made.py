"""A small Gymnasium environment that can break its contract in many ways, and policies for it."""

import time
from pathlib import Path
from typing import ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from policies_made import wait_if_held

HZ = 10


class Line(gymnasium.Env):
    """A point starts at cell 0 of a line; a wall 3 to 5 cells away, as the seed says, is its goal.

    The reward is the distance that is left, below 0. `fault` names a way to break the contract.
    """

    metadata: ClassVar = {"render_modes": ["rgb_array"], "render_fps": HZ}

    def __init__(self, render_mode=None, fault="", ends=True):
        self.render_mode, self.fault, self.ends = render_mode, fault, ends
        if fault == "no_rate":
            self.metadata = {"render_modes": ["rgb_array"]}
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = spaces.Box(-99.0, 99.0, (2,), np.float64)
        self.resets = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.resets += 1
        self.at, self.steps, self.goal = 0.0, 0, 3 + (seed or 0) % 3
        if self.fault == "unseeded":
            self.goal += self.resets
        return self._observed(), {}

    def step(self, action):
        self.steps += 1
        self.at = min(self.at + float(action[0]), float(self.goal))
        left = abs(self.goal - self.at)
        done = left < 0.5
        info = {"success": done, "left": left, "grade": np.float32(1 - left / 10)}
        if self.fault == "silent":
            del info["success"]
        if self.fault == "silent_at_the_end" and done:
            del info["success"]
        if self.fault == "words":
            info["success"] = "soon"
        if self.fault == "four":
            return self._observed(), -left, done, info
        if self.fault == "raises" and self.steps > 1:
            raise RuntimeError("the cable is torn")
        if self.fault == "refuses" and abs(action[0]) > 1:
            raise ValueError("too fast")
        reward = np.nan if self.fault == "nan" and self.steps > 1 else -left
        return self._observed(), reward, bool(done and self.ends), False, info

    def render(self):
        if self.fault == "float":
            return np.zeros((16, 24, 3))
        picture = np.full((16, 24, 3), 30, np.uint8)
        picture[:, int(np.clip(4 * self.at, 0, 20)) :][:, :4] = (230, 40, 40)
        if self.fault == "two":
            return {"near": picture, "far": picture[::-1].copy()}
        return picture

    def _observed(self):
        if self.fault == "lost" and self.steps > 1:
            return np.full(2, np.inf)
        return np.array([self.at, self.goal])


def undrawn():
    """A factory that knows nothing of `render_mode`."""
    return Line()


def no_env():
    return "an environment"


def onward(observation):
    """Go one cell to the right; write into what was given, as some do."""
    observation[:] = -1
    return np.array([1.0])


def to_the_goal(cell):
    """Walk FrozenLake's own map, which does not slip: down, down, right, down, right, right."""
    return {0: 1, 4: 1, 8: 2, 9: 1, 13: 2, 14: 2}[int(cell)]


class Onward:
    """Go to the right, `pace` cells a step."""

    def __init__(self, pace="1"):
        self.pace = float(pace)

    def reset(self, instruction):
        self.told = instruction

    def act(self, observation):
        return [self.pace]


class Obedient(Onward):
    """Go only where it was told to."""

    def act(self, observation):
        return [1.0 if self.told == "Go to the right." else 0.0]


class Wide(Onward):
    def act(self, observation):
        return np.zeros(3)


class Wordy(Onward):
    def act(self, observation):
        return "right"


class Nowhere(Onward):
    def act(self, observation):
        return [np.nan]


class Confused(Onward):
    def act(self, observation):
        raise KeyError("way")


class Sleepy(Onward):
    def act(self, observation):
        time.sleep(60)


class Logged(Onward):
    """Note every attempt in a file of the working directory."""

    def reset(self, instruction):
        with Path("attempts.log").open("a") as log:
            log.write("begun\n")
        wait_if_held()
        time.sleep(0.05)
