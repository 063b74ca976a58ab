"""Run the graphs with onnxruntime: one thread, a few dozen pictures at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay.errors import InputError
from assay.judges.prm_mini._card import AROUND, PARTS
from assay.judges.prm_mini._clips import SIZE
from assay.judges.prm_mini._text import tokens
from assay.models.graphs import open_graph
from assay.records import Floats, Image

__all__ = ["BATCH", "Graphs", "Looked", "Told"]

BATCH: Final = 32
_BLANK: Final = np.zeros((1, SIZE, SIZE, 3), dtype=np.uint8)  # does not count, see `given`
Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Looked:
    """What the graphs make of some moments: raw progress (T,) and states (T, D)."""

    raw: Floats
    states: Array

    @staticmethod
    def joined(parts: Sequence[Looked]) -> Looked:
        """Return all moments of some parts, in order."""
        return Looked(
            np.concatenate([part.raw for part in parts]),
            np.concatenate([part.states for part in parts]),
        )

    def __getitem__(self, moments: slice) -> Looked:
        """Return some of the moments."""
        return Looked(self.raw[moments], self.states[moments])


@dataclass(frozen=True, eq=False)
class Told:
    """What is the same for all moments of an episode: the words, and what start and goal bring.

    Attributes:
        summary: Of the words.
        query: What the words point at.
        anchors: By view: a map, where the pointers began, and whether there is a start and a goal.
            The views to look at, no more.
    """

    summary: Array
    query: Array
    anchors: Mapping[str, tuple[Array, Array, Array]]


class Graphs:
    """The graphs of one judge. Made once a process; see `load`."""

    def __init__(self, folder: Path) -> None:
        parts = (*PARTS, AROUND) if (folder / f"{AROUND}.onnx").is_file() else PARTS
        self._sessions = {
            part: open_graph(folder / f"{part}.onnx", "A learned judge") for part in parts
        }

    @staticmethod
    def load(folder: Path) -> Graphs:
        """Return the graphs of a folder, from memory if this process has loaded them.

        Raises:
            InputError: A graph is missing or damaged.
            MissingExtraError: There is no onnxruntime.
        """
        try:
            stamp = tuple((folder / f"{part}.onnx").stat().st_mtime_ns for part in PARTS)
        except OSError as error:
            raise InputError(
                f"{folder} holds no whole judge: {error.filename} is missing."
            ) from error
        return _loaded(folder, stamp)

    def trunk(self, pictures: Image) -> Array:
        """Return the maps of pictures (N, S, S, 3)."""
        return self._run("trunk", pictures)[0]

    def tell(
        self,
        instruction: str,
        views: Iterable[str],
        start: Mapping[str, Image] | None,
        goal: Mapping[str, Image] | None,
    ) -> Told:
        """Prepare what an episode's moments share; start and goal are pictures by view."""
        summary, query = self._run("words", tokens(instruction)[None])
        anchors = {}
        for view in views:
            pictures = [(given or {}).get(view) for given in (start, goal)]
            given = np.array([[picture is not None for picture in pictures]], dtype=np.float32)
            maps = [_BLANK if picture is None else picture[None] for picture in pictures]
            mixed, there = self._run("anchor", *map(self.trunk, maps), given, query)
            anchors[view] = (mixed, there, given)
        return Told(summary, query, anchors)

    def embed(self, view: str, maps: Array, told: Told) -> Array:
        """Return the embeddings of one view's maps."""
        found: Array = self._run("eye", maps, *told.anchors[view], told.summary, told.query)[0]
        return found

    def conclude(self, embedded: Sequence[Array]) -> tuple[Array, Floats]:
        """Return states and raw progress from every view's embeddings."""
        stacked = np.stack(embedded)
        states, raw = self._run(
            "head", np.concatenate([stacked.mean(0), stacked.max(0)], axis=1).astype(np.float32)
        )
        return states, raw.astype(np.float64)

    def hop(self, before: Array, after: Array) -> Floats:
        """Return the signed hop from one state to another, each (N, D)."""
        return np.asarray(self._run("hop", before, after)[0], dtype=np.float64)

    @property
    def looks_around(self) -> bool:
        """Tell whether the moments around a moment have a say."""
        return AROUND in self._sessions

    def around(self, window: Array) -> Floats:
        """Return the raw values of the middles of windows; see `windows`."""
        return np.asarray(self._run(AROUND, window)[0], dtype=np.float64)

    def look(
        self,
        instruction: str,
        frames: Mapping[str, Image],
        goal: Mapping[str, Image] | None = None,
    ) -> Looked:
        """Return what all moments of small pictures (T, S, S, 3) by view show; the first starts."""
        start = {view: own[0] for view, own in frames.items()}
        told = self.tell(instruction, frames, start, goal)
        count = len(next(iter(frames.values())))
        found = [
            self.see({view: own[at : at + BATCH] for view, own in frames.items()}, told)
            for at in range(0, count, BATCH)
        ]
        return Looked.joined(found)

    def see(self, frames: Mapping[str, Image], told: Told) -> Looked:
        """Return what a few moments show."""
        views = [self.embed(view, self.trunk(own), told) for view, own in frames.items()]
        states, raw = self.conclude(views)
        return Looked(raw, states)

    def _run(self, part: str, *inputs: Array) -> list[Array]:
        named = {f"in{number}": value for number, value in enumerate(inputs)}
        found: list[Array] = self._sessions[part].run(None, named)
        return found


@lru_cache(maxsize=4)
def _loaded(folder: Path, stamp: tuple[int, ...]) -> Graphs:  # noqa: ARG001 - a judge trained anew is another
    return Graphs(folder)
