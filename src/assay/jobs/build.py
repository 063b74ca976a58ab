"""Build a benchmark from episodes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

from assay.benchmarks.pulse.items import SETTINGS, Placed, build_items
from assay.benchmarks.pulse.thresholds import PER_STRATUM
from assay.benchmarks.splits import SPLITS
from assay.episodes.catalogue import Source
from assay.errors import InputError, UnknownNameError, UsageError
from assay.jobs._fingerprint import fingerprint
from assay.jobs._inputs import Gathered, Wanted, gather
from assay.jobs._log import logged
from assay.jobs._policy_kinds import PolicyKinds
from assay.jobs._pulse_items import summary, write_items
from assay.jobs._rundir import RunDirectory, disk_faults, dump_json, read_document, write_file
from assay.records import Episode, Unreadable

__all__ = ["BENCHMARKS", "BuildResult", "BuildSettings", "build"]

BENCHMARKS = ("pulse",)

_MOST = 10_000
_SIDES = ("", ".left", ".right")
_SIGNALS = frozenset(
    {"progress", "primitive", "phase"}
    | {f"{name}{side}" for name in ("gripper_opening", "joint_position") for side in _SIDES}
)


@dataclass(frozen=True)
class BuildSettings:
    """What to build and from which episodes.

    Attributes:
        out: The run directory; the items are in it.
        benchmark: What to build: "pulse".
        per_episode: At most so many pairs of one episode in each bin and order.
        split: Take only episodes whose seed is in this split.
        tasks: Take only these tasks; empty takes all.
        perturbations: Take only these perturbations, "none" among them; empty takes all.
        setting: Where episodes of no world were filmed: "Real", "Sim", "UMI" or "Human".
        category: Their kind of robot; by default the name of their source.
        limit: How many episodes to take from each source.
        seed: Decides which pairs are taken.
    """

    out: Path | str
    benchmark: str = "pulse"
    per_episode: int = PER_STRATUM
    split: str | None = None
    tasks: tuple[str, ...] = ()
    perturbations: tuple[str, ...] = ()
    setting: str | None = None
    category: str | None = None
    limit: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        if self.benchmark not in BENCHMARKS:
            raise UnknownNameError("benchmark", self.benchmark, BENCHMARKS)
        if self.split is not None and self.split not in SPLITS:
            raise UnknownNameError("split", self.split, SPLITS)
        if self.setting is not None and self.setting not in SETTINGS:
            raise UnknownNameError("setting", self.setting, SETTINGS)
        if not 1 <= self.per_episode <= _MOST:
            raise UsageError(f"--per-episode must be 1 to {_MOST:,}, not {self.per_episode}.")
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"--limit must be at least 1, not {self.limit}.")
        if self.seed < 0:
            raise UsageError(f"--seed must be 0 or more, not {self.seed}.")


@dataclass(frozen=True)
class BuildResult:
    """A finished benchmark.

    Attributes:
        out: The run directory; `items.parquet` holds the items.
        document: What `build.json` holds.
    """

    out: Path
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `build.json` to the letter."""
        return (self.out / "build.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether every episode could be read."""
        return not self.document["unreadable"]

    def problems(self) -> list[str]:
        """Return a sentence on the episodes that could not be read."""
        bad = self.document["unreadable"]
        if not bad:
            return []
        name, detail = next(iter(bad.items()))
        return [f"Not read: {len(bad)} episodes, the first is {name}: {detail}"]


def build(sources: Sequence[str | Path], settings: BuildSettings) -> BuildResult:
    """Make the items of a benchmark from the episodes of `sources` and write the run directory.

    Frames are not copied: an item names a source, an episode and two moments. Does nothing if the
    run is finished.

    Args:
        sources: `[LABEL=]PATH` texts or paths.
        settings: What to do with them.

    Raises:
        InputError: A source can't be read, or no episode gives a pair with a clear answer.
    """
    with logged() as log:
        texts = tuple(map(str, sources))
        gathered = gather(Wanted(texts, signals=_SIGNALS, limit=settings.limit))
        record = _record(texts, settings)
        document = {
            "verb": "build",
            "seed": settings.seed,
            "settings": record,
            "fingerprints": gathered.fingerprints,
        }
        out = Path(settings.out)
        placed = tuple(_placed(gathered, settings))
        if not placed:
            raise InputError(_none_left(settings), ", ".join(texts))
        built = build_items(placed, per_stratum=settings.per_episode, seed=settings.seed)
        if not built.items:
            why = next(iter(built.left_out.values()), "every pair was dropped")
            raise InputError(f"no pair with a clear answer could be made ({why}).", texts[0])
        run = RunDirectory.open(out, document, frozenset(record))
        if run.finished:
            return BuildResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            made = {
                "schema": "assay.build/1",
                "benchmark": settings.benchmark,
                "settings": record,
                "inputs": _inputs(gathered, out),
                "unreadable": _unreadable(gathered),
                **summary(built, [one.episode.id for one in placed]),
            }
            write_items(run.path / "items.parquet", built.items)
            write_file(run.result, dump_json(made))
        return BuildResult(run.path, read_document(run.result))


def _placed(gathered: Gathered, settings: BuildSettings) -> Iterator[Placed]:
    """Yield the episodes that were asked for, each with where it was filmed."""
    sources = [source for entry in gathered.inputs for source in repeat(entry, entry["episodes"])]
    kinds = {entry["path"]: PolicyKinds.of(Path(entry["path"])) for entry in gathered.inputs}
    for entry, episode in zip(sources, gathered.episodes, strict=True):
        if isinstance(episode, Unreadable) or not _asked_for(episode, settings):
            continue
        source = str(Source(Path(entry["path"]), entry["label"]))
        if episode.world:
            renamed = entry["label"] is not None
            kind = kinds[entry["path"]].kind(episode.policy, renamed=renamed)
            yield Placed(episode, source, "Sim", episode.world, kind)
            continue
        if settings.setting is None:
            raise UsageError(
                f"The episodes of {source} come from no world: say where they were filmed with"
                f" --setting {', '.join(SETTINGS[:-1])} or {SETTINGS[-1]}."
            )
        category = settings.category or entry["label"] or Path(entry["path"]).name
        yield Placed(episode, source, settings.setting, category)


def _asked_for(episode: Episode, settings: BuildSettings) -> bool:
    if settings.split is not None and episode.seed not in SPLITS[settings.split]:
        return False
    changed = episode.perturbation or "none"
    return (not settings.tasks or episode.task in settings.tasks) and (
        not settings.perturbations or changed in settings.perturbations
    )


def _none_left(settings: BuildSettings) -> str:
    asked = {
        "--split": settings.split,
        "--task": ", ".join(settings.tasks),
        "--perturbation": ", ".join(settings.perturbations),
    }
    named = ", ".join(f"{option} {value}" for option, value in asked.items() if value)
    return f"no episode is left to build from{f' with {named}' if named else ''}."


def _inputs(gathered: Gathered, out: Path) -> list[dict[str, Any]]:
    """Return the sources, with paths from the run directory: the two can be moved together."""
    return [
        {
            **entry,
            "path": os.path.relpath(Path(entry["path"]).resolve(), out.resolve()),
            "fingerprint": fingerprint(Path(entry["path"]).resolve()),
        }
        for entry in gathered.inputs
    ]


def _unreadable(gathered: Gathered) -> dict[str, str]:
    return {e.id: e.detail for e in gathered.episodes if isinstance(e, Unreadable)}


def _record(sources: Sequence[str], settings: BuildSettings) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "sources": list(sources),
        "benchmark": settings.benchmark,
        "per_episode": settings.per_episode,
        "split": settings.split,
        "tasks": list(settings.tasks),
        "perturbations": list(settings.perturbations),
        "setting": settings.setting,
        "category": settings.category,
        "limit": settings.limit,
        "seed": settings.seed,
    }
