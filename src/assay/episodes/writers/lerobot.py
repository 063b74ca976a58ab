"""LeRobot v3.0 datasets."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from assay.episodes.rates import frame_rate
from assay.episodes.writers.base import Refused, Written
from assay.errors import EpisodeError, UsageError
from assay.records import Episode, View

if TYPE_CHECKING:
    from assay.episodes.lerobot.writing.clip import Clip, ClipWriter

__all__ = ["LeRobotDataset"]


@dataclass(frozen=True)
class LeRobotDataset:
    """Write a LeRobot v3.0 dataset: parquet and H.264, with labels as lerobot annotates subtasks.

    A LeRobot dataset has one clock: signals and views on others are resampled to it.

    Attributes:
        fps: The dataset's clock [1/s]; None takes the rate of the first episode.
        robot_type: What info.json calls the robot.
    """

    writes: ClassVar[str] = "a LeRobot v3.0 dataset, which the lerobot library opens"
    fps: float | None = None
    robot_type: str = "unknown"

    def begun(self, first: Episode) -> Self:
        """Take the clock of the first episode, unless one was chosen."""
        if self.fps is None:
            return replace(self, fps=frame_rate(first))
        if not 0 < self.fps < 1e5:
            raise UsageError(f"A dataset's fps must be above 0 and below 100000, not {self.fps:g}.")
        return self

    def write(self, episode: Episode, root: Path, number: int) -> dict[str, Any]:
        """Encode every view into an mp4 file of its own."""
        from assay.episodes.lerobot.writing.labels import grains
        from assay.episodes.lerobot.writing.plan import grid

        times = grid(episode, self._rate())
        _check_marks(episode, float(times[-1]))
        clips = {}
        with ExitStack() as undo:
            for name, view in sorted(episode.views.items()):
                clip = self._clip(root, name, number, len(times))
                undo.callback(clip.withdraw)
                clips[name] = _encoded(view, times, clip, f"The view {name!r} of {episode.id!r}")
            undo.pop_all()
        views = {name: _note(clip) for name, clip in clips.items()}
        return {
            "frames": len(times) * len(clips),
            "length": len(times),
            "labels": sorted(grains(episode)),
            "views": views,
        }

    def finish(
        self, root: Path, notes: Iterable[Mapping[str, Any]], written: Iterable[Written]
    ) -> Iterator[Refused]:
        """Write `data` and `meta`; the clips are in their places already."""
        from assay.episodes.lerobot.writer import LeRobotWriter
        from assay.episodes.lerobot.writing.clip import clip_path

        (root / "meta" / "info.json").unlink(missing_ok=True)
        for folder in (root / "meta", root / "data"):
            if folder.exists():
                shutil.rmtree(folder)
        rate, labels = self._rate(), {grain for note in notes for grain in note.get("labels", ())}
        with LeRobotWriter(
            root, fps=rate, robot_type=self.robot_type, labels=labels, adopt=True
        ) as writer:
            for item in written:
                clips = {name: _clip_of(item.number, v) for name, v in item.note["views"].items()}
                length_s = (item.note["length"] - 1) / rate  # that of the clips, to the frame
                try:
                    writer.add(replace(_storable(item.episode), length_s=length_s), clips)
                except (UsageError, EpisodeError) as error:
                    for name in clips:
                        clip_path(root, name, item.number).unlink(missing_ok=True)
                    yield Refused(item.number, str(error))

    def _rate(self) -> float:
        if self.fps is None:
            raise UsageError("The writer of LeRobot datasets has no clock yet.")
        return self.fps

    def _clip(self, root: Path, view: str, number: int, frames: int) -> ClipWriter:
        from assay.episodes.lerobot.writing.clip import KEPT, ClipWriter

        rate = Fraction(self._rate()).limit_denominator(10_000)
        return ClipWriter(root, view, number, rate, frames, KEPT)


def _check_marks(episode: Episode, end_s: float) -> None:
    """Refuse an event that begins when the episode is over: it is of something else."""
    late = [s for s in episode.segments if s.kind == "event" and s.start_s > end_s]
    if late:
        raise EpisodeError(
            f"The event {late[0].name!r} of {episode.id!r} begins at {late[0].start_s:g} s; "
            f"the episode ends at {end_s:g} s.",
            "invalid_value",
        )


def _encoded(view: View, times: np.ndarray[Any, Any], clip: ClipWriter, who: str) -> Clip:
    from assay.episodes.lerobot.writing.plan import SLACK_S

    shape = None
    for picture in view.frames.at(times + SLACK_S):
        shape = shape or picture.shape
        if picture.shape != shape:
            raise EpisodeError(f"{who} changes its size from {shape[:2]} to {picture.shape[:2]}.")
        clip.add(picture)
    if shape is None:
        raise EpisodeError(f"{who} has no frames.")
    return clip.close()


def _note(clip: Clip) -> dict[str, Any]:
    stats = {name: value.tolist() for name, value in clip.stats.items()}
    return {"length": clip.length, "size": list(clip.size), "stats": stats}


def _clip_of(number: int, note: Mapping[str, Any]) -> Clip:
    from assay.episodes.lerobot.writing.clip import Clip

    stats = {name: np.array(value) for name, value in note["stats"].items()}
    height, width = note["size"]
    return Clip(number, note["length"], (height, width), stats)


def _storable(episode: Episode) -> Episode:
    """Return the episode without the signals that a LeRobot dataset has no form for."""
    kept = {
        name: series
        for name, series in episode.signals.items()
        if len(series.times)
        and series.values.dtype.kind in "Ubiuf"
        and series.values.ndim <= 2
        and 0 not in series.values.shape
        and not (series.values.dtype.kind == "U" and series.values.ndim > 1)
    }
    left = sorted(set(episode.signals) - set(kept))
    if left:
        logging.getLogger("assay").info(
            "%s: LeRobot has no form for the signals %s; they are left out.",
            episode.id, ", ".join(left),
        )  # fmt: skip
    return replace(episode, signals=kept)
