"""Footage as clips to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from assay.judges.prm_mini._clips import Clip
from assay.worlds.look import moves
from assay.worlds.world import CONTROL_HZ

__all__ = ["clips"]


def clips(folder: Path, known: Iterable[Mapping[str, Any]]) -> list[Clip]:
    """Return one clip for each view of each attempt; all pictures are read into memory."""
    return [clip for about in known for clip in _of(folder, about)]


def _of(folder: Path, about: Mapping[str, Any]) -> list[Clip]:
    pictures = np.load(folder / f"{about['seed']}.npy", allow_pickle=False)
    points = np.array(about["points"], dtype=np.float32)
    facts = np.array(about["facts"], dtype=np.float32)
    return [
        Clip(
            frames=pictures[number],
            values=np.array(about["values"], dtype=np.float32),
            instructions=tuple(about["instructions"]),
            task=about["task"],
            episode=str(about["seed"]),
            view=view,
            success=about["success"],
            points=points[number],
            facts=facts,
            policy=about["policy"],
            moves=moves(view),
            times=np.array(about["moments"]) / CONTROL_HZ,
        )
        for number, view in enumerate(about["views"])
    ]
