"""Noise in pictures: the formula, and the same noise for everyone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.benchmarks.pulse.noise import noisy, with_noise
from assay.records import Episode, View


@dataclass(frozen=True)
class Grey:
    """Frames of one grey level."""

    level: int = 128

    def key(self) -> str:
        return f"grey{self.level}"

    def clock(self) -> np.ndarray:
        return np.arange(4) / 2

    def at(self, times: np.ndarray) -> Iterator[np.ndarray]:
        for _ in times:
            yield np.full((40, 50, 3), self.level, dtype=np.uint8)


def episode(name="e"):
    return Episode(id=name, task="t", views={"front": View(Grey()), "side": View(Grey())})


def frames(shown, view="front", times=(0.0, 0.5)):
    return list(shown.views[view].frames.at(np.array(times)))


def test_the_formula():
    # With a = .1 a pixel of .5 becomes .45 + .1 eps: mean 115 of 255, deviation 25.5.
    image = noisy(np.full((100, 100, 3), 127, np.uint8), 0.1, np.random.default_rng(0))
    assert abs(image.mean() - 0.9 * 127) < 0.5
    assert abs(image.std() - 25.5) < 0.5
    white = noisy(np.full((50, 50, 3), 255, np.uint8), 0.5, np.random.default_rng(0))
    assert white.max() == 255


def test_no_noise_changes_nothing():
    clean = episode()
    assert with_noise(clean, 0.0, 0) is clean


def test_the_same_moment_has_the_same_noise_whenever_it_is_asked_for():
    shown = with_noise(episode(), 0.1, seed=3)
    both, alone = frames(shown), frames(shown, times=(0.5,))
    assert np.array_equal(both[1], alone[0])
    assert np.array_equal(both[1], frames(with_noise(episode(), 0.1, seed=3))[1])


def test_moments_views_episodes_and_seeds_differ():
    shown = with_noise(episode(), 0.1, seed=3)
    first, second = frames(shown)
    others = [
        second,
        frames(shown, "side")[0],
        frames(with_noise(episode("f"), 0.1, seed=3))[0],
        frames(with_noise(episode(), 0.1, seed=4))[0],
    ]
    assert all(not np.array_equal(first, other) for other in others)


def test_frames_say_that_they_are_noisy():
    inner, shown = Grey(), with_noise(episode(), 0.1, seed=3).views["front"].frames
    assert shown.key() != inner.key()
    assert np.array_equal(shown.clock(), inner.clock())
