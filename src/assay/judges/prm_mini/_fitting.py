"""Teach the network. Needs torch."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from assay.judges.prm_mini._batches import Batch, Recipe, Sampler
from assay.judges.prm_mini._clips import SIZE, Clip, takes
from assay.judges.prm_mini._network import Network
from assay.judges.prm_mini._saving import load
from assay.judges.prm_mini._seeing import Score, score

__all__ = ["Fitted", "Step", "fit", "loss_of"]

_FAR = 0.02  # two moments closer than this in progress are not ranked
_AVERAGE = 0.998  # how slowly the averaged weights follow


@dataclass(frozen=True)
class Step:
    """A look at the training: after `step` batches, the mean loss since the last look."""

    step: int
    loss: float
    valid: Score


@dataclass(frozen=True, eq=False)
class Fitted:
    """A network that has learned.

    Attributes:
        network: The weights of the best look, averaged over the last steps before it.
        recipe: How it learned.
        history: All looks.
    """

    network: Network
    recipe: Recipe
    history: list[Step] = field(default_factory=list)


def fit(
    train: Sequence[Clip],
    valid: Sequence[Clip],
    recipe: Recipe,
    *,
    start: Path | None = None,
    on_step: Callable[[int, float], None] | None = None,
    on_look: Callable[[Step], None] | None = None,
) -> Fitted:
    """Return a network taught by `train`; `valid` tells when to stop and which weights are best.

    Args:
        train: What to learn from.
        valid: Other episodes.
        recipe: How.
        start: The folder of a judge to go on from; None begins afresh.
        on_step: Told the step and the loss after every batch.
        on_look: Told what the validation episodes say.
    """
    torch.manual_seed(recipe.seed)
    network = Network() if start is None else load(start)
    network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    average = _Average(network)
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=recipe.rate, weight_decay=recipe.decay, betas=(0.9, 0.99)
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.rate, total_steps=recipe.steps + 1, pct_start=0.15
    )
    sampler = Sampler(takes(train), recipe, np.random.default_rng([recipe.seed, 1]))
    chance = torch.Generator().manual_seed(recipe.seed)
    looks = _Looks(takes(valid), recipe, on_look)
    losses: list[float] = []
    for step in range(1, recipe.steps + 1):
        network.train()
        loss = loss_of(network, sampler.draw(), chance, recipe.against)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        schedule.step()
        average.follow(network, step)
        losses.append(float(loss.detach()))
        if on_step is not None:
            on_step(step, losses[-1])
        if step % recipe.every == 0 or step == recipe.steps:
            looks.look(step, float(np.mean(losses)), average.network)
            losses = []
            if looks.over():
                break
    return Fitted(looks.best, recipe, looks.history)


class _Average:
    """Weights averaged over the last few hundred steps: steadier than any single ones."""

    def __init__(self, network: Network) -> None:
        self.network = Network().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.network.load_state_dict(network.state_dict())
        self.network.eval()

    @torch.no_grad()
    def follow(self, network: Network, step: int) -> None:
        keep = min(_AVERAGE, 1.0 - 1.0 / (1.0 + step / 4))
        own = self.network.state_dict()
        for name, value in network.state_dict().items():
            if value.dtype.is_floating_point:
                own[name].lerp_(value, 1.0 - keep)
            else:
                own[name].copy_(value)


class _Looks:
    """What the validation episodes said so far."""

    def __init__(
        self, valid: Sequence[object], recipe: Recipe, told: Callable[[Step], None] | None
    ) -> None:
        self._valid, self._recipe, self._told = valid, recipe, told
        self._since = 0
        self._begun = time.monotonic()
        self.history: list[Step] = []
        self.best = Network()

    def look(self, step: int, loss: float, network: Network) -> None:
        """Score the validation episodes and keep the weights if they are the best."""
        found = Step(step, loss, score(network, self._valid, self._recipe.seed))  # type: ignore[arg-type]
        self._since += 1
        if not self.history or found.valid.error <= min(s.valid.error for s in self.history):
            self._since = 0
            self.best.load_state_dict(network.state_dict())
            self.best.eval()
        self.history.append(found)
        if self._told is not None:
            self._told(found)

    def over(self) -> bool:
        """Tell whether it is time to stop."""
        recipe = self._recipe
        late = recipe.minutes > 0 and time.monotonic() - self._begun > 60 * recipe.minutes
        return late or (recipe.patience > 0 and self._since >= recipe.patience)


def loss_of(
    network: Network, batch: Batch, chance: torch.Generator, against: float = 1.0
) -> Tensor:
    """Return what the network gets wrong about a batch.

    Args:
        network: Who looks.
        batch: What is looked at.
        chance: For changes of the pictures.
        against: How much more a pair counts whose later moment is worse.
    """
    views, pictures = batch.now.shape[:2]
    count = len(batch.tokens)
    moments = pictures // count
    summary, query = network.words(torch.from_numpy(batch.tokens))
    given = torch.from_numpy(batch.given)
    told = [x.repeat_interleave(moments, 0) for x in (given, summary, query)]
    embedded, points = [], torch.zeros(())
    for view in range(views):
        now, start, goal, moved = _changed(batch, view, chance)
        # One pass: as many pictures at once as can be, and the statistics of all of them.
        maps = network.trunk(torch.cat([now, start, goal]))
        now, start, goal = maps.split([pictures, count, count])
        start, goal = (x.repeat_interleave(moments, 0) for x in (start, goal))
        seen, here, _ = network.eye(now, start, goal, *told)
        embedded.append(seen)
        points = points + _off(here, torch.from_numpy(batch.points[view]) + moved)
    stacked = torch.stack(embedded)
    state, logit = network.head(torch.cat([stacked.mean(0), stacked.amax(0)], 1))
    values = torch.from_numpy(batch.values)
    logit, state = logit.view(count, moments), state.view(count, moments, -1)
    total: Tensor = _progress_loss(logit, values) + 2.0 * points / views
    later = torch.from_numpy(batch.moments)
    return total + _pair_loss(network, logit, state, (values, later, against))


def _changed(
    batch: Batch, view: int, chance: torch.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the pictures in 0..1; light, noise and sharpness differ between episodes, not within.

    All pictures of a batch move by the same few pixels, since a camera is never quite where it was;
    by how much, (2,) in the unit of points, comes last.
    """
    now, start, goal = (torch.from_numpy(x[view]) for x in (batch.now, batch.start, batch.goal))
    count = len(start)
    moments = len(now) // count
    gain = 1.0 + 0.1 * torch.randn(count, 3, 1, 1, generator=chance)
    lift = 0.03 * torch.randn(count, 3, 1, 1, generator=chance)
    strength = torch.from_numpy(batch.noise)[:, None, None, None]
    shift = torch.randint(-3, 4, (2,), generator=chance).tolist()
    soft = float(torch.rand((), generator=chance)) < 0.3

    def made(pictures: Tensor, repeat: int) -> Tensor:
        x = pictures.float().div_(255.0)
        x = x * gain.repeat_interleave(repeat, 0) + lift.repeat_interleave(repeat, 0)
        amount = strength.repeat_interleave(repeat, 0)
        if float(amount.max()) > 0:
            x = (1.0 - amount) * x + amount * torch.randn(x.shape, generator=chance)
        x = torch.roll(x.clamp_(0.0, 1.0), shift, (2, 3))
        if soft:
            x = 0.5 * x + 0.5 * functional.avg_pool2d(x, 3, 1, 1)
        return x.contiguous(memory_format=torch.channels_last)

    moved = torch.tensor([shift[1], shift[0]]) * 2.0 / SIZE  # rolled are rows, then columns
    return made(now, moments), made(start, 1), made(goal, 1), moved


