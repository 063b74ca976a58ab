"""Teach a network to do as demonstrations did. Needs torch."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from assay.models.checkpoint import Checkpoint
from assay.worlds.policies._cloned.lessons import Array, Lesson
from assay.worlds.policies._cloned.network import Clone, Norms, norms_of

__all__ = ["Fitted", "Recipe", "fit", "told"]

_AVERAGE = 0.995  # how slowly the averaged weights follow
_GRIP = 0.3  # how much the gripper counts beside the joints
_AT_ONCE = 256  # moments looked at together outside training


@dataclass(frozen=True)
class Recipe:
    """How to learn.

    Attributes:
        steps: The most batches.
        batch: Moments in each.
        rate: The greatest learning rate.
        decay: Of the weights.
        every: Steps between two looks at the held-out demonstrations.
        patience: Looks without a gain after which it stops; 0 never does.
        seed: Decides the first weights and the batches.
    """

    steps: int = 3000
    batch: int = 256
    rate: float = 2e-3
    decay: float = 1e-2
    every: int = 150
    patience: int = 6
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Fitted:
    """A network that has learnt.

    Attributes:
        network: The weights of the best look, averaged over the steps before it.
        norms: What it was made with.
        history: All looks: step, loss, valid_loss.
    """

    network: Clone
    norms: Norms
    history: list[dict[str, float]] = field(default_factory=list)


def fit(
    train: Sequence[Lesson],
    valid: Sequence[Lesson],
    recipe: Recipe,
    kept: Checkpoint,
    on_step: Callable[[int], None] = lambda _step: None,
) -> Fitted:
    """Return a network taught by `train`; `valid` tells when to stop and which weights are best.

    Args:
        train: What to learn from.
        valid: Other demonstrations; with none, the last weights are taken.
        recipe: How.
        kept: Where the training is kept at every look; it goes on from there if it was stopped,
            and ends as if it had not been.
        on_step: Told the step after every batch.
    """
    course = _Course(train, valid, recipe)
    if (state := kept.read()) is not None:
        course.restore(state)
    losses: list[float] = []
    while course.step < recipe.steps and not course.over:
        losses.append(course.learn())
        if course.step % recipe.every == 0 or course.step == recipe.steps:
            course.look(float(np.mean(losses)))
            losses = []
            kept.write(course.state())
        on_step(course.step)
    return Fitted(course.best.eval(), course.norms, course.history)


class _Course:
    """All that changes while a network learns."""

    def __init__(self, train: Sequence[Lesson], valid: Sequence[Lesson], recipe: Recipe) -> None:
        torch.manual_seed(recipe.seed)
        self.norms = norms_of(train)
        self._recipe, self._valid = recipe, valid
        self._moments = _Moments(train, self.norms)
        network = Clone(self.norms, len(train[0].pictures))
        # Pictures come with their channels last: weights in the same order save a fifth.
        self.network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average, self.best = copy.deepcopy(self.network), copy.deepcopy(self.network)
        self._rng = np.random.default_rng([recipe.seed, 1])
        self._optimiser = torch.optim.AdamW(
            self.network.parameters(), lr=recipe.rate, weight_decay=recipe.decay
        )
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimiser, recipe.rate, total_steps=recipe.steps + 1, pct_start=0.15
        )
        self.step = self._since = 0
        self.history: list[dict[str, float]] = []

    @property
    def over(self) -> bool:
        """Tell whether held-out demonstrations have got no better for long enough."""
        return 0 < self._recipe.patience <= self._since

    def learn(self) -> float:
        """Take one step; return the loss before it."""
        chosen = self._rng.integers(self._moments.count, size=self._recipe.batch)
        loss = _loss(self.network.train(), self._moments.batch(chosen), self.norms)
        self._optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 2.0)
        self._optimiser.step()
        self._schedule.step()
        self.step += 1
        self._follow()
        return float(loss.detach())

    @torch.no_grad()
    def _follow(self) -> None:
        keep = min(_AVERAGE, 1.0 - 1.0 / (1.0 + self.step / 4))
        own = self.average.state_dict()
        for name, value in self.network.state_dict().items():
            own[name].lerp_(value, 1.0 - keep)

    def look(self, loss: float) -> None:
        """See how the held-out demonstrations are told, and keep the weights if they are best."""
        found = _valid_loss(self.average, self._valid, self.norms)
        before = [past["valid_loss"] for past in self.history]
        if not self._valid or found <= min(before, default=np.inf):
            self._since = 0
            self.best.load_state_dict(self.average.state_dict())
        else:
            self._since += 1
        self.history.append({"step": self.step, "loss": loss, "valid_loss": found})

    def state(self) -> dict[str, Any]:
        """Return everything that decides what is to come, as tensors and plain data."""
        return {
            "step": self.step,
            "since": self._since,
            "history": self.history,
            "chance": self._rng.bit_generator.state,
            **{name: part.state_dict() for name, part in self._parts().items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`."""
        self.step, self._since, self.history = state["step"], state["since"], state["history"]
        self._rng.bit_generator.state = state["chance"]
        for name, part in self._parts().items():
            part.load_state_dict(state[name])

    def _parts(self) -> dict[str, Any]:
        return {
            "network": self.network,
            "average": self.average,
            "best": self.best,
            "optimiser": self._optimiser,
            "schedule": self._schedule,
        }


