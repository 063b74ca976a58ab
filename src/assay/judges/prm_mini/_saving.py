"""Write a network that has learned as a judge: graphs, scenes, levels. Needs torch."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from assay.errors import InputError
from assay.judges.prm_mini._around import Around
from assay.judges.prm_mini._card import AROUND, HELD_OUT, LEARNT, Card
from assay.judges.prm_mini._clips import SIZE, Clip, takes
from assay.judges.prm_mini._network import (
    CELLS,
    CHANNELS,
    EMBEDDING,
    KEYS,
    MIXED,
    POINTERS,
    STATE,
    WORDS,
    Network,
)
from assay.judges.prm_mini._running import Graphs
from assay.judges.prm_mini._scenes import EXAMPLES, NEAREST, Scenes, gists
from assay.judges.prm_mini._text import LENGTH
from assay.judges.prm_mini._windows import REACH, STEP_S, borne_out
from assay.metrics.calibration import mean_tenths, sum_tenths
from assay.models.graphs import write_graph
from assay.records import Floats

__all__ = ["NETWORK", "export", "levels", "load", "save"]

NETWORK = "network.npz"
_SCENE_FRAMES = 8  # of each clip
_SEEN = 0.99  # share of held-out pictures that must not count as novel
_CLOSE = 0.05  # quantile of the end values of successes


class _Trunk(nn.Module):
    """Pictures (N, S, S, 3), uint8, to maps."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.trunk = network.trunk

    def forward(self, pictures: Tensor) -> Tensor:
        maps: Tensor = self.trunk(pictures.permute(0, 3, 1, 2).float() / 255.0)
        return maps


class _Anchor(nn.Module):
    def __init__(self, network: Network) -> None:
        super().__init__()
        self.eye = network.eye

    def forward(
        self, start: Tensor, goal: Tensor, given: Tensor, query: Tensor
    ) -> tuple[Tensor, Tensor]:
        return self.eye.anchor(start, goal, given, query)


class _Eye(nn.Module):
    def __init__(self, network: Network) -> None:
        super().__init__()
        self.eye = network.eye

    def forward(self, now: Tensor, mixed: Tensor, there: Tensor, *told: Tensor) -> Tensor:
        embedding: Tensor = self.eye(now, (mixed, there), *told)[0]
        return embedding


class _Head(nn.Module):
    def __init__(self, network: Network) -> None:
        super().__init__()
        self.head = network.head

    def forward(self, views: Tensor) -> tuple[Tensor, Tensor]:
        state, logits, facts = self.head(views)
        return state, self.head.raw(logits, facts)


class _Hop(nn.Module):
    def __init__(self, network: Network) -> None:
        super().__init__()
        self.head = network.head

    def forward(self, before: Tensor, after: Tensor) -> Tensor:
        return torch.tanh(self.head.hop(before, after) / 4)


def export(network: Network, folder: Path, around: Around | None = None) -> None:
    """Write the graphs, and the weights of the network as they are for going on from."""
    network.eval()
    folder.mkdir(parents=True, exist_ok=True)
    maps, state = torch.zeros(2, CHANNELS, CELLS, CELLS), torch.zeros(2, STATE)
    given, query = torch.zeros(1, 2), torch.zeros(1, POINTERS, KEYS)
    anchor = (torch.zeros(1, MIXED, CELLS, CELLS), torch.zeros(1, POINTERS, 2))
    parts: dict[str, tuple[nn.Module, tuple[Tensor, ...]]] = {
        "words": (network.words, (torch.ones(1, LENGTH, dtype=torch.int64),)),
        "trunk": (_Trunk(network), (torch.zeros(2, SIZE, SIZE, 3, dtype=torch.uint8),)),
        "anchor": (_Anchor(network), (maps[:1], maps[:1], given, query)),
        "eye": (_Eye(network), (maps, *anchor, given, torch.zeros(1, WORDS), query)),
        "head": (_Head(network), (torch.zeros(2, 2 * EMBEDDING),)),
        "hop": (_Hop(network), (state, state)),
    }
    if around is None:
        (folder / f"{AROUND}.onnx").unlink(missing_ok=True)  # of other weights
    else:
        parts[AROUND] = (around, (torch.zeros(2, 2 * REACH + 1, STATE),))
    for name, (part, example) in parts.items():
        write_graph(part.eval(), example, folder / f"{name}.onnx")
    arrays = {name: value.numpy() for name, value in network.state_dict().items()}
    np.savez_compressed(folder / NETWORK, **arrays)


def load(folder: Path) -> Network:
    """Return the network of a judge's folder, to go on from.

    Raises:
        InputError: There are no weights, or those of a network that was built otherwise.
    """
    network = Network()
    try:
        with np.load(folder / NETWORK, allow_pickle=False) as stored:
            network.load_state_dict({name: torch.from_numpy(stored[name]) for name in stored})
    except (OSError, KeyError, ValueError, RuntimeError, zipfile.BadZipFile) as error:
        raise InputError(
            "holds no weights that this version can go on from: train it anew.", folder / NETWORK
        ) from error
    return network


