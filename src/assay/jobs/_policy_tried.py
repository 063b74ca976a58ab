"""Let a new policy try its task in the worlds, beside nulls that have learnt nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.jobs.rollout import RolloutSettings, rollout
from assay.worlds.policies._cloned.card import Card
from assay.worlds.policies.base import Policy
from assay.worlds.policies.cloned import Cloned
from assay.worlds.policies.frozen import Frozen
from assay.worlds.policies.replayed import Replayed

__all__ = ["try_policy"]

_SIZE, _QUALITY, _FPS = 64, "good", 10


def try_policy(
    folder: Path, card: Card, demos: Path, seeds: str, jobs: int | None
) -> Mapping[str, Any]:
    """Return what came of the attempts, as `rollout.json` tells it; they stay in `folder`/tried.

    Args:
        folder: The policy.
        card: What it looks at.
        demos: A dataset whose first episode is played as a null.
        seeds: The scenes, such as "1000:1050".
        jobs: Workers; None takes one a core.
    """
    policies: dict[str, Policy] = {
        "cloned": Cloned(str(folder.absolute())),
        "frozen": Frozen(),
        "replayed": Replayed(str(demos.absolute())),
    }
    done = rollout(
        RolloutSettings(
            out=folder / "tried",
            task=card.task,
            policies=policies,
            seeds=seeds,
            views=card.views,
            size=_SIZE,
            quality=_QUALITY,
            fps=_FPS,
            jobs=jobs,
        )
    )
    return {"seeds": seeds, "rows": done.document["policies"]}
