"""Open a built benchmark: its items, and the episodes they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.benchmarks.pulse.items import Item
from assay.benchmarks.pulse.thresholds import VERSION
from assay.errors import InputError
from assay.jobs._fingerprint import fingerprint
from assay.jobs._inputs import Wanted, gather
from assay.jobs._pulse_items import read_items
from assay.jobs._rundir import read_document
from assay.records import Episode, Unreadable

__all__ = ["Opened", "open_benchmark"]


@dataclass(frozen=True, eq=False)
class Opened:
    """A benchmark ready to be run.

    Attributes:
        items: The items.
        episodes: Every episode of the sources that can be read, by id.
        document: What `build.json` holds.
        fingerprints: Hashes of the items and of the sources.
    """

    items: tuple[Item, ...]
    episodes: Mapping[str, Episode]
    document: Mapping[str, Any]
    fingerprints: Mapping[str, str]


def open_benchmark(folder: Path, needs: frozenset[str], limit: int | None) -> Opened:
    """Read the benchmark in `folder`, and its sources as they were when it was built.

    Args:
        folder: What `assay build` wrote.
        needs: The signals that judges need.
        limit: How many episodes to take, or None for all.
    """
    if not (folder / "build.json").is_file():
        raise InputError(
            "holds no benchmark: there is no build.json. Make one with assay build.", folder
        )
    document = read_document(folder / "build.json")
    if document.get("schema") != "assay.build/1" or document.get("benchmark") != "pulse":
        raise InputError("holds no pulse benchmark of this version.", folder / "build.json")
    if document["thresholds"]["version"] != VERSION:
        raise InputError(
            f"was built with version {document['thresholds']['version']} of the thresholds, and"
            f" this is {VERSION}: build it anew.",
            folder / "build.json",
        )
    sources = _sources(folder, document)
    gathered = gather(Wanted(sources, signals=needs))
    _check_unchanged(folder, document)
    taken = _taken(folder, document["episodes"]["taken"][:limit], gathered.episodes)
    every = read_items(folder / "items.parquet")
    items = tuple(item for item in every if item.episode in taken)
    if not items:
        raise InputError(
            f"none of the first {len(taken)} episodes has a pair; give a larger --limit.", folder
        )
    return Opened(
        items,
        taken,
        document,
        {
            "items": fingerprint(folder / "items.parquet"),
            **{entry["path"]: entry["fingerprint"] for entry in document["inputs"]},
        },
    )


def _taken(
    folder: Path, names: Sequence[str], found: Sequence[Episode | Unreadable]
) -> dict[str, Episode]:
    """Return the episodes of these names, all of which could be read when it was built."""
    by_name = {one.id: one for one in found}
    taken = {}
    for name in names:
        one = by_name.get(name)
        if not isinstance(one, Episode):
            why = "it is not there" if one is None else one.detail
            raise InputError(f"the episode {name} can no longer be read: {why}", folder)
        taken[name] = one
    return taken


def _sources(folder: Path, document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sources as they were asked for, with paths as seen from here."""
    found = []
    for entry in document["inputs"]:
        path = folder / entry["path"]
        if not path.exists():
            raise InputError(f"a source of the benchmark {folder} is gone.", path)
        found.append(str(path) if entry["label"] is None else f"{entry['label']}={path}")
    return tuple(found)


def _check_unchanged(folder: Path, document: Mapping[str, Any]) -> None:
    for entry in document["inputs"]:
        path = (folder / entry["path"]).resolve()
        if fingerprint(path) != entry["fingerprint"]:
            raise InputError(
                f"has changed since the benchmark {folder} was built: build it anew.", path
            )
