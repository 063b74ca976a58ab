"""The network: what it is made of. Needs torch; only training and the export come here.

In parts, so that each is run as seldom as can be: `Words` once an instruction, `Trunk` once a
picture, `Eye.anchor` once an episode and view, `Eye` once a picture, `Head` once a moment, over all
views.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.judges.prm_mini._clips import FACTS, PLACES, SIZE, STEPS
from assay.judges.prm_mini._text import LENGTH, VOCABULARY

__all__ = [
    "CELLS",
    "CHANNELS",
    "DONE",
    "DONE_FROM",
    "EMBEDDING",
    "KEYS",
    "MIXED",
    "POINTERS",
    "STATE",
    "WORDS",
    "Eye",
    "Head",
    "Network",
    "Residual",
    "Trunk",
    "Words",
    "by_steps",
    "told",
]

CELLS: Final = SIZE // 4  # of the trunk's map
CHANNELS: Final = 32  # of the trunk's map
POINTERS: Final = 10  # places that the instruction points at
KEYS: Final = 24
WORDS: Final = 48
MIXED: Final = 48  # channels of the maps of now, start and goal together
EMBEDDING: Final = 224
STATE: Final = 128
DONE: Final = 0.3  # share of the raw value that only a task that is done brings
DONE_FROM: Final = 0.999  # progress from which a task counts as done


class Words(nn.Module):
    """Tokens (N, L) to a summary (N, WORDS) and to what each pointer looks for (N, P, KEYS)."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WORDS, padding_idx=0)
        self.place = nn.Parameter(torch.randn(LENGTH, WORDS) * 0.02)
        self.near = nn.Conv1d(WORDS, WORDS, 5, padding=2)
        self.asks = nn.Parameter(torch.randn(POINTERS, WORDS) * WORDS**-0.5)
        self.query = nn.Linear(WORDS, POINTERS * KEYS)
        self.own = nn.Parameter(torch.randn(POINTERS, KEYS) * 0.1)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        there = (tokens > 0).float()
        words = (self.embed(tokens) + self.place) * there[..., None]
        words = words + torch.relu(self.near(words.transpose(1, 2))).transpose(1, 2)
        words = words * there[..., None]
        summary = words.sum(1) / there.sum(1, keepdim=True).clamp(min=1.0)
        scores = torch.matmul(self.asks, words.transpose(1, 2)) + (there[:, None] - 1.0) * 1e4
        chosen = torch.matmul(torch.softmax(scores, -1), words)  # (N, P, WORDS)
        # Each pointer turns what it chose into a query of its own.
        weight = self.query.weight.view(POINTERS, KEYS, WORDS)
        query = torch.matmul(weight, chosen[..., None])[..., 0] + self.own
        return summary, query


class Residual(nn.Module):
    """Two convolutions beside the identity."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.body(x))


def _down(inner: int, outer: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inner, outer, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(outer),
        nn.ReLU(inplace=True),
    )


class Trunk(nn.Module):
    """Pictures (N, 3, SIZE, SIZE) in 0..1 to maps (N, CHANNELS, CELLS, CELLS)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(_down(3, 16), _down(16, CHANNELS), Residual(CHANNELS))

    def forward(self, pictures: Tensor) -> Tensor:
        seen: Tensor = self.body(pictures * 4.0 - 2.0)
        return seen


