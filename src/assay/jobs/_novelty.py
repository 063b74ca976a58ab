"""How much of what a learned judge saw is unlike anything it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.jobs._describe import card_of
from assay.jobs._rundir import read_document
from assay.jobs._units import Scored
from assay.judges.base import Judge
from assay.metrics.intervals import estimate_mean
from assay.records import Curve, Episode, Unreadable

__all__ = ["count_other_looks", "novel_share", "novelty", "other_looks"]

Row = Mapping[str, Any]


def novel_share(curve: Curve) -> float | None:
    """Return the share of scored moments that are novel; None when there is nothing to tell."""
    ok = curve.status == "ok"
    return float(np.mean(curve.novel[ok])) if curve.novel is not None and ok.any() else None


def novelty(rows: Sequence[Row], seed: int) -> dict[str, Any] | None:
    """Return the mean share of novel moments over episodes, None when the judge can't tell.

    Args:
        rows: Rows of episodes, with their share under `novel`.
        seed: Decides the resampling.
    """
    shares = np.array([row["novel"] for row in rows if row["novel"] is not None])
    if not len(shares):
        return None
    missing = len(rows) - len(shares)
    return estimate_mean(shares, missing, worst_value=1.0, best_value=0.0, seed=seed).as_json()


def other_looks(judge: Judge, episodes: Sequence[Episode | Unreadable]) -> dict[str, int]:
    """Return the look of every simulated episode that looks unlike what `judge` was trained on."""
    own = (card_of(judge) or {}).get("look")
    if own is None:
        return {}
    simulated = [e for e in episodes if isinstance(e, Episode) and e.world]
    looks = {source: _look_of(source) for source in {e.source for e in simulated}}
    found = {e.id: looks[e.source] for e in simulated}
    return {name: look for name, look in found.items() if look is not None and look != own}


def count_other_looks(
    scored: Mapping[str, Scored], others: Mapping[str, int]
) -> Mapping[str, Scored]:
    """Return `scored` with all moments novel in episodes of another look."""
    if not others:
        return scored
    return {name: _all_novel(one) if name in others else one for name, one in scored.items()}


def _all_novel(scored: Scored) -> Scored:
    novel = np.ones(len(scored.curve.times), dtype=np.bool_)
    return replace(scored, curve=replace(scored.curve, novel=novel))


def _look_of(source: str) -> int | None:
    """Return the version of the look that a rollout was recorded with, None if nothing says it."""
    try:
        prints = read_document(Path(source) / "run.json").get("fingerprints")
    except InputError:  # recorded elsewhere, or moved without its record
        return None
    look = prints.get("look") if isinstance(prints, dict) else None
    return look if isinstance(look, int) else None
