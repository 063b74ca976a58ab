"""Roll out a policy with other options than the command line's, and look at what came of it."""

from pathlib import Path

from assay.jobs.rollout import RolloutSettings, rollout
from assay.worlds.perturbations.lighting import Lighting
from assay.worlds.policies.hesitant import Hesitant

if __name__ == "__main__":  # workers import this file
    settings = RolloutSettings(
        Path("lifting-slowly"),
        task="lift-block",
        policies={"slow": Hesitant(strength=0.8), "slower": Hesitant(strength=0.9)},
        seeds=range(2),
        perturbations=[Lighting()],
        views=(),
    )
    for row in rollout(settings).document["policies"]:
        print(row["policy"], row["successes"], "of", row["n"], f"{row['mean_time_s']:.1f} s")
