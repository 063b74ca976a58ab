"""A policy of your own: stay where you are and wave with the wrist."""

import numpy as np

from assay.records import Floats
from assay.worlds.policies.base import Observation


class Waving:
    """Turn the last joint to and fro."""

    def reset(self, instruction: str) -> None:
        print("told to:", instruction)

    def act(self, observation: Observation) -> Floats:
        joints = np.array([0.0, -0.35, 0.0, -2.3, 0.0, 1.95, 0.785])
        joints[6] += 0.3 * np.sin(2 * np.pi * observation.time)
        return np.array([*joints, 1.0])
