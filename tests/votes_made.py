"""Votes for tests: drawn from known strengths, or written out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from assay.metrics.preference.counts import Tally


def tally(wins: list[list[float]], ties: list[list[float]] | None = None) -> Tally:
    """Return counts from tables of wins and ties."""
    won = np.array(wins, dtype=float)
    return Tally(won, np.zeros_like(won) if ties is None else np.array(ties, dtype=float))


def draw(
    beta: np.ndarray, n: int, seed: int = 0, nu: float = 0.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a, b and outcome of `n` votes by Davidson's model; with nu = 0 there are no ties."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, len(beta), n)
    b = (a + rng.integers(1, len(beta), n)) % len(beta)
    apart = beta[a] - beta[b]
    up, down = np.exp(apart / 2), np.exp(-apart / 2)
    lot = rng.random(n) * (up + down + nu)
    return a, b, np.where(lot < up, 1, np.where(lot < up + down, -1, 0))


def write(path: Path, rows: list[tuple[object, ...]], header: str = "a,b,outcome") -> Path:
    """Write a file of votes."""
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


def counted(games: Mapping[tuple[str, str], tuple[int, int, int]]) -> list[tuple[str, str, str]]:
    """Return votes from wins of the first, wins of the second and ties of each pair."""
    return [
        (a, b, outcome)
        for (a, b), numbers in games.items()
        for outcome, n in zip(("a", "b", "tie"), numbers, strict=True)
        for _ in range(n)
    ]