class Eye(nn.Module):
    """Maps of a moment, its start and its goal, and the words, to an embedding (N, EMBEDDING).

    `given`, of shape (N, 2), is 1 where there is a start and a goal; their maps don't count else.
    What `anchor` returns and the words may be of one episode while `now` has many moments.
    """

    def __init__(self) -> None:
        super().__init__()
        self.key = nn.Conv2d(CHANNELS, KEYS, 1)
        self.mix = nn.Conv2d(3 * CHANNELS, MIXED, 1)
        self.film = nn.Linear(WORDS + 2, 2 * MIXED)
        self.down = _down(MIXED, 64)
        self.res = nn.Sequential(Residual(64), Residual(64))
        self.film2 = nn.Linear(WORDS + 2, 2 * 64)
        self.deep = nn.Sequential(_down(64, 96), Residual(96))
        self.film3 = nn.Linear(WORDS + 2, 2 * EMBEDDING)
        self.flat = nn.Conv2d(96, 8, 1)
        axis = (torch.arange(CELLS) + 0.5) / CELLS * 2 - 1
        grid = torch.stack([axis.repeat(CELLS), axis.repeat_interleave(CELLS)], 1)
        self.grid: Tensor
        self.register_buffer("grid", grid)  # (CELLS^2, 2): x, y
        wide = POINTERS * (6 + MIXED) + (POINTERS - 1) * 5 + 96 + 8 * (CELLS // 4) ** 2 + WORDS + 2
        self.out = nn.Linear(wide, EMBEDDING)

    def point(self, maps: Tensor, query: Tensor) -> tuple[Tensor, Tensor]:
        """Return where each pointer points, (N, P, 2) in -1..1, and its attention (N, P, cells)."""
        keys = self.key(maps).flatten(2)  # (N, KEYS, cells)
        attention = torch.softmax(torch.matmul(query, keys), -1)
        return torch.matmul(attention, self.grid), attention

    def anchor(
        self, start: Tensor, goal: Tensor, given: Tensor, query: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return what start and goal bring to every moment: a map, and where the pointers began."""
        has = given[:, :, None, None]
        there, _ = self.point(start, query)
        both = torch.cat([start * has[:, :1], goal * has[:, 1:]], 1)
        mixed = functional.conv2d(both, self.mix.weight[:, CHANNELS:], self.mix.bias)
        return mixed, there * given[:, :1, None]

    def forward(
        self,
        now: Tensor,
        anchor: tuple[Tensor, Tensor],
        given: Tensor,
        summary: Tensor,
        query: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Return the embedding and where the pointers point."""
        told = torch.cat([summary, given], 1)
        here, attention = self.point(now, query)
        there = anchor[1].expand_as(here)
        mixed = functional.conv2d(now, self.mix.weight[:, :CHANNELS]) + anchor[0]
        scale, shift = self.film(told)[:, :, None, None].chunk(2, 1)
        mixed = torch.relu(mixed * (1.0 + scale) + shift)
        looked = torch.matmul(attention, mixed.flatten(2).transpose(1, 2))  # (N, P, MIXED)
        deep = self.res(self.down(mixed))
        scale, shift = self.film2(told)[:, :, None, None].chunk(2, 1)
        deep = self.deep(torch.relu(deep * (1.0 + scale) + shift))
        began = given[:, :1, None]
        way, near = _from_first(here)
        far = _from_first(there)[1]
        share = near / (far + 0.1) * began  # of the way that is left
        parts = [here, there, (here - there) * began, looked, way, near, far * began, share]
        flat = [part.flatten(1) for part in parts]
        flat += [deep.mean((2, 3)), self.flat(deep).flatten(1), told.expand(now.shape[0], -1)]
        scale, shift = self.film3(told).chunk(2, 1)
        return torch.relu(self.out(torch.cat(flat, 1)) * (1.0 + scale) + shift), here


def _from_first(points: Tensor) -> tuple[Tensor, Tensor]:
    """Return the ways from the first pointer, the tool's, to the others, and their lengths."""
    way = points[:, 1:] - points[:, :1]
    return way, (way.square().sum(-1, keepdim=True) + 1e-4).sqrt()


def by_steps(facts: Tensor) -> Tensor:
    """Return the progress (N,) that facts (N, FACTS + STEPS), as `Head.facts` tells them, make up.

    With d_j and c_j the chance that step j is done and the share of it that is covered, K steps
    are worth 1/K sum_k (prod_{j<k} d_j) (d_k + (1 - d_k) c_k): what the potential is on average,
    if steps are told independently of each other. The last of the facts tell K.
    """
    done, covered, count = torch.split(facts[:, PLACES + 2 :], STEPS, dim=1)
    earlier = torch.ones(STEPS, STEPS, device=facts.device).triu(1)
    # Not by logsigmoid: the graph would take the logarithm of a chance that has become 0.
    before = torch.exp(-torch.matmul(functional.softplus(-done), earlier))
    chance = torch.sigmoid(done)
    worth = before * (chance + (1.0 - chance) * torch.sigmoid(covered))
    upto = torch.matmul(worth, earlier + torch.eye(STEPS)) / torch.arange(1, STEPS + 1)
    return (torch.softmax(count, 1) * upto).sum(1)


def told(whole: Tensor, steps: Tensor) -> Tensor:
    """Return progress that was told twice, as a whole and by its steps: neither counts more."""
    return 0.5 * (whole + steps)


class Head(nn.Module):
    """Mean and maximum of the views' embeddings, (N, 2 EMBEDDING), to a state and two logits.

    The first is of progress, the second of being done: nearly there and there look much alike, and
    what tells them apart deserves an answer of its own. Progress is told a second time by the steps
    of the task, which are among the facts; both tellings count the same.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(2 * EMBEDDING, 192), nn.ReLU(inplace=True), nn.Linear(192, STATE)
        )
        self.progress = nn.Linear(STATE, 2)
        self.turn = nn.Linear(STATE, 48, bias=False)
        self.along = nn.Linear(48, 1, bias=False)
        self.facts = nn.Linear(STATE, FACTS + STEPS)  # the last: how many steps there are

    def forward(self, views: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        state = self.body(views)
        seen = torch.relu(state)
        return state, self.progress(seen), self.facts(seen)

    def raw(self, logits: Tensor, facts: Tensor) -> Tensor:
        """Return the raw value, in 0..1: progress, and a step more where the task is done."""
        shares = torch.sigmoid(logits)
        return (1.0 - DONE) * told(shares[:, 0], by_steps(facts)) + DONE * shares[:, 1]

    def hop(self, before: Tensor, after: Tensor) -> Tensor:
        """Return the logit of a forward hop; odd, so that swapping the two turns its sign."""
        logit: Tensor = self.along(torch.tanh(self.turn(after - before)))[:, 0]
        return logit


class Network(nn.Module):
    """All parts together, for training."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.trunk, self.eye, self.head = Words(), Trunk(), Eye(), Head()
