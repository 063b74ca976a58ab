"""A demonstration: policies with known flaws act in a simulated world and are audited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from assay.errors import InputError, MissingExtraError, RunError
from assay.jobs._describe import check_ready
from assay.jobs.audit import AuditResult, AuditSettings, audit
from assay.jobs.rollout import RolloutSettings, rollout
from assay.judges import make_judge
from assay.judges.base import Judge
from assay.worlds.policies.backtracker import Backtracker
from assay.worlds.policies.base import Policy
from assay.worlds.policies.dropper import Dropper
from assay.worlds.policies.early_stopper import EarlyStopper
from assay.worlds.policies.expert import Expert
from assay.worlds.policies.hesitant import Hesitant
from assay.worlds.policies.near_miss import NearMiss

__all__ = ["NOTE", "NOTE_BLIND", "POLICIES", "TASKS", "VIEWS", "demo"]

TASKS = ("stack-blocks", "push-to-zone", "open-drawer")
VIEWS = ("front", "side")
POLICIES: Mapping[str, Policy] = {
    "expert": Expert(),
    "hesitant": Hesitant(strength=0.75),
    "dropper": Dropper(strength=1.0),
    "backtracker": Backtracker(strength=1.0),
    "early-stopper": EarlyStopper(),
    "near-miss": NearMiss(),
}
_WORLD = (
    "A simulated tabletop with real physics. The policies are scripted and have the flaws that"
    " their names say."
)
NOTE = (
    f"{_WORLD} prm-mini, a small network, judges what the cameras see; beside it stand oracle,"
    " which reads the exact progress, and ramp, which only reads the clock. What follows is"
    " computed from their curves: look at who fails alike by success and not by progress, at where"
    " judge and truth part, and at what the clock makes of it."
)
NOTE_BLIND = (
    f"{_WORLD} oracle reads the exact progress, and ramp, beside it, only the clock. What follows"
    " is computed from their curves: look at who fails alike by success and not by progress, and at"
    " what the clock makes of it."
)
"""For a machine on which the network can't run."""


def demo(
    out: Path,
    seeds: int = 8,
    jobs: int | None = None,
    say: Callable[[str], None] = lambda text: None,  # noqa: ARG005 - silence is the default
) -> AuditResult:
    """Roll out every policy on every task, audit the attempts, compare with truth and clock.

    Where the embedded judge can't run, the truth takes its place and `say` is told why.

    Args:
        out: The attempts go into its folder `rollouts`, the report into `audit`.
        seeds: Attempts per task and policy.
        jobs: Workers; None takes one a core.
        say: Told what is being done, a line at a time.
    """
    judge = _embedded(say)
    places = [out / "rollouts" / task for task in TASKS]
    for task, place in zip(TASKS, places, strict=True):
        say(f"{task}: {len(POLICIES)} policies, {seeds} attempts each")
        done = rollout(
            RolloutSettings(
                out=place,
                task=task,
                policies=POLICIES,
                seeds=range(seeds),
                views=VIEWS,
                size=128,
                quality="fast",
                jobs=jobs,
            )
        )
        if not done.ok:
            raise RunError(f"{done.problems()[0]} Run the same command again.")
    eyes = "by what the cameras see, " if judge else ""
    say(f"Auditing all attempts {eyes}by the exact progress, and by a clock")
    settings = AuditSettings(
        out=out / "audit",
        judge=judge or "oracle",
        beside=("oracle", "ramp") if judge else ("ramp",),
        note=NOTE if judge else NOTE_BLIND,
        jobs=jobs,
    )
    return audit(places, settings)


def _embedded(say: Callable[[str], None]) -> Judge | None:
    """Return the embedded judge; None, and a word to the user, where it can't run."""
    try:
        judge = make_judge("prm-mini")
        check_ready(judge)
    except (MissingExtraError, InputError) as error:
        say(f"The attempts will be judged by the exact progress alone. {error}")
        return None
    return judge
