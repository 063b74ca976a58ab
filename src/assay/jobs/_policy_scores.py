"""How far a cloned policy is from what demonstrations did, beside two nulls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.metrics.intervals import estimate_mean
from assay.worlds.policies._cloned.lessons import Array, Lesson

if TYPE_CHECKING:
    from assay.worlds.policies._cloned.network import Clone

__all__ = ["scores"]

_WORST = float(np.pi)  # rad: what an error is at most, for the interval's bounds


def scores(network: Clone, lessons: Sequence[Lesson], seed: int) -> dict[str, Any]:
    """Return joint error and gripper error, for the policy and for two nulls.

    "stay" keeps every joint where it is and the gripper as it is; "mean" does at every moment what
    was done on average over these lessons. The error of the joints is the mean distance to the
    targets [rad] over the chunk; that of the gripper, the share of openings on the wrong side of
    one half. Each demonstration counts once.
    """
    from assay.worlds.policies._cloned.fitting import told

    mean = np.concatenate([lesson.chunks for lesson in lessons]).mean(0)
    found: dict[str, list[tuple[float, float]]] = {"cloned": [], "stay": [], "mean": []}
    for lesson in lessons:
        stay = np.zeros_like(lesson.chunks)
        stay[..., -1] = lesson.numbers[:, [lesson.chunks.shape[2] - 1]]  # behind the joints
        answers: Mapping[str, Array] = {
            "cloned": told(network, lesson),
            "stay": stay,
            "mean": np.broadcast_to(mean, lesson.chunks.shape),
        }
        for name, chunks in answers.items():
            found[name].append(_errors(chunks, lesson.chunks))
    return {name: _estimates(np.array(errors), seed) for name, errors in found.items()}


def _errors(chunks: Array, truth: Array) -> tuple[float, float]:
    joints = float(np.abs(chunks[..., :-1] - truth[..., :-1]).mean())
    wrong = (chunks[..., -1] > 0.5) != (truth[..., -1] > 0.5)
    return joints, float(wrong.mean())


def _estimates(errors: Array, seed: int) -> dict[str, Any]:
    joints = estimate_mean(errors[:, 0], worst_value=_WORST, best_value=0.0, seed=seed)
    gripper = estimate_mean(errors[:, 1], worst_value=1.0, best_value=0.0, seed=seed)
    return {"joints_rad": joints.as_json(), "gripper": gripper.as_json()}
