"""Policies that break their contract, each in one way, and a few that keep it oddly."""

import os
import sys
import time
from pathlib import Path

import numpy as np

from assay.worlds.robots.panda import Panda

HOME = np.array([*Panda().home, 1.0])


def wait_if_held():
    """Wait to be killed in the attempt whose number the environment tells."""
    begun = len(Path("attempts.log").read_text().splitlines())
    if os.environ.get("ASSAY_TEST_HOLD") == str(begun):
        time.sleep(25)  # an actor may take 30 s


class Still:
    """Stay at home."""

    def reset(self, instruction):
        self.instruction = instruction

    def act(self, observation):
        return HOME


class Raises(Still):
    def act(self, observation):
        if observation.time >= 0.2:
            raise ValueError("no idea")
        return HOME


class RaisesInReset(Still):
    def reset(self, instruction):
        raise KeyError(instruction)


class Exits(Still):
    def act(self, observation):
        sys.exit(0)


class NotFinite(Still):
    def act(self, observation):
        return np.full((1, 8), np.nan)


class TooNarrow(Still):
    def act(self, observation):
        return np.zeros(7)


class NoActions(Still):
    def act(self, observation):
        return np.zeros((0, 8))


class Words(Still):
    def act(self, observation):
        return "left"


class Nothing(Still):
    def act(self, observation):
        return None


class Loops(Still):
    def act(self, observation):
        while True:
            pass


class Sleeps(Still):
    def act(self, observation):
        time.sleep(60)


class HangsOnce(Still):
    """The first object of a process hangs; it must not be used again."""

    made = 0

    def __init__(self):
        type(self).made += 1
        self.number = self.made

    def act(self, observation):
        if self.number == 1:
            time.sleep(60)
        return HOME


class Moves(Still):
    """Go to another folder, as some configuration libraries do."""

    def act(self, observation):
        os.chdir("elsewhere" if Path("elsewhere").is_dir() else ".")
        return HOME


class NotMade(Still):
    def __init__(self):
        raise FileNotFoundError("weights.bin")


class Chunks(Still):
    """Return `count` actions at once and note when it was asked."""

    def __init__(self, count="5"):
        self.count = int(count)

    def reset(self, instruction):
        self.asked = []

    def act(self, observation):
        self.asked.append(observation.time)
        return np.tile(HOME, (self.count, 1))


class Looks(Still):
    """Ask for pictures; the shapes seen decide how far the gripper opens."""

    def act(self, observation):
        picture = observation.images["front"]
        assert picture.dtype == np.uint8
        return np.array([*HOME[:-1], picture.mean() / 255])


class SaysFinished(Still):
    finished = True


class Logged(Still):
    """Note every attempt in a file beside the working directory's run, then stay for a while."""

    def reset(self, instruction):
        with Path("attempts.log").open("a") as log:
            log.write("begun\n")
        wait_if_held()


class FailsOnce(Still):
    """Raise as long as the file `mended` is not there."""

    def act(self, observation):
        if not Path("mended").exists():
            raise RuntimeError("not mended yet")
        return HOME
