"""A demonstration: policies with known flaws act in a simulated world and are audited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from assay.errors import RunError
from assay.jobs.audit import AuditResult, AuditSettings, audit
from assay.jobs.rollout import RolloutSettings, rollout
from assay.worlds.policies.backtracker import Backtracker
from assay.worlds.policies.base import Policy
from assay.worlds.policies.dropper import Dropper
from assay.worlds.policies.early_stopper import EarlyStopper
from assay.worlds.policies.expert import Expert
from assay.worlds.policies.hesitant import Hesitant
from assay.worlds.policies.near_miss import NearMiss

__all__ = ["NOTE", "POLICIES", "TASKS", "demo"]

TASKS = ("place-in-basket", "push-to-zone", "open-drawer")
POLICIES: Mapping[str, Policy] = {
    "expert": Expert(),
    "hesitant": Hesitant(strength=0.75),
    "dropper": Dropper(strength=1.0),
    "backtracker": Backtracker(strength=1.0),
    "early-stopper": EarlyStopper(),
    "near-miss": NearMiss(),
}
NOTE = (
    "A simulated tabletop with real physics. The policies are scripted and have the flaws that"
    " their names say; the oracle reads the exact progress, and ramp, beside it, only the clock."
    " Look for three things: early-stopper and near-miss never succeed, yet one gives up early and"
    " the other stops just short; hesitant fails by standing still, dropper and backtracker by"
    " losing what they had; and a clock sees none of this."
)


def demo(
    out: Path,
    seeds: int = 8,
    jobs: int | None = None,
    say: Callable[[str], None] = lambda text: None,  # noqa: ARG005 - silence is the default
) -> AuditResult:
    """Roll out every policy on every task, audit the attempts, compare with a clock.

    Args:
        out: The attempts go into its folder `rollouts`, the report into `audit`.
        seeds: Attempts per task and policy.
        jobs: Workers; None takes one a core.
        say: Told what is being done, a line at a time.
    """
    places = [out / "rollouts" / task for task in TASKS]
    for task, place in zip(TASKS, places, strict=True):
        say(f"{task}: {len(POLICIES)} policies, {seeds} attempts each")
        done = rollout(
            RolloutSettings(
                out=place,
                task=task,
                policies=POLICIES,
                seeds=range(seeds),
                views=("front", "wrist"),
                size=192,
                quality="fast",
                jobs=jobs,
            )
        )
        if not done.ok:
            raise RunError(f"{done.problems()[0]} Run the same command again.")
    say("Auditing all attempts by the exact progress, and by a clock")
    settings = AuditSettings(
        out=out / "audit", judge="oracle", beside=("ramp",), note=NOTE, jobs=jobs
    )
    return audit(places, settings)
