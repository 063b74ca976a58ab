"""Write an episode as a LeRobot dataset and read it back."""

from pathlib import Path

import numpy as np

from assay.episodes.formats.lerobot import LeRobot
from assay.episodes.lerobot.writer import write_lerobot
from assay.records import Episode, Series

times = np.arange(20) / 10
episode = Episode(
    id="run-1",
    task="lift-block",
    instruction="lift the red block",
    signals={
        "joint_position": Series(times, np.zeros((20, 7))),
        "gripper_opening": Series(times, np.ones(20)),
        "progress": Series(times, np.linspace(0, 1, 20)),
    },
    outcome=True,
    policy="act",
)
write_lerobot(Path("lifting"), [episode], fps=10, robot_type="panda")

(back,) = LeRobot().read(Path("lifting"))
print(back.id, back.instruction, back.outcome, sorted(back.signals))
