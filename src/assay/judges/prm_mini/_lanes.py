"""Look at several batches at a time, each in a thread of its own. Needs torch.

Two halves of a batch on two cores take little more than half of the time, while the pictures of one
small batch shared out among two threads take two thirds. The networks of the lanes share their
weights; each has running statistics of its own, of which the mean is kept. What comes out depends
on the number of lanes and on no chance.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

import torch
from torch import Tensor

from assay.judges.prm_mini._batches import Batch
from assay.judges.prm_mini._network import Network

__all__ = ["Gradients", "Lanes", "shared_cores"]

Gradients: TypeAlias = list[Tensor | None]
Loss: TypeAlias = Callable[[Network, Batch, torch.Generator], Tensor]


class Lanes:
    """Networks that share their weights.

    Args:
        network: The first one; its memory format must not change any more.
        count: How many there are.
        seed: Decides the chances of each.
    """

    def __init__(self, network: Network, count: int, seed: int) -> None:
        shared = {id(weight): weight for weight in network.parameters()}
        others = (copy.deepcopy(network, dict(shared)) for _ in range(count - 1))
        self._networks = [network, *others]
        # The first lane's chances are those of a training without lanes.
        self._chances = [torch.Generator().manual_seed(seed + 10_007 * n) for n in range(count)]

    def __len__(self) -> int:
        """Return how many batches are looked at together."""
        return len(self._networks)

    def learn(self, batches: Sequence[Batch], loss_of: Loss) -> tuple[float, Gradients]:
        """Return the mean loss of some batches, one for each lane, and its gradients."""
        self._share_statistics()
        learnt, lanes = partial(_learnt, loss_of), (self._networks, batches, self._chances)
        if len(self) == 1:
            found = [learnt(*own) for own in zip(*lanes, strict=True)]
        else:
            with ThreadPoolExecutor(len(self)) as pool:
                found = list(pool.map(learnt, *lanes))
        losses, gradients = zip(*found, strict=True)
        self._mean_statistics()
        return sum(losses) / len(losses), [_mean(own) for own in zip(*gradients, strict=True)]

    def state(self) -> list[Tensor]:
        """Return what decides the chances to come."""
        return [chance.get_state() for chance in self._chances]

    def restore(self, state: Sequence[Tensor]) -> None:
        """Go on from `state`."""
        for chance, own in zip(self._chances, state, strict=True):
            chance.set_state(own)

    @torch.no_grad()
    def _share_statistics(self) -> None:
        first, *others = (list(network.buffers()) for network in self._networks)
        for other in others:
            for own, theirs in zip(other, first, strict=True):
                own.copy_(theirs)

    @torch.no_grad()
    def _mean_statistics(self) -> None:
        for first, *others in zip(*(n.buffers() for n in self._networks), strict=True):
            if others and first.dtype.is_floating_point:
                first.copy_(torch.stack([first, *others]).mean(0))


def _learnt(
    loss_of: Loss, network: Network, batch: Batch, chance: torch.Generator
) -> tuple[float, Gradients]:
    network.train()
    loss = loss_of(network, batch, chance)
    found = torch.autograd.grad(loss, list(network.parameters()), allow_unused=True)
    return float(loss.detach()), list(found)


def _mean(gradients: Sequence[Tensor | None]) -> Tensor | None:
    first, *others = gradients
    if first is None or not others:
        return first  # the lanes use the same weights, or none of them does
    for other in others:
        first = first if other is None else first + other
    return first / len(gradients)


@contextmanager
def shared_cores(lanes: int) -> Iterator[None]:
    """Leave each lane its share of the cores, and what comes between the lanes as well.

    Threads that wait for each other in small sums take longer than one of them alone.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(max(1, before // lanes))
    try:
        yield
    finally:
        torch.set_num_threads(before)
