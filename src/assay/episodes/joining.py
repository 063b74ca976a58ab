"""Recorded curves put into episodes that were read without them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from assay.episodes import tables
from assay.episodes.labels import without_success
from assay.episodes.recorded.curves import Recorded
from assay.episodes.recorded.files import read_recorded
from assay.errors import InputError
from assay.records import Episode, Unreadable

__all__ = ["join_curves"]


def join_curves(
    found: Iterable[Episode | Unreadable], path: Path, aliases: Mapping[str, str] | None = None
) -> list[Episode | Unreadable]:
    """Return the episodes with the recorded curves of a file put in, matched by id.

    What the file says replaces what the episode said, its task and policy too. An episode without
    a curve stays as it is; a curve without an episode is an error.

    Args:
        found: The episodes.
        path: A csv or jsonl file of curves, where `task` and `policy` may be left out, or a
            progress file of lerobot.
        aliases: Further names of episodes, to ids.
    """
    episodes = list(found)
    names = {**(aliases or {}), **{episode.id: episode.id for episode in episodes}}
    curves: dict[str, Recorded] = {}
    for curve in _curves(path):
        name = names.get(curve.id)
        if name is None:
            ids = [episode.id for episode in episodes]
            raise InputError(tables.no_such("episode", [curve.id], ids), path, curve.line())
        if name in curves:
            raise InputError(
                f"{curve.id!r} and {curves[name].id!r} both name the episode {name!r}.",
                path,
                curve.line(),
            )
        curves[name] = curve
    return [_joined(episode, curves.get(episode.id)) for episode in episodes]


def _curves(path: Path) -> Iterator[Recorded]:
    if path.suffix.lower() != ".parquet":
        yield from read_recorded(path)
        return
    from assay.episodes.lerobot.progress import progress_episodes

    # Task and policy stay those of the dataset that the file is joined to.
    for read in progress_episodes(path):
        if isinstance(read, Unreadable):
            yield Recorded(read.id, path, lambda: 1, fault=read.detail)
        else:
            yield Recorded(read.id, path, lambda: 1, signals=read.signals)


def _joined(episode: Episode | Unreadable, curve: Recorded | None) -> Episode | Unreadable:
    if curve is None:
        return episode
    outcome = episode.outcome if curve.outcome is None else curve.outcome
    if isinstance(episode, Unreadable):
        fields = {name: value for name, value in curve.fields.items() if name != "instruction"}
        return replace(episode, outcome=outcome, **fields)
    # One success for the whole episode wins too: a signal might say something different.
    base = episode if curve.outcome is None else without_success(episode)
    joined = replace(
        base,
        signals={**base.signals, **curve.signals},
        segments=curve.segments or episode.segments,
        outcome=outcome,
        **curve.fields,
    )
    return Unreadable.of(joined, curve.fault, "invalid_value") if curve.fault else joined
