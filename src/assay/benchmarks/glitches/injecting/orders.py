"""Which clips a benchmark has: drawn from its seed, the same whenever they are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as count_up
from itertools import cycle, islice
from math import lcm
from typing import Final

import numpy as np

from assay import plugins
from assay.benchmarks.glitches.injecting.clean import CLEAN
from assay.benchmarks.glitches.injecting.injectors.base import Injector, Level
from assay.benchmarks.splits import SPLITS
from assay.episodes.glitches.taxonomy import taxonomy

__all__ = ["INJECTORS", "SEEDS", "TASKS", "Order", "injectors", "orders", "recorded_orders"]

INJECTORS: Final = "assay.benchmarks.glitches.injecting.injectors"
SEEDS: Final[Mapping[str, range]] = {
    "train": SPLITS["glitch-train"],
    "test": SPLITS["glitch-test"],
}
_BOTH: Final = (
    *("lift-block", "place-in-basket", "stack-blocks", "push-to-zone"),
    *("open-drawer", "press-button", "stack-three", "hold-and-insert"),
)
_TEST_ONLY: Final = (
    *("peg-in-hole", "ring-on-post", "turn-knob", "close-drawer"),
    *("cover-box", "put-in-drawer", "handover", "lift-tray"),
)
TASKS: Final[Mapping[str, tuple[str, ...]]] = {
    "train": _BOTH,
    "test": (*_BOTH, *_TEST_ONLY),
}
"""By name, not by what is installed: a further task must not change what a seed means."""

_LEVELS: Final[Sequence[Level]] = (0, 1, 2)
CLEAN_SHARE: Final = 0.3
TRAIN_SHARE: Final = 0.4


@dataclass(frozen=True, slots=True)
class Order:
    """One clip to be made.

    Attributes:
        name: What the clip is called; tells nothing of what is in it.
        split: "train", "test", or "recorded".
        number: Its place in the split; with the seed it decides all chance.
        seed: The benchmark's.
        recipe: An injector, or a kind of clean clip.
        level: How strong the glitch is.
    """

    name: str
    split: str
    number: int
    seed: int
    recipe: str
    level: Level = 0

    @property
    def clean(self) -> bool:
        """Tell whether nothing is injected."""
        return self.recipe in CLEAN

    def rng(self, attempt: int) -> np.random.Generator:
        """Return the generator of one attempt to make the clip."""
        words = [self.seed, sorted((*SEEDS, "recorded")).index(self.split), self.number, attempt]
        return np.random.default_rng([*words, 0x611C])


def injectors() -> dict[str, Injector]:
    """Return all injectors by name."""
    return {name: plugins.find(INJECTORS, name)() for name in plugins.names(INJECTORS)}


def orders(clips: int, seed: int) -> list[Order]:
    """Return the clips of a benchmark of the worlds: train, then test."""
    first = round(TRAIN_SHARE * clips)
    found = {name: one for name, one in injectors().items() if one.needs != "recorded"}
    old = {name: one for name, one in found.items() if one.which == "first"}
    return [
        *_split("train", first, seed, old),
        *_split("test", clips - first, seed, found),
    ]


def recorded_orders(clips: int, seed: int) -> list[Order]:
    """Return the clips to be made of recorded ones: what needs nothing but pictures."""
    alone = ("frames", "recorded")
    known = {name: one for name, one in injectors().items() if one.needs in alone}
    return _split("recorded", clips, seed, known)


def _split(split: str, count: int, seed: int, known: Mapping[str, Injector]) -> list[Order]:
    """Return the clips of one split in a random order, so that a name tells nothing."""
    rng = np.random.default_rng([seed, len(split), 0x0D3A])
    clean = round(CLEAN_SHARE * count)
    recipes = [*_glitches(known, count - clean, rng), *_clean(clean, split)]
    return [
        Order(f"{split}-{place:04d}", split, place, seed, recipe, level)
        for place, (recipe, level) in enumerate(recipes[n] for n in rng.permutation(count))
    ]


def _glitches(
    known: Mapping[str, Injector], count: int, rng: np.random.Generator
) -> Iterator[tuple[str, Level]]:
    """Yield injectors: type after type, its ways and levels in turn."""
    kinds = [kind for kind in taxonomy().types if any(i.type == kind for i in known.values())]
    ways = {kind: _of(kind, known) for kind in kinds}
    levels: dict[str, Iterator[Level]] = {kind: _levels(rng) for kind in kinds}
    order = [kinds[n] for n in rng.permutation(len(kinds))]
    for kind, number in islice(_rounds(order, ways), count):
        yield ways[kind][number % len(ways[kind])], next(levels[kind])


def _rounds(order: Sequence[str], ways: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, int]]:
    """Yield every type and the round, in round after round.

    Types with a way that had no turn yet come first: the last round may break off.
    """
    for number in count_up():
        for kind in sorted(order, key=lambda kind: len(ways[kind]) <= number):
            yield kind, number


def _of(kind: str, known: Mapping[str, Injector]) -> list[str]:
    """Return the ways to make a type in turn: first ones as often as second ones, all alike."""
    own = [(name, one.which) for name, one in known.items() if one.type == kind]
    first = [name for name, which in own if which == "first"]
    second = [name for name, which in own if which == "second"]
    if not first or not second:
        return first or second
    pairs = zip(cycle(second), cycle(first), strict=False)
    return [name for pair in islice(pairs, lcm(len(first), len(second))) for name in pair]


def _levels(rng: np.random.Generator) -> Iterator[Level]:
    while True:
        yield from (_LEVELS[n] for n in rng.permutation(3))


def _clean(count: int, split: str) -> Iterator[tuple[str, Level]]:
    """Yield kinds of clean clips by their shares; recorded clips have only the plain one."""
    kinds = ["clean"] if split == "recorded" else list(CLEAN)
    edges = np.cumsum([CLEAN[kind] for kind in kinds])
    for place in (np.arange(count) + 0.5) / max(count, 1) * edges[-1]:
        yield kinds[int(np.searchsorted(edges, place))], 0