@dataclass(frozen=True, eq=False)
class _Batch:
    numbers: Tensor
    pictures: list[Tensor]
    chunks: Tensor
    places: Tensor


class _Moments:
    """All moments of some lessons, by number. Pictures stay where they are until they are asked."""

    def __init__(self, lessons: Sequence[Lesson], norms: Norms) -> None:
        self._lessons = lessons
        self._numbers = np.concatenate([lesson.numbers for lesson in lessons])
        self._chunks = np.concatenate([lesson.chunks for lesson in lessons])
        places = np.concatenate([lesson.places for lesson in lessons])
        self._places = (places - norms.place_mean) / norms.place_spread
        self._ends = np.cumsum([len(lesson.numbers) for lesson in lessons])
        self.count = int(self._ends[-1])

    def batch(self, chosen: Array) -> _Batch:
        return _Batch(
            torch.from_numpy(self._numbers[chosen]),
            [torch.from_numpy(self._shown(view, chosen)) for view in self._lessons[0].pictures],
            torch.from_numpy(self._chunks[chosen]),
            torch.from_numpy(self._places[chosen]),
        )

    def _shown(self, view: str, chosen: Array) -> Array:
        whose = np.searchsorted(self._ends, chosen, side="right")
        starts = np.concatenate([[0], self._ends])
        rows = zip(whose.tolist(), (chosen - starts[whose]).tolist(), strict=True)
        return np.stack([self._lessons[lesson].pictures[view][row] for lesson, row in rows])


def _loss(network: Clone, batch: _Batch, norms: Norms) -> Tensor:
    """Return what the network gets wrong about a batch.

    Absolute differences, not squares: what a demonstration does by accident then counts little.
    """
    chunks, told = network.learn(batch.numbers, *batch.pictures)
    ways = batch.chunks[..., :-1] / torch.from_numpy(norms.ways)
    total = (chunks[..., :-1] - ways).abs().mean()
    opening = batch.chunks[..., -1].clamp(0.0, 1.0)
    total = total + _GRIP * functional.binary_cross_entropy_with_logits(chunks[..., -1], opening)
    return total if told is None else total + (told - batch.places).abs().mean()


@torch.no_grad()
def _valid_loss(network: Clone, valid: Sequence[Lesson], norms: Norms) -> float:
    """Return the mean loss over held-out demonstrations, each counting once; NaN without any."""
    if not valid:
        return float("nan")
    network.eval()
    losses = []
    for lesson in valid:
        moments = _Moments([lesson], norms)
        losses.append(float(_loss(network, moments.batch(np.arange(moments.count)), norms)))
    return float(np.mean(losses))


@torch.no_grad()
def told(network: Clone, lesson: Lesson) -> Array:
    """Return the chunks that the network would have chosen, of shape (T, CHUNK, A)."""
    network.eval()
    found = []
    for at in range(0, len(lesson.numbers), _AT_ONCE):
        rows = slice(at, at + _AT_ONCE)
        shown = [torch.from_numpy(np.array(own[rows])) for own in lesson.pictures.values()]
        found.append(network(torch.from_numpy(lesson.numbers[rows]), *shown).numpy())
    return np.concatenate(found)
