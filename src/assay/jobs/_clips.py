"""The videos of a report: linked where a browser plays them, copied or written once otherwise."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from assay.engine import Journal, Unit
from assay.engine import run as run_units
from assay.engine.progress import ProgressBar
from assay.episodes.playback import playable, write_h264
from assay.episodes.video import VideoFrames, probe
from assay.errors import EpisodeError, RunError
from assay.jobs._rundir import write_file
from assay.records import Episode, Frames, Unreadable
from assay.reports.audit_page import Clip

__all__ = ["make_clips"]

FOLDER = Path("assets") / "videos"


@dataclass(frozen=True)
class _Plan:
    """How one view gets into the report; `make` names the file to write first, if any."""

    clip: Clip
    make: Path | None = None
    frames: Frames | None = None


def make_clips(
    episodes: Sequence[Episode | Unreadable],
    out: Path,
    video: Literal["link", "copy", "none"],
    jobs: int | None,
) -> dict[str, list[Clip]]:
    """Return what to play for each episode, after writing the videos that must be written."""
    if video == "none":
        return {}
    plan = partial(_plan, out, video == "copy", cache(_plays))
    plans = {
        episode.id: [plan(name, view.frames) for name, view in episode.views.items()]
        for episode in episodes
        if isinstance(episode, Episode)
    }
    faults = _write_all([p for views in plans.values() for p in views if p.make], out, jobs)
    return {
        episode: [_final(p, faults.get(str(p.make), "")) for p in views]
        for episode, views in plans.items()
    }


def _plan(
    out: Path,
    copy: bool,  # noqa: FBT001 - bound by name above
    plays: Callable[[str], bool],
    view: str,
    frames: Frames,
) -> _Plan:
    """Decide how a view is shown. A file in the report is named after what it holds."""
    if not isinstance(frames, VideoFrames):
        target = FOLDER / f"{_digest(frames.key())}.mp4"
        return _Plan(Clip(view, target.as_posix(), 0.0, None), out / target, frames)
    try:
        linkable = plays(frames.path)
    except EpisodeError as error:
        return _Plan(Clip(view, "", 0.0, None, str(error)))
    if linkable and not copy:
        where = os.path.relpath(frames.path, out)
        return _Plan(Clip(view, quote(where), frames.start_s, frames.end_s))
    if linkable:
        target = FOLDER / f"{_digest(frames.path)}{Path(frames.path).suffix}"
        clip = Clip(view, target.as_posix(), frames.start_s, frames.end_s)
    else:
        target = FOLDER / f"{_digest(frames.key())}.mp4"
        clip = Clip(view, target.as_posix(), 0.0, None, "written again as H.264 for the browser")
    return _Plan(clip, out / target, frames)


def _write_all(plans: Sequence[_Plan], out: Path, jobs: int | None) -> dict[str, str]:
    """Write the files that are not there yet; return what went wrong, by file."""
    wanted = {str(plan.make): plan for plan in plans}
    if not wanted:
        return {}
    (out / FOLDER).mkdir(parents=True, exist_ok=True)
    path = out / "journal.sqlite-videos"
    with Journal(path, "videos") as journal, ProgressBar("writing videos") as bar:
        tally = run_units(
            _writer,
            (Unit(name, (name, plan.frames)) for name, plan in wanted.items()),
            journal,
            bound="cpu",
            jobs=jobs,
            total=len(wanted),
            on_tally=bar,
        )
        faults = {name: note.decode() for name, note in journal.items() if note}
    for failure in tally.failures:
        raise RunError(f"{failure.key} can't be written: {failure.message}")
    return faults


def _writer() -> Callable[[tuple[str, Frames]], bytes]:
    return _write_one


def _write_one(task: tuple[str, Frames]) -> bytes:
    """Write one file unless it is there; return the reason if it can't be."""
    name, frames = task
    target = Path(name)
    if target.exists():
        return b""
    try:
        if isinstance(frames, VideoFrames) and _plays(frames.path):
            write_file(target, partial(shutil.copyfile, frames.path))
        else:
            write_h264(frames, target)
    except EpisodeError as error:
        return str(error).encode()
    return b""


def _plays(path: str) -> bool:
    return playable(probe(path), path)


def _final(plan: _Plan, fault: str) -> Clip:
    return Clip(plan.clip.view, "", 0.0, None, fault) if fault else plan.clip


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
