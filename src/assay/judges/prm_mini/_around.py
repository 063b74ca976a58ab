"""The part that looks at a moment together with the moments around it. Needs torch.

One picture may look better or worse than things are: a hand hides a block, a block stands on edge.
The moments around it tell. This part learns after the others, from attempts that they have not
seen, filmed without gaps; it reads a window backwards as it reads it forwards, so that it can't
learn that time brings progress.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.judges.prm_mini._clips import Clip, Take
from assay.judges.prm_mini._network import DONE, STATE, Network
from assay.judges.prm_mini._seeing import look
from assay.judges.prm_mini._windows import REACH, STEP_S, windows

__all__ = ["Around", "fit_around"]

_WIDE: Final = 64
_BATCH: Final = 1024
_DROPPED: Final = 0.1
_EPOCHS: Final = 12


class Around(nn.Module):
    """Windows (N, 2 REACH + 1, STATE + 1), as `windows` makes them, to raw values (N,)."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.BatchNorm1d(STATE + 1)
        self.each = nn.Sequential(
            nn.Dropout(_DROPPED), nn.Linear(STATE + 1, _WIDE), nn.ReLU(), nn.Dropout(_DROPPED)
        )
        self.all = nn.Sequential(
            nn.Linear((2 * REACH + 1) * _WIDE, _WIDE), nn.ReLU(), nn.Linear(_WIDE, 1)
        )

    def forward(self, window: Tensor) -> Tensor:
        """Return what the moment in the middle is worth."""
        each = self.each(self.scale(window.transpose(1, 2)).transpose(1, 2))
        both = self.all(each.flatten(1)) + self.all(each.flip(1).flatten(1))
        alone = window[:, REACH, -1].clamp(0.02, 0.98).logit()
        return torch.sigmoid(alone + both[:, 0])


def fit_around(network: Network, along: Sequence[Take], seed: int = 0) -> Around:
    """Return the part taught by attempts with a picture every `STEP_S`."""
    rng = np.random.default_rng([seed, 3])
    found = [_lesson(network, take, clips) for take in along for clips in _sights(take, rng)]
    window = torch.from_numpy(np.concatenate([own for own, _ in found]))
    truth = torch.from_numpy(np.concatenate([own for _, own in found]))
    torch.manual_seed(seed)
    around = Around()
    steps = _EPOCHS * len(truth) // _BATCH
    optimiser = torch.optim.AdamW(around.parameters(), weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 5e-3, total_steps=steps + 1)
    for _ in range(steps):
        rows = torch.from_numpy(rng.integers(len(truth), size=_BATCH))
        loss = functional.smooth_l1_loss(around(window[rows]), truth[rows], beta=0.03)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    return around.eval()


def _sights(take: Take, rng: np.random.Generator) -> list[Sequence[Clip]]:
    """Return ways to see an attempt: from all fixed views, from one, from two."""
    fixed = take.fixed
    chosen = [fixed]
    for count in (1, 2):
        if count < len(fixed):
            chosen.append(tuple(fixed[int(i)] for i in rng.permutation(len(fixed))[:count]))
    return chosen


def _lesson(
    network: Network, take: Take, clips: Sequence[Clip]
) -> tuple[np.ndarray, np.ndarray]:
    truth = take.first.values
    times = STEP_S * np.arange(len(truth), dtype=np.float64)
    whole = (1.0 - DONE) * truth + DONE * (truth > 0.999)
    return windows(times, look(network, take, clips)), whole.astype(np.float32)
