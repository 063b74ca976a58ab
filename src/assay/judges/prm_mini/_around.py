"""The part that looks at a moment together with the moments around it. Needs torch.

One picture may look better or worse than things are: a hand hides a block, a block stands on edge.
The moments around it tell. This part learns after the others, from attempts that they have not
seen, filmed without gaps. It reads a window backwards as it reads it forwards, so that it can't
learn that time brings progress.

Progress and being done are told apart: progress is the middle of what it may be, so that one
doubtful moment does not make it waver, while being done is a chance.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.judges.prm_mini._clips import FACTS, PLACES, Take
from assay.judges.prm_mini._lanes import shared_cores
from assay.judges.prm_mini._network import DONE_FROM, STATE, Head, Network, by_steps, told
from assay.judges.prm_mini._seeing import conclude, embed
from assay.judges.prm_mini._windows import REACH, STEP_S, windows

__all__ = ["Around", "fit_around", "near_falls"]

_READERS: Final = 4  # whose mean is steadier than any of them
_WIDE: Final = 64
_LENGTH: Final = 2 * REACH + 1
# Numbers of a moment: its state, its facts, what these add up to, and the two logits.
_READ: Final = STATE + FACTS - PLACES + 3
_SURE: Final = 6.0  # logits of facts beyond this say no more
_EVEN: Final = 0.05  # a number that differs less than this is not stretched further
_DROPPED: Final = 0.1
# The most by which a reader turns the logits of progress and of done: from 0.5 to 0.31 or 0.69, and
# to 0.18 or 0.82. One that may say anything is wrong by half of all progress where a hand stands
# still in a place that no lesson showed.
_TURNS: Final = (0.8, 1.5)
_SAY: Final = 0.62  # how much the readers count; what the picture alone tells is the rest
# How much being done counts. By itself a picture needs more of it to tell nearly there from there;
# what flickers most is this, and a curve that believes in the end too early falls when it does not.
_END: Final = 0.11
_BATCH: Final = 1024
_EPOCHS: Final = 24
_RATE: Final = 5e-3
_ENDS: Final = 0.3  # how much being done counts beside progress
_FALLING: Final = 9.0  # how much more a moment counts for each unit of progress lost around it
_DEEP: Final = 0.5  # a deeper fall counts no more than this
_NEAR: Final = 4  # steps from a moment within which a fall is around it

_Numbers32 = npt.NDArray[np.float32]


class _Readers(nn.Module):
    """Windows (N, L, _READ) to what each reader adds to the logits of their middles (R, N, 2)."""

    def __init__(self) -> None:
        super().__init__()
        self.mean: Tensor
        self.spread: Tensor
        self.register_buffer("mean", torch.zeros(_READ))
        self.register_buffer("spread", torch.ones(_READ))
        self.each = nn.Linear(_READ, _READERS * _WIDE)
        self.dropped = nn.Dropout(_DROPPED)
        self.all, self.all_bias = _weights(_LENGTH * _WIDE, _WIDE)
        self.last, self.last_bias = _weights(_WIDE, 2)

    def measure(self, rows: Tensor) -> None:
        """Learn what is usual from many moments (N, _READ)."""
        self.mean.copy_(rows.mean(0))
        self.spread.copy_(rows.std(0).clamp(min=_EVEN))

    def forward(self, window: Tensor) -> Tensor:
        each = self.dropped(torch.relu(self.each((window - self.mean) / self.spread)))
        own = each.view(-1, _LENGTH, _READERS, _WIDE).permute(2, 0, 1, 3)
        return self._said(own) + self._said(own.flip(2))

    def _said(self, own: Tensor) -> Tensor:
        whole = torch.relu(torch.matmul(own.flatten(2), self.all) + self.all_bias)
        return torch.matmul(whole, self.last) + self.last_bias


def _weights(inner: int, outer: int) -> tuple[nn.Parameter, nn.Parameter]:
    """Return weights (R, inner, outer) and biases (R, 1, outer) of a layer of every reader."""
    limit = inner**-0.5
    weight = torch.empty(_READERS, inner, outer).uniform_(-limit, limit)
    bias = torch.empty(_READERS, 1, outer).uniform_(-limit, limit)
    return nn.Parameter(weight), nn.Parameter(bias)


class Around(nn.Module):
    """Windows (N, 2 REACH + 1, STATE), as `windows` makes them, to raw values (N,).

    Args:
        head: What tells progress and facts of a moment by its state; it learns no further.
    """

    def __init__(self, head: Head) -> None:
        super().__init__()
        self.progress = copy.deepcopy(head.progress).requires_grad_(requires_grad=False)
        self.facts = copy.deepcopy(head.facts).requires_grad_(requires_grad=False)
        self.readers = _Readers()

    def prepare(self, window: Tensor) -> Tensor:
        """Return what there is to read in windows, (N, 2 REACH + 1, _READ)."""
        seen = torch.relu(window)
        facts = self.facts(seen)
        worth = by_steps(facts.flatten(0, 1)).view(-1, _LENGTH, 1)
        sure = facts[..., PLACES:FACTS].clamp(-_SURE, _SURE)
        return torch.cat([window, sure, worth, self.progress(seen)], -1)

    def read(self, prepared: Tensor) -> tuple[Tensor, Tensor]:
        """Return what each reader says of the middles: progress, and logits of done, (R, N)."""
        progress, done = _alone(prepared)
        most, most_done = _TURNS
        said = self.readers(prepared)
        turned = most * torch.tanh(said[..., 0] / most)
        turned_done = most_done * torch.tanh(said[..., 1] / most_done)
        return torch.sigmoid(progress.clamp(0.02, 0.98).logit() + turned), done + turned_done

    def forward(self, window: Tensor) -> Tensor:
        prepared = self.prepare(window)
        told_alone, done_alone = _alone(prepared)
        told_around, done_around = self.read(prepared)
        progress = _SAY * told_around.mean(0) + (1.0 - _SAY) * told_alone
        done = _SAY * torch.sigmoid(done_around).mean(0) + (1.0 - _SAY) * torch.sigmoid(done_alone)
        return (1.0 - _END) * progress + _END * done


def _alone(prepared: Tensor) -> tuple[Tensor, Tensor]:
    """Return progress and the logit of done that the middles tell by themselves, (N,)."""
    worth, first, done = prepared[:, REACH, -3:].unbind(1)
    return told(torch.sigmoid(first), worth), done


def fit_around(
    network: Network, along: Sequence[Take], seed: int = 0, epochs: int = _EPOCHS
) -> Around:
    """Return the part taught by attempts with a picture every `STEP_S`."""
    rng = np.random.default_rng([seed, 3])
    found = [lesson for take in along for lesson in _lessons(network, take, rng)]
    window, truth, weight = (
        torch.from_numpy(np.concatenate(column)) for column in zip(*found, strict=True)
    )
    torch.manual_seed(seed)
    around = Around(network.head)
    with torch.no_grad():
        prepared = around.prepare(window)
    around.readers.measure(prepared[:, REACH])
    steps = max(1, epochs * len(truth) // _BATCH)
    optimiser = torch.optim.AdamW(around.readers.parameters(), weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=steps + 1)
    with shared_cores(torch.get_num_threads()):  # one each: on a busy machine two are no help
        for _ in range(steps):
            rows = torch.from_numpy(rng.integers(len(truth), size=_BATCH))
            loss = _loss(around.read(prepared[rows]), truth[rows], weight[rows])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
    return around.eval()


def _loss(said: tuple[Tensor, Tensor], truth: Tensor, weight: Tensor) -> Tensor:
    """Return what the readers get wrong; each learns by itself."""
    progress, done = said
    off = functional.smooth_l1_loss(
        progress, truth.expand_as(progress), reduction="none", beta=0.03
    )
    ended = (truth > DONE_FROM).float().expand_as(done)
    missed = functional.binary_cross_entropy_with_logits(done, ended, reduction="none")
    return ((off * weight).mean(1) + _ENDS * missed.mean(1)).sum()


def _lessons(
    network: Network, take: Take, rng: np.random.Generator
) -> Iterator[tuple[_Numbers32, _Numbers32, _Numbers32]]:
    """Yield windows, what is true in their middles, and how much they count.

    Once as seen by all fixed views, once by one of them, once by two.
    """
    truth = take.first.values
    times = STEP_S * np.arange(len(truth), dtype=np.float64)
    views = embed(network, take, take.fixed)
    for count in sorted({len(views), 1, min(2, len(views))}):
        chosen = torch.from_numpy(rng.permutation(len(views))[:count])
        yield windows(times, conclude(network, views[chosen]).states), truth, near_falls(truth)


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
