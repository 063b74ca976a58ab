"""The part that looks at a moment together with the moments around it. Needs torch.

One picture may look better or worse than things are: a hand hides a block, a block stands on edge.
The moments around it tell. This part learns after the others, from attempts that they have not
seen, filmed without gaps. It reads a window backwards as it reads it forwards, so that it can't
learn that time brings progress.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.judges.prm_mini._clips import Take
from assay.judges.prm_mini._network import DONE, DONE_FROM, STATE, Network
from assay.judges.prm_mini._seeing import conclude, embed
from assay.judges.prm_mini._windows import REACH, STEP_S, windows

__all__ = ["Around", "fit_around", "near_falls"]

_READERS: Final = 4  # whose mean is steadier than any of them
_WIDE: Final = 64
_DROPPED: Final = 0.1
_BATCH: Final = 1024
_EPOCHS: Final = 12
_FALLING: Final = 9.0  # how much more a moment counts for each unit of progress lost around it
_DEEP: Final = 0.5  # a deeper fall counts no more than this
_NEAR: Final = 4  # steps from a moment within which a fall is around it

_Numbers32 = npt.NDArray[np.float32]


class _Reader(nn.Module):
    """Windows to what is to be added to the logits (N,) of their middles."""

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
        each = self.each(self.scale(window.transpose(1, 2)).transpose(1, 2))
        both: Tensor = self.all(each.flatten(1)) + self.all(each.flip(1).flatten(1))
        return both[:, 0]


class Around(nn.Module):
    """Windows (N, 2 REACH + 1, STATE + 1), as `windows` makes them, to raw values (N,)."""

    def __init__(self) -> None:
        super().__init__()
        self.readers = nn.ModuleList(_Reader() for _ in range(_READERS))

    def read(self, window: Tensor) -> Tensor:
        """Return what each reader says that the moments in the middle are worth, (R, N)."""
        alone = window[:, REACH, -1].clamp(0.02, 0.98).logit()
        return torch.sigmoid(torch.stack([alone + reader(window) for reader in self.readers]))

    def forward(self, window: Tensor) -> Tensor:
        return self.read(window).mean(0)


def fit_around(
    network: Network, along: Sequence[Take], seed: int = 0, epochs: int = _EPOCHS
) -> Around:
    """Return the part taught by attempts with a picture every `STEP_S`."""
    rng = np.random.default_rng([seed, 3])
    found = [lesson for take in along for lesson in _lessons(network, take, rng)]
    window, worth, weight = (
        torch.from_numpy(np.concatenate(column)) for column in zip(*found, strict=True)
    )
    torch.manual_seed(seed)
    around = Around()
    steps = max(1, epochs * len(worth) // _BATCH)
    optimiser = torch.optim.AdamW(around.parameters(), weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 5e-3, total_steps=steps + 1)
    for _ in range(steps):
        rows = torch.from_numpy(rng.integers(len(worth), size=_BATCH))
        said = around.read(window[rows])
        off = functional.smooth_l1_loss(
            said, worth[rows].expand_as(said), reduction="none", beta=0.03
        )
        loss = (off * weight[rows]).mean(1).sum()  # each reader learns by itself
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    return around.eval()


def _lessons(
    network: Network, take: Take, rng: np.random.Generator
) -> Iterator[tuple[_Numbers32, _Numbers32, _Numbers32]]:
    """Yield windows, what their middles are worth, and how much they count.

    Once as seen by all fixed views, once by one of them, once by two.
    """
    truth = take.first.values
    times = STEP_S * np.arange(len(truth), dtype=np.float64)
    worth = ((1.0 - DONE) * truth + DONE * (truth > DONE_FROM)).astype(np.float32)
    views = embed(network, take, take.fixed)
    for count in sorted({len(views), 1, min(2, len(views))}):
        chosen = torch.from_numpy(rng.permutation(len(views))[:count])
        yield windows(times, conclude(network, views[chosen])), worth, near_falls(truth)


def near_falls(truth: _Numbers32) -> _Numbers32:
    """Return how much each moment counts: the more, the deeper progress falls around it."""
    moments = np.arange(len(truth))
    lost = [
        max(
            truth[max(0, at - _NEAR) : at + 1].max() - truth[at],
            truth[at] - truth[at : at + _NEAR + 1].min(),
        )
        for at in moments
    ]
    return (1.0 + _FALLING * np.minimum(lost, _DEEP)).astype(np.float32)
