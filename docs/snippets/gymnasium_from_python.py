"""Roll out a Gymnasium environment from Python."""

from pathlib import Path

from sliding import Sliding

from assay.jobs.rollout_gym import GymRolloutSettings, rollout_gym
from assay.worlds.gym.policies import make_gym_policy
from assay.worlds.gym.reading import GymOptions

if __name__ == "__main__":  # workers import this file
    settings = GymRolloutSettings(
        out=Path("slid"),
        environment=Sliding,
        policies={"random": make_gym_policy("random")},
        options=GymOptions(limit_s=2.0),
        seeds="0:2",
    )
    result = rollout_gym(settings)
    print(result.document["settings"]["task"]["success"], result.document["policies"])
