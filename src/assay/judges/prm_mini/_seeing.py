"""Let a torch network look at whole episodes, and say how well it does. Needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from assay.judges.prm_mini._clips import Clip, Take
from assay.judges.prm_mini._network import DONE, Network
from assay.judges.prm_mini._running import Looked
from assay.judges.prm_mini._text import tokens
from assay.records import Floats

__all__ = ["Score", "Seen", "conclude", "embed", "score", "see"]

_PAIRS = 60  # of an episode
_AMBIGUOUS = 0.04


@dataclass(frozen=True)
class Score:
    """How well progress is told on some episodes.

    Attributes:
        error: Mean absolute error.
        pairs: Share of pairs of an episode's moments that are put in the right order.
        anti_time: The same over pairs whose later moment is worse; NaN without any.
        wrong_object: The same over such pairs of episodes with the wrong thing.
        spearman: Mean rank correlation within episodes.
        hops: As `pairs`, by the hop head.
        hops_anti_time: As `anti_time`, by the hop head.
        hops_small: As `hops`, of pairs closer than a third.
    """

    error: float
    pairs: float
    anti_time: float
    wrong_object: float
    spearman: float
    hops: float = float("nan")
    hops_anti_time: float = float("nan")
    hops_small: float = float("nan")


@dataclass(frozen=True, eq=False)
class Seen:
    """What the network makes of an episode: raw values (T,), and hops (T, T) from any to any."""

    progress: Floats
    hops: Floats


@torch.no_grad()
def embed(network: Network, take: Take, clips: Sequence[Clip]) -> Tensor:
    """Return what every moment looks like, a row for each of `clips`: (V, T, EMBEDDING)."""
    network.eval()
    first = take.first
    words = first.instructions[0] if first.instructions else ""
    summary, query = network.words(torch.from_numpy(tokens(words))[None])
    given = torch.tensor([[1.0, 0.0]])
    embedded = []
    for clip in clips:
        pictures = torch.from_numpy(clip.frames).permute(0, 3, 1, 2).float().div(255.0)
        maps = network.trunk(pictures.contiguous(memory_format=torch.channels_last))
        anchor = network.eye.anchor(maps[:1], torch.zeros_like(maps[:1]), given, query)
        embedded.append(network.eye(maps, anchor, given, summary, query)[0])
    return torch.stack(embedded)


@torch.no_grad()
def conclude(network: Network, embedded: Tensor) -> Looked:
    """Return what all views (V, T, EMBEDDING) show together."""
    views = torch.cat([embedded.mean(0), embedded.amax(0)], 1)
    state, logits, facts = network.head(views)
    return Looked(network.head.raw(logits, facts).double().numpy(), state.numpy())


@torch.no_grad()
def see(network: Network, take: Take) -> Seen:
    """Return the progress at every moment, seen from the fixed views, and all hops."""
    looked = conclude(network, embed(network, take, take.fixed))
    state, count = torch.from_numpy(looked.states), len(looked.raw)
    before, after = state[:, None].expand(-1, count, -1), state[None].expand(count, -1, -1)
    hops = network.head.hop(before.flatten(0, 1), after.flatten(0, 1)).view(count, count)
    return Seen(looked.raw, hops.double().numpy())


def score(network: Network, valid: Sequence[Take], seed: int = 0) -> Score:
    """Return how well the network does on episodes with known values."""
    from scipy.stats import rankdata

    rows, errors, ranks = [], [], []
    rng = np.random.default_rng([seed, 2])
    for take in valid:
        truth = take.first.values.astype(np.float64)
        seen = see(network, take)
        known = ~np.isnan(truth)
        told = np.minimum(seen.progress / (1.0 - DONE), 1.0)
        errors.append(np.abs(told - truth)[known].mean())
        if known.sum() > 2 and np.ptp(truth[known]) > 0.05:
            ours, theirs = rankdata(truth[known]), rankdata(seen.progress[known])
            ranks.append(float(np.corrcoef(ours, theirs)[0, 1]))
        rows.append(_pairs(truth, seen, take.first.policy, rng))
    table = np.concatenate(rows)
    return Score(
        error=float(np.mean(errors)),
        pairs=_share(table[:, 0]),
        anti_time=_share(table[table[:, 2] > 0, 0]),
        wrong_object=_share(table[(table[:, 2] > 0) & (table[:, 3] > 0), 0]),
        spearman=float(np.nanmean(ranks)) if ranks else float("nan"),
        hops=_share(table[:, 1]),
        hops_anti_time=_share(table[table[:, 2] > 0, 1]),
        hops_small=_share(table[table[:, 4] > 0, 1]),
    )


def _pairs(truth: Floats, seen: Seen, policy: str, rng: np.random.Generator) -> Floats:
    """Return a row for each of some pairs: right by progress, by hop, anti-time, wrong, small."""
    before, after = np.triu_indices(len(truth), 1)
    change = truth[after] - truth[before]
    clear = np.flatnonzero(np.abs(change) >= _AMBIGUOUS)  # NaN is not clear
    chosen = rng.permutation(clear)[:_PAIRS]
    b, a, sign = before[chosen], after[chosen], np.sign(change[chosen])
    room = np.where(sign > 0, 1.0 - truth[b], truth[b])
    return np.stack(
        [
            np.sign(seen.progress[a] - seen.progress[b]) == sign,
            np.sign(seen.hops[b, a]) == sign,
            sign < 0,
            np.full(len(chosen), policy == "wrong-object"),
            np.abs(change[chosen]) <= room / 3,
        ],
        axis=1,
    ).astype(np.float64)


def _share(hits: Floats) -> float:
    return float(hits.mean()) if len(hits) else float("nan")
