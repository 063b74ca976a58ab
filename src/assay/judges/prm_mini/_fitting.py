"""Teach the network. Needs torch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from assay.judges.prm_mini._batches import Batch, Recipe
from assay.judges.prm_mini._checkpoint import ResumableSampler, identity
from assay.judges.prm_mini._clips import FACTS, PLACES, SIZE, STEPS, Clip, Take, takes
from assay.judges.prm_mini._lanes import Lanes, shared_cores
from assay.judges.prm_mini._network import DONE, DONE_FROM, Network
from assay.judges.prm_mini._optimising import Optimiser
from assay.judges.prm_mini._saving import load
from assay.judges.prm_mini._seeing import Score, score
from assay.judges.prm_mini._text import VOCABULARY, tokens
from assay.models.checkpoint import Checkpoint

__all__ = ["Fitted", "Step", "fit", "loss_of"]

_FAR = 0.02  # two moments closer than this in progress are not ranked
_AVERAGE = 0.998  # how slowly the averaged weights follow
_FACTS = 1.0  # how much facts count beside progress


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
    checkpoint: Path | None = None,
) -> Fitted:
    """Return a network taught by `train`; `valid` tells when to stop and which weights are best.

    Args:
        train: What to learn from.
        valid: Other episodes.
        recipe: How.
        start: The folder of a judge to go on from; None begins afresh.
        on_step: Told the step and the loss after every batch.
        on_look: Told what the validation episodes say.
        checkpoint: Where the training is kept at every look. If it is there already, the training
            goes on from it and ends as if it had never been stopped. The caller removes it.
    """
    course = _Course(train, valid, recipe, start)
    kept = Checkpoint(checkpoint, identity(course.network, [*train, *valid], recipe, start))
    if (state := kept.read()) is not None:
        course.restore(state)
    losses: list[float] = []
    while course.step < recipe.steps and not course.looks.over:
        with shared_cores(recipe.lanes):
            losses.append(course.learn())
        if on_step is not None:
            on_step(course.step, losses[-1])
        if course.step % recipe.every == 0 or course.step == recipe.steps:
            found = course.looks.look(course.step, float(np.mean(losses)), course.average.network)
            losses = []
            kept.write(course.state())
            if on_look is not None:
                on_look(found)
    if start is None:
        _forget_unread(course.looks.best, train)
    return Fitted(course.looks.best, recipe, course.looks.history)


@torch.no_grad()
def _forget_unread(network: Network, train: Sequence[Clip]) -> None:
    """Let words that were never read mean nothing; as they began, they would mean anything."""
    texts = {text for clip in train for text in clip.instructions}
    read = np.unique(np.concatenate([tokens(text) for text in texts] or [np.zeros(1, np.int64)]))
    kept = torch.zeros(VOCABULARY, 1)
    kept[torch.from_numpy(read)] = 1.0
    network.words.embed.weight *= kept


class _Course:
    """All that changes while a network learns."""

    def __init__(
        self, train: Sequence[Clip], valid: Sequence[Clip], recipe: Recipe, start: Path | None
    ) -> None:
        torch.manual_seed(recipe.seed)
        network = Network() if start is None else load(start)
        self.network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = _Average(self.network)
        self.looks = _Looks(takes(valid), recipe)
        self.step = 0
        self._against = recipe.against
        self._optimiser = Optimiser(self.network, recipe)
        rng = np.random.default_rng([recipe.seed, 1])
        self._sampler = ResumableSampler(takes(train), recipe, rng)
        self._lanes = Lanes(self.network, recipe.lanes, recipe.seed)

    def learn(self) -> float:
        """Take one step; return the loss before it."""
        batches = self._sampler.draw_alike(len(self._lanes))
        loss, gradients = self._lanes.learn(batches, partial(loss_of, against=self._against))
        self._optimiser.step(gradients)
        self.step += 1
        self.average.follow(self.network, self.step)
        return loss

    def state(self) -> dict[str, Any]:
        """Return everything that decides what is to come, as tensors and plain data."""
        return {
            "step": self.step,
            "sampler": self._sampler.state(),
            "chances": self._lanes.state(),
            "looks": self.looks.state(),
            **{name: part.state_dict() for name, part in self._parts().items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`."""
        self.step = state["step"]
        self._sampler.restore(state["sampler"])
        self._lanes.restore(state["chances"])
        self.looks.restore(state["looks"])
        for name, part in self._parts().items():
            part.load_state_dict(state[name])
        self.looks.best.eval()

    def _parts(self) -> dict[str, Any]:
        return {
            "network": self.network,
            "average": self.average.network,
            "best": self.looks.best,
            "optimiser": self._optimiser,
        }


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
    """What the validation episodes said so far, and whether it is time to stop."""

    def __init__(self, valid: Sequence[Take], recipe: Recipe) -> None:
        self._valid, self._recipe = valid, recipe
        self._since = 0
        self._begun = time.monotonic()
        self.history: list[Step] = []
        self.best = Network()
        self.over = False

    def look(self, step: int, loss: float, network: Network) -> Step:
        """Score the validation episodes and keep the weights if they are the best."""
        found = Step(step, loss, score(network, self._valid, self._recipe.seed))
        self._since += 1
        if not self.history or found.valid.error <= min(s.valid.error for s in self.history):
            self._since = 0
            self.best.load_state_dict(network.state_dict())
            self.best.eval()
        self.history.append(found)
        self.over = self._enough()
        return found

    def _enough(self) -> bool:
        recipe = self._recipe
        late = recipe.minutes > 0 and time.monotonic() - self._begun > 60 * recipe.minutes
        return late or (recipe.patience > 0 and self._since >= recipe.patience)

    def state(self) -> dict[str, Any]:
        """Return what was found so far, and how long it took, as plain data."""
        return {
            "since": self._since,
            "over": self.over,
            "seconds": time.monotonic() - self._begun,
            "history": [asdict(step) for step in self.history],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`: the time until it was kept counts, the time since then doesn't."""
        self._since, self.over = state["since"], state["over"]
        self._begun = time.monotonic() - state["seconds"]
        self.history = [
            Step(look["step"], look["loss"], Score(**look["valid"])) for look in state["history"]
        ]


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
    aimed = given[:, 1] > 0
    told = [x.repeat_interleave(moments, 0) for x in (given, summary, query)]
    embedded, points = [], torch.zeros(())
    for view in range(views):
        now, start, goal, moved = _changed(batch, view, chance)
        with _quickly():
            # One pass: as many pictures at once as can be, and the statistics of all of them.
            maps = network.trunk(torch.cat([now, start, goal[aimed]]))
            now, start, ends = maps.split([pictures, count, len(maps) - pictures - count])
            goal = torch.zeros_like(start).index_put((aimed,), ends)
            anchor = network.eye.anchor(start, goal, given, query)
            many = tuple(x.repeat_interleave(moments, 0) for x in anchor)
            seen, here = network.eye(now, many, *told)
        embedded.append(seen.float())
        points = points + _off(here.float(), torch.from_numpy(batch.points[view]) + moved)
    stacked = torch.stack(embedded)
    state, logits, told_facts = network.head(torch.cat([stacked.mean(0), stacked.amax(0)], 1))
    values = torch.from_numpy(batch.values)
    raw = network.head.raw(logits, told_facts)
    total: Tensor = _progress_loss(logits, raw, values.flatten()) + 2.0 * points / views
    facts = torch.from_numpy(batch.facts).flatten(0, 1)
    total = total + _FACTS * _facts_loss(told_facts, facts)
    logit, state = logits[:, 0].view(count, moments), state.view(count, moments, -1)
    later = torch.from_numpy(batch.moments)
    return total + _pair_loss(network, logit, state, (values, later, against))


def _quickly() -> torch.autocast:
    """Return a context in which convolutions take 16 bits, where the processor has such orders.

    A step then takes two thirds of the time. Elsewhere it would take longer, and all is as it was.
    """
    able = torch.cpu._is_avx512_bf16_supported()  # noqa: SLF001 - torch is pinned; no public way
    # Each lane for itself: weights that one of them has made short must not be another's.
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=able, cache_enabled=False)


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
        noisy = amount.flatten() > 0
        if bool(noisy.any()):  # to draw numbers for all would take a while
            own, kept = amount[noisy], x[noisy]
            x[noisy] = (1.0 - own) * kept + own * torch.randn(kept.shape, generator=chance)
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


def _progress_loss(logits: Tensor, raw: Tensor, values: Tensor) -> Tensor:
    """Return what is wrong about progress and about being done, at moments of shape (N,)."""
    known = ~torch.isnan(values)
    truth = torch.nan_to_num(values)
    done = (truth > DONE_FROM).float()
    cross = functional.binary_cross_entropy_with_logits(
        logits, torch.stack([truth, done], 1), reduction="none"
    )
    # What is left of the cross entropy when the answer is right says nothing.
    rest = functional.binary_cross_entropy(truth, truth, reduction="none")
    whole = (1.0 - DONE) * truth + DONE * done
    gap = functional.smooth_l1_loss(raw, whole, reduction="none", beta=0.05)
    each = cross[:, 0] - rest + 0.5 * cross[:, 1] + 2.0 * gap
    return (each * known).sum() / known.sum().clamp(min=1)


def _facts_loss(said: Tensor, facts: Tensor) -> Tensor:
    """Return what is wrong about the facts of moments: said (N, FACTS + STEPS), true (N, FACTS).

    They teach what progress is made of, where things are and which steps are done, in far fewer
    pictures than progress alone.
    """
    known = ~torch.isnan(facts)
    truth = torch.nan_to_num(facts)
    place = functional.smooth_l1_loss(
        said[:, :PLACES], truth[:, :PLACES], reduction="none", beta=0.3
    )
    share = functional.binary_cross_entropy_with_logits(
        said[:, PLACES:FACTS], truth[:, PLACES:], reduction="none"
    )
    steps = known[:, -STEPS:].sum(1)  # a fact is known of each step that there is
    number = functional.cross_entropy(said[:, FACTS:], (steps - 1).clamp(min=0), reduction="none")
    parts = (
        (place, known[:, :PLACES]),
        (share, known[:, PLACES:]),
        (0.1 * number, steps > 0),  # soon known by heart
    )
    return torch.stack([(off * own).sum() / own.sum().clamp(min=1) for off, own in parts]).sum()


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
