"""What tells a training from others, and batches that go on where they were. Needs torch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assay.judges.prm_mini._batches import Recipe, Sampler
from assay.judges.prm_mini._clips import Clip
from assay.judges.prm_mini._network import Network

__all__ = ["ResumableSampler", "identity"]


def identity(network: Network, clips: Iterable[Clip], recipe: Recipe, start: Path | None) -> str:
    """Return what tells a training from others: its network, data, recipe and start."""
    shapes = [(name, tuple(value.shape)) for name, value in network.state_dict().items()]
    shown = [(clip.episode, clip.view, clip.frames.shape) for clip in clips]
    told = (shapes, shown, asdict(recipe), None if start is None else str(start))
    return hashlib.sha256(repr(told).encode()).hexdigest()


class ResumableSampler(Sampler):
    """A sampler that goes on where another one was."""

    def state(self) -> dict[str, Any]:
        """Return what decides the batches to come, as plain data."""
        return {"chance": self._rng.bit_generator.state, "order": list(self._order)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`."""
        self._rng.bit_generator.state = state["chance"]
        self._order = list(state["order"])