def _off(here: Tensor, points: Tensor) -> Tensor:
    """Return how far the first pointers are from the things they are to point at."""
    count = points.shape[1]
    inside = (points.abs() < 1.0).all(-1)  # false for NaN
    gap = functional.smooth_l1_loss(
        here[:, :count], torch.nan_to_num(points), reduction="none", beta=0.1
    )
    return (gap.sum(-1) * inside).sum() / inside.sum().clamp(min=1)


def _progress_loss(logit: Tensor, values: Tensor) -> Tensor:
    known = ~torch.isnan(values)
    truth = torch.nan_to_num(values)
    cross = functional.binary_cross_entropy_with_logits(logit, truth, reduction="none")
    # What is left of the cross entropy when the answer is right says nothing.
    rest = functional.binary_cross_entropy(truth, truth, reduction="none")
    gap = functional.smooth_l1_loss(torch.sigmoid(logit), truth, reduction="none", beta=0.05)
    return ((cross - rest + 2.0 * gap) * known).sum() / known.sum().clamp(min=1)


def _pair_loss(
    network: Network, logit: Tensor, state: Tensor, truth: tuple[Tensor, Tensor, float]
) -> Tensor:
    """Return what is wrong about the order of the moments of an episode, by either head."""
    values, moments, against = truth
    before, after = torch.triu_indices(values.shape[1], values.shape[1], 1)
    change = values[:, after] - values[:, before]
    ranked = (change.abs() > _FAR).float()  # false for NaN
    sign = torch.sign(torch.nan_to_num(change))
    worse = sign * torch.sign((moments[:, after] - moments[:, before]).float()) < 0
    ranked = ranked * torch.where(worse, against, 1.0)
    total = ranked.sum().clamp(min=1)
    order = functional.softplus(-2.0 * sign * (logit[:, after] - logit[:, before]))
    shape = change.shape
    hop = network.head.hop(state[:, before].flatten(0, 1), state[:, after].flatten(0, 1)).view(
        shape
    )
    sure = functional.softplus(-sign * hop)
    room = torch.where(change > 0, 1.0 - values[:, before], values[:, before]).clamp(min=1e-3)
    exact = functional.smooth_l1_loss(
        torch.tanh(hop / 4),
        torch.nan_to_num(change / room).clamp(-1, 1),
        reduction="none",
        beta=0.1,
    )
    return ((0.5 * order + 0.5 * sure + 0.5 * exact) * ranked).sum() / total
