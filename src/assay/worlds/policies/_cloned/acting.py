"""Act as the graph of a cloned policy says. Needs onnxruntime, not torch."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes.shrinking import shrink
from assay.errors import InputError, UsageError
from assay.models.graphs import open_graph
from assay.records import Floats
from assay.worlds.policies._cloned.card import GRAPH, Card
from assay.worlds.policies._cloned.inputs import numbers, seen
from assay.worlds.policies.base import Observation
from assay.worlds.world import CONTROL_HZ

__all__ = ["ClonedActor", "load_graph"]


def load_graph(folder: Path) -> Any:  # noqa: ANN401 - onnxruntime.InferenceSession
    """Return the graph of a folder, from memory if this process has loaded it.

    Raises:
        InputError: It is missing or damaged.
        MissingExtraError: There is no onnxruntime.
    """
    path = folder / GRAPH
    try:
        stamp = path.stat().st_mtime_ns
    except OSError as error:
        raise InputError(f"{folder} holds no whole policy: {GRAPH} is missing.") from error
    return _loaded(path, stamp)


@lru_cache(maxsize=4)
def _loaded(path: Path, stamp: int) -> Any:  # noqa: ANN401, ARG001 - a policy trained anew is another
    return open_graph(path, "A cloned policy")


class ClonedActor:
    """Look, decide on a chunk of actions, carry it out, look again.

    Its whole memory is what is left of the chunk.

    Args:
        card: What to look at.
        graph: Decides.
    """

    def __init__(self, card: Card, graph: Any) -> None:  # noqa: ANN401 - onnxruntime.InferenceSession
        self._card, self._graph = card, graph
        self._left: Floats = np.empty((0, card.joints + 1))

    @property
    def finished(self) -> bool:
        """Say no: it does not know when it is done."""
        return False

    def reset(self, instruction: str) -> None:  # noqa: ARG002 - it knows one task
        """Begin anew."""
        self._left = self._left[:0]

    def save(self) -> Floats:
        """Return what is left of the chunk, of shape (n, A)."""
        return self._left.copy()

    def restore(self, saved: Floats) -> None:
        """Go on with it."""
        self._left = saved.copy()

    def act(self, observation: Observation) -> Floats:
        """Return one action, of shape (1, A)."""
        if not len(self._left):
            self._left = self._decide(observation)
        action, self._left = self._left[:1], self._left[1:]
        return action

    def _decide(self, observation: Observation) -> Floats:
        """Return the actions until the next look, one for each control step."""
        card, joints = self._card, observation.joint_position
        if len(joints) != card.joints:
            raise UsageError(
                f"The policy {card.name!r} learnt on an arm of {card.joints} joints, and this one"
                f" has {len(joints)}."
            )
        body = seen(observation, card.things)
        given: list[Any] = [numbers(body).astype(np.float32)]
        given += [shrink(observation.images[view], card.size or 0)[None] for view in card.views]
        named = {f"in{number}": value for number, value in enumerate(given)}
        [chunk] = self._graph.run(None, named)[0].astype(np.float64)
        chunk[:, :-1] = np.clip(chunk[:, :-1] + joints, card.low, card.high)
        chunk[:, -1] = np.clip(chunk[:, -1], 0.0, 1.0)
        if card.snaps:
            chunk[:, -1] = np.round(chunk[:, -1])
        return np.repeat(chunk[: card.done], CONTROL_HZ // card.rate_hz, axis=0)