def save(  # noqa: PLR0913 - three kinds of clips, and what the card says
    network: Network,
    train: Sequence[Clip],
    valid: Sequence[Clip],
    folder: Path,
    *,
    name: str,
    around: Around | None = None,
    usual: Sequence[Clip] | None = None,
    look: int | None = None,
    about: Mapping[str, Any] | None = None,
) -> Card:
    """Write the judge with levels measured on held-out clips, and return its card.

    Where nothing was held out the clips that it learned from tell the levels, and the card says so.

    Args:
        network: What has learned.
        train: From these.
        valid: Held out, or the same as `train`; tell what counts as novel.
        folder: Where the judge goes.
        name: What reports call it.
        around: The part that looks at the moments around a moment, if it has learned, too.
        usual: Held out, and such as the judge will meet: tell when a task is done, how steady the
            judge is and how well calibrated. None takes `valid`.
        look: Version of the worlds' look, if it learned from worlds.
        about: Whatever else the card is to say.
    """
    usual = valid if usual is None else usual
    export(network, folder, around)
    scenes = Scenes.of([_some(clip) for clip in train])
    scenes.write(folder)
    seen = [(take, _raw(folder, take.fixed)) for take in takes(usual)]
    completion, count = levels([float(raw[-1]) for take, raw in seen if take.first.success])
    held = {take.first.episode for take, _ in seen} - {take.first.episode for take in takes(train)}
    source = HELD_OUT if held else LEARNT
    card = Card(
        name=name,
        completion=completion,
        completion_n=count,
        noise=_trembling(folder, usual) / completion,
        noise_from=f"pictures half-way through {source}, with noise of 2 grey levels",
        novelty=_threshold(scenes, valid) if held else _threshold_within(scenes, train),
        look=look,
        tasks=dict(Counter(take.first.task for take in takes(train))),
        episodes=len(takes(train)),
        held_out=len(held),
        levels_from=source,
        calibration=_calibration(
            np.concatenate([np.minimum(raw / completion, 1.0) for _, raw in seen]),
            np.concatenate([take.first.values for take, _ in seen]),
        ),
        about=dict(about or {}),
    )
    card.write(folder)
    return card


def levels(ends: Sequence[float]) -> tuple[float, int]:
    """Return the completion level from the raw end values of successes, and their number.

    Without any the level is 1: nothing is stretched.
    """
    if not ends:
        return 1.0, 0
    return float(np.clip(np.quantile(ends, _CLOSE), 0.05, 1.0)), len(ends)


def _some(clip: Clip) -> Any:  # noqa: ANN401 - pictures
    rows = np.linspace(0, len(clip.frames) - 1, min(_SCENE_FRAMES, len(clip.frames)))
    return clip.frames[np.round(rows).astype(np.int64)]


def _raw(folder: Path, clips: Sequence[Clip]) -> Floats:
    """Return the raw progress at every moment of an episode, from its views."""
    first = clips[0]
    words = first.instructions[0] if first.instructions else ""
    frames = {clip.view: clip.frames for clip in clips}
    graphs = Graphs.load(folder)
    times = _even(len(first.frames)) if first.times is None else first.times
    return borne_out(graphs, times, graphs.look(words, frames))


def _even(count: int) -> Floats:
    return STEP_S * np.arange(count, dtype=np.float64)


def _threshold(scenes: Scenes, valid: Sequence[Clip]) -> float:
    """Return the distance that hardly any held-out picture exceeds."""
    far = np.concatenate([scenes.distance(_some(clip)) for clip in valid])
    return float(np.quantile(far, _SEEN))


def _threshold_within(scenes: Scenes, train: Sequence[Clip]) -> float:
    """Return the same where nothing was held out, from the pictures that were learnt from.

    A picture that was learnt from is at home, and so are its neighbours in the episode. So each is
    compared with the pictures of other episodes; with a single episode, with all but itself.
    """
    shown = [_some(clip) for clip in train]
    rows = np.concatenate([(gists(own) - scenes.mean) @ scenes.axes for own in shown])
    episodes = np.repeat([clip.episode for clip in train], [len(own) for own in shown])
    # As many as the judge has: among more, every picture would find nearer ones.
    kept = np.random.default_rng(0).permutation(len(rows)) < EXAMPLES
    single = len(set(episodes)) == 1
    far = []
    for place, picture in enumerate(np.concatenate(shown)):
        others = episodes != episodes[place]
        if single:
            others = np.arange(len(rows)) != place
        if np.count_nonzero(others & kept) < NEAREST:
            others = np.ones(len(rows), dtype=bool)  # too few to leave any out
        far.append(replace(scenes, examples=rows[others & kept]).distance(picture[None]))
    return float(np.quantile(np.concatenate(far), _SEEN))


def _trembling(folder: Path, valid: Sequence[Clip]) -> float:
    """Return the standard deviation of raw values over noisy copies of one picture, pooled."""
    rng = np.random.default_rng(0)
    spreads = []
    for take in takes(valid)[:24]:
        clips = take.fixed
        words = take.first.instructions[0] if take.first.instructions else ""
        frames = {}
        for clip in clips:
            middle = clip.frames[len(clip.frames) // 2].astype(np.float64)
            copies = np.repeat(middle[None], 8, axis=0)
            copies += rng.normal(0.0, 2.0, copies.shape)
            noisy = np.clip(np.round(copies), 0, 255).astype(np.uint8)
            frames[clip.view] = np.concatenate([clip.frames[:1], noisy])
        graphs = Graphs.load(folder)
        looked = graphs.look(words, frames)[1:]
        spreads.append(np.var(borne_out(graphs, _even(len(looked.raw)), looked), ddof=1))
    return float(np.sqrt(np.mean(spreads)))


def _calibration(told: Floats, truth: Floats) -> tuple[tuple[float, float, int], ...]:
    """Return rows of mean progress as told, mean truth and n, by tenths of what was told."""
    tenths = mean_tenths(sum_tenths(told, truth))
    return tuple((round(own.told, 4), round(own.truth, 4), own.n) for own in tenths)
