"""The network of a cloned policy: numbers and pictures to a chunk of actions. Needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from assay.worlds.policies._cloned.lessons import CHUNK, Array, Lesson

__all__ = ["Clone", "Norms", "norms_of"]

_WIDE = 224  # with it the graph stays below 1 MB, even with four views
_CHANNELS = (16, 24, 32)
_LEAST = 1e-3  # a number that hardly changes is not blown up


@dataclass(frozen=True, eq=False)
class Norms:
    """Mean and spread of numbers (D,) and places (M,); spread of the ways to targets (CHUNK, J)."""

    mean: Array
    spread: Array
    ways: Array
    place_mean: Array
    place_spread: Array


def norms_of(lessons: Sequence[Lesson]) -> Norms:
    """Return the norms over all moments of some lessons."""
    seen = np.concatenate([lesson.numbers for lesson in lessons])
    ways = np.concatenate([lesson.chunks[..., :-1] for lesson in lessons])
    places = np.concatenate([lesson.places for lesson in lessons])
    return Norms(
        seen.mean(0),
        np.maximum(seen.std(0), _LEAST),
        np.maximum(ways.std(0), _LEAST),
        places.mean(0),
        np.maximum(places.std(0), _LEAST),
    )


class _Eye(nn.Module):
    """One view: pictures (N, S, S, 3), uint8, to where each channel's feature is, (N, 2 C)."""

    def __init__(self) -> None:
        super().__init__()
        first, second, third = _CHANNELS
        self.look = nn.Sequential(
            *(nn.Conv2d(3, first, 5, stride=2, padding=2), nn.ReLU()),
            *(nn.Conv2d(first, second, 3, stride=2, padding=1), nn.ReLU()),
            *(nn.Conv2d(second, third, 3, padding=1), nn.ReLU()),
            nn.Conv2d(third, third, 1),
        )
        self.sharpness = nn.Parameter(torch.zeros(third, 1))

    def forward(self, pictures: Tensor) -> Tensor:
        maps = self.look(pictures.permute(0, 3, 1, 2).float() / 127.5 - 1.0)
        height, width = maps.shape[-2:]
        heat = torch.softmax(maps.flatten(2) * self.sharpness.exp(), dim=2)
        rows = torch.linspace(-1.0, 1.0, height).repeat_interleave(width)
        columns = torch.linspace(-1.0, 1.0, width).repeat(height)
        return torch.cat([heat @ rows, heat @ columns], dim=1)


class Clone(nn.Module):
    """Numbers (N, D) and a picture of each view (N, S, S, 3) to chunks (N, CHUNK, A).

    Args:
        norms: Become part of the network.
        views: How many.
    """

    mean: Tensor
    spread: Tensor
    ways: Tensor

    def __init__(self, norms: Norms, views: int = 0) -> None:
        super().__init__()
        for name in ("mean", "spread", "ways"):
            self.register_buffer(name, torch.from_numpy(np.array(getattr(norms, name))))
        self.eyes = nn.ModuleList(_Eye() for _ in range(views))
        width = len(norms.mean) + views * 2 * _CHANNELS[-1]
        self.actions = norms.ways.shape[1] + 1
        self.think = nn.Sequential(
            *(nn.Linear(width, _WIDE), nn.SiLU(), nn.LayerNorm(_WIDE)),
            *(nn.Linear(_WIDE, _WIDE), nn.SiLU(), nn.LayerNorm(_WIDE)),
            *(nn.Linear(_WIDE, _WIDE), nn.SiLU()),
            nn.Linear(_WIDE, CHUNK * self.actions),
        )
        # Where the things are, from pictures alone: only in training, to teach the eyes.
        places = len(norms.place_mean) if views else 0
        self.places = nn.Linear(views * 2 * _CHANNELS[-1], places) if places else None

    def learn(self, numbers: Tensor, *pictures: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return chunks in units of their spread, the opening as a logit; and the places told."""
        seen = [eye(own) for eye, own in zip(self.eyes, pictures, strict=True)]
        own = (numbers - self.mean) / self.spread
        chunks = self.think(torch.cat([own, *seen], dim=1)).unflatten(1, (CHUNK, self.actions))
        told = None if self.places is None else self.places(torch.cat(seen, dim=1))
        return chunks, told

    def forward(self, numbers: Tensor, *pictures: Tensor) -> Tensor:
        chunks, _ = self.learn(numbers, *pictures)
        ways = chunks[..., :-1] * self.ways
        return torch.cat([ways, torch.sigmoid(chunks[..., -1:])], dim=2)
