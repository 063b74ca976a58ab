"""Gather the episodes of a run: read, label, map, and check before anything is spent."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from assay.episodes import catalogue
from assay.episodes.joining import join_curves
from assay.episodes.labels import read_labels, read_task_map
from assay.errors import InputError, UnknownNameError, UsageError
from assay.jobs._fingerprint import fingerprint
from assay.records import Episode, Unreadable

__all__ = ["Gathered", "Wanted", "gather", "refuse_out_inside"]

Found = Episode | Unreadable


@dataclass(frozen=True)
class Wanted:
    """What to read and how to relabel it.

    Attributes:
        sources: `[LABEL=]PATH` texts.
        signals: The signals to keep. Joint angles and actions of thousands of episodes would fill
            the memory, and the pipes to the workers, for nothing.
        labels: A labels file, or None.
        task_map: A task map, or None.
        curves: A file of recorded curves to join to the episodes by id, or None.
        experts: A file of demonstrations that the report compares with, or None.
        views: The views to keep, in order; empty keeps all.
        limit: How many episodes to take from each source, or None for all.
        trust_pickles: Whether pickles of the sources may be opened.
    """

    sources: tuple[str, ...]
    signals: frozenset[str]
    labels: Path | None = None
    task_map: Path | None = None
    curves: Path | None = None
    experts: Path | None = None
    views: tuple[str, ...] = ()
    limit: int | None = None
    trust_pickles: bool = False


@dataclass(frozen=True)
class Gathered:
    """The episodes of a run and a description of where they came from."""

    episodes: tuple[Found, ...]
    inputs: tuple[dict[str, Any], ...]
    fingerprints: dict[str, str]
    labelled: bool


def gather(wanted: Wanted) -> Gathered:
    """Read every source once; whatever is wrong with the request is found here.

    Raises:
        InputError: A source can't be read, or a label, map row or curve matches nothing.
    """
    sources = [catalogue.Source.parse(text) for text in wanted.sources]
    more = [] if wanted.experts is None else [wanted.experts]
    files = [f for f in (wanted.labels, wanted.task_map, wanted.curves) if f is not None]
    # A row of these files may speak of any episode, so all are read before some are taken.
    every = catalogue.read_all(
        sources, limit=None if files else wanted.limit, trust_pickles=wanted.trust_pickles
    )
    read = [(source, _lean(episode, wanted.signals)) for source, episode in every]
    if not read:
        raise InputError("no episode was found.", ", ".join(wanted.sources))
    relabelled = _relabelled([episode for _, episode in read], wanted)
    taken = _first(zip((source for source, _ in read), relabelled, strict=True), wanted.limit)
    counts = Counter(source for source, _ in taken)
    inputs = tuple(
        {
            "path": str(source.path),
            "label": source.label,
            "format": catalogue.format_of(source.path),
            "episodes": counts[source],
        }
        for source in sources
    )
    return Gathered(
        episodes=tuple(episode for _, episode in taken),
        inputs=inputs,
        fingerprints={str(p): fingerprint(p) for p in [*(s.path for s in sources), *files, *more]},
        labelled=wanted.labels is not None and read_labels(wanted.labels).tell_success,
    )


def refuse_out_inside(sources: Iterable[str | Path], out: Path) -> None:
    """Raise when what a run writes would become part of the data that it reads.

    Args:
        sources: `[LABEL=]PATH` texts or paths.
        out: The run directory.
    """
    for source in sources:
        path = catalogue.Source.parse(str(source)).path
        if path.is_dir() and out.resolve().is_relative_to(path.resolve()):
            raise UsageError(f"--out {out} lies inside {path}: choose a folder outside it.")


def _lean(episode: Found, signals: frozenset[str]) -> Found:
    if isinstance(episode, Unreadable):
        return episode
    return episode.keeping(signals)


def _first(
    pairs: Iterable[tuple[catalogue.Source, Found]], limit: int | None
) -> list[tuple[catalogue.Source, Found]]:
    """Return the first `limit` episodes of each source."""
    counts: Counter[catalogue.Source] = Counter()
    taken = []
    for source, episode in pairs:
        counts[source] += 1
        if limit is None or counts[source] <= limit:
            taken.append((source, episode))
    return taken


def _relabelled(found: Sequence[Found], wanted: Wanted) -> Sequence[Found]:
    """Return the episodes with curves joined, tasks mapped, labels applied and views chosen."""
    ids = [episode.id for episode in found]
    if wanted.curves is not None:
        found = join_curves(found, wanted.curves)
    if wanted.task_map is not None:
        tasks = read_task_map(wanted.task_map)
        tasks.check(
            [e.task for e in found] + [e.instruction for e in found if isinstance(e, Episode)]
        )
        found = [tasks.apply(episode) for episode in found]
    if wanted.labels is not None:
        labels = read_labels(wanted.labels)
        labels.check(ids)
        found = [labels.apply(episode) for episode in found]
    return _planned(_with_views(found, wanted.views) if wanted.views else found)


def _planned(found: Sequence[Found]) -> list[Found]:
    """Return the episodes, each with the subtasks that its task has in any of them, in order."""
    starts: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for episode in found:
        for segment in episode.segments if isinstance(episode, Episode) else ():
            if segment.kind == "subtask":
                starts[episode.task][segment.name].append(segment.start_s)
    plans = {
        task: tuple(sorted(subtasks, key=lambda name: median(subtasks[name])))
        for task, subtasks in starts.items()
    }
    return [
        replace(e, plan=plans[e.task]) if isinstance(e, Episode) and e.task in plans else e
        for e in found
    ]


def _with_views(found: Sequence[Found], views: Sequence[str]) -> list[Found]:
    """Keep only the named views, in the order named; an episode with none is unreadable."""
    known = {view for episode in found if isinstance(episode, Episode) for view in episode.views}
    for view in views:
        if view not in known:
            raise UnknownNameError("view", view, known)
    return [_choose(e, views) if isinstance(e, Episode) else e for e in found]


def _choose(episode: Episode, views: Sequence[str]) -> Found:
    kept = {view: episode.views[view] for view in views if view in episode.views}
    if not kept:
        known = ", ".join(sorted(episode.views)) or "none"
        return Unreadable.of(episode, f"has no view {' or '.join(views)} (its views: {known})")
    return replace(episode, views=kept)
