"""Do one attempt: the unit of work of a rollout, and its form in the journal."""

from __future__ import annotations

import errno
import io
import json
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes.lerobot.writing.clip import Clip, ClipWriter, clip_path
from assay.episodes.video import VideoFrames
from assay.errors import AssayError, PolicyFault
from assay.records import Camera, Episode, Segment, Series, View
from assay.worlds.asking import make_actor
from assay.worlds.filming import Images, Reel, Studio
from assay.worlds.look import moves
from assay.worlds.perturbations.base import Perturbation
from assay.worlds.policies._making import forget
from assay.worlds.policies.base import Actor, Policy
from assay.worlds.recording import most_samples, record
from assay.worlds.robots.base import Robot
from assay.worlds.session import Session
from assay.worlds.tasks.base import Task
from assay.worlds.watch import Watch
from assay.worlds.world import World

__all__ = [
    "Attempt",
    "Attempter",
    "Attempting",
    "Attempts",
    "DiskFull",
    "Done",
    "decode",
    "encode",
    "with_views",
]

_ROOM = 1 << 20  # bytes that must be free before an attempt begins
_FIELDS = ("id", "task", "instruction", "outcome", "policy", "world", "scene", "perturbation")


class DiskFull(AssayError):  # noqa: N818 - what happened
    """There is no room for the result of an attempt."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One policy on one seed; `number` is its place among all of a run."""

    number: int
    policy: str
    seed: int


@dataclass(frozen=True)
class Attempts:
    """What all attempts of a rollout share. Can be pickled.

    Attributes:
        root: The dataset's folder.
        task: What is to be done.
        robot: With what.
        policies: Who tries, by name.
        perturbations: What is changed in every scene.
        fps: Samples and frames a second.
        views: What is filmed.
        size: Width and height of the pictures [pixels].
        quality: How they are drawn.
        act_limit_s: The most that a policy may take for one answer [s].
    """

    root: Path
    task: Task
    robot: Robot
    policies: Mapping[str, Policy]
    perturbations: tuple[Perturbation, ...]
    fps: int
    views: tuple[str, ...]
    size: int
    quality: str
    act_limit_s: float

    @property
    def robot_type(self) -> str:
        """Return what the dataset calls the robot."""
        return self.robot.name

    @property
    def has_subtasks(self) -> bool:
        """Tell that attempts are marked by what was done of the task."""
        return True

    @property
    def title(self) -> dict[str, Any]:
        """Return what all attempts are about."""
        return {
            "task": self.task.name,
            "instruction": self.task.instruction,
            "perturbation": "+".join(p.label for p in self.perturbations) or None,
        }

    def attempter(self) -> Attempting:
        """Return who does attempts, in the process that calls this."""
        return Attempter(self)


@dataclass(frozen=True)
class Done:
    """A finished attempt: the episode with its signals, and where its views are."""

    episode: Episode
    clips: Mapping[str, Clip]


class Attempting(ABC):
    """Do attempts one after the other.

    Args:
        root: The dataset's folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def __call__(self, attempt: Attempt) -> bytes:
        """Return the finished attempt as the journal keeps it; its clips are in their places."""
        try:
            _require_room(self._root)
            return encode(self._done(attempt))
        except PolicyFault as fault:
            if fault.kind == "slow":
                forget()
            raise
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(str(error)) from error
            raise

    @abstractmethod
    def _done(self, attempt: Attempt) -> Done:
        """Carry an attempt to its end."""


class Attempter(Attempting):
    """Do attempts in one world and with one renderer.

    Args:
        shared: What all attempts share.
    """

    def __init__(self, shared: Attempts) -> None:
        super().__init__(shared.root)
        self._shared = shared
        self._world = World(shared.task, shared.robot)
        self._watch = Watch(shared.act_limit_s)
        self._studio: Studio | None = None
        if shared.views:
            self._studio = Studio(self._world, shared.size, shared.quality)
            self._world.images = Images(self._studio)
            # The engine drops a worker without a word.
            weakref.finalize(self, self._studio.close).atexit = False

    def _done(self, attempt: Attempt) -> Done:
        session = Session(self._world, self._actor(attempt), attempt.policy, self._watch)
        try:
            return self._recorded(session, attempt)
        finally:
            session.close()

    def _recorded(self, session: Session, attempt: Attempt) -> Done:
        shared = self._shared
        session.reset(attempt.seed, shared.perturbations)
        most = most_samples(shared.task.limit_s, shared.fps)
        writers = {
            view: ClipWriter(shared.root, view, attempt.number, shared.fps, most)
            for view in shared.views
        }
        cameras = self._studio.cameras(shared.views) if self._studio else {}
        with Reel(self._studio, writers) as reel:
            episode = record(session, shared.fps, attempt.policy, reel.shoot)
            clips = reel.finish()
        return Done(with_views(episode, shared.root, clips, cameras), clips)

    def _actor(self, attempt: Attempt) -> Actor:
        policy, task = self._shared.policies[attempt.policy], self._shared.task
        return make_actor(attempt.policy, attempt.seed, lambda: policy.actor(task, attempt.seed))


def _require_room(root: Path) -> None:
    """Raise before an attempt when the disk could not take its result."""
    found = os.statvfs(root)
    if found.f_bavail * found.f_frsize < _ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def with_views(
    episode: Episode, root: Path, clips: Mapping[str, Clip], cameras: Mapping[str, Camera]
) -> Episode:
    """Return the episode with the views that its clips hold; a camera may be unknown."""
    views = {
        view: View(
            VideoFrames(str(clip_path(root, view, clip.file))),
            cameras.get(view),
            moves=moves(view),
        )
        for view, clip in clips.items()
    }
    return replace(episode, views=views)


def encode(done: Done) -> bytes:
    """Return the journal's form: a line of JSON, then the arrays as an npz file."""
    episode = done.episode
    arrays = {f"signal {name}": series.values for name, series in episode.signals.items()}
    arrays["times"] = episode.signals["success"].times
    views: dict[str, Any] = {}
    for name, clip in done.clips.items():
        camera = episode.views[name].camera
        views[name] = {"file": clip.file, "length": clip.length, "size": clip.size}
        arrays |= {f"stats {name} {key}": value for key, value in clip.stats.items()}
        if camera is not None:
            arrays[f"camera {name} intrinsics"] = camera.intrinsics
            arrays[f"camera {name} pose"] = camera.world_from_camera
    header = {
        **{name: getattr(episode, name) for name in _FIELDS},
        "seed": episode.seed,
        "plan": episode.plan,
        "segments": [[s.name, s.start_s, s.end_s, s.kind] for s in episode.segments],
        "views": views,
    }
    body = io.BytesIO()
    np.savez(body, allow_pickle=False, **arrays)
    return json.dumps(header).encode() + b"\n" + body.getvalue()


def decode(data: bytes, root: Path) -> Done:
    """Return what `encode` was given; `root` is the dataset's folder."""
    line, _, body = data.partition(b"\n")
    header = json.loads(line)
    with np.load(io.BytesIO(body), allow_pickle=False) as stored:
        arrays = dict(stored)
    signals = {
        name.removeprefix("signal "): Series(arrays["times"], values)
        for name, values in arrays.items()
        if name.startswith("signal ")
    }
    clips, cameras = {}, {}
    for name, about in header["views"].items():
        stats = {
            key.removeprefix(f"stats {name} "): value
            for key, value in arrays.items()
            if key.startswith(f"stats {name} ")
        }
        clips[name] = Clip(about["file"], about["length"], tuple(about["size"]), stats)
        if f"camera {name} pose" in arrays:
            cameras[name] = Camera(
                arrays[f"camera {name} intrinsics"], arrays[f"camera {name} pose"]
            )
    episode = Episode(
        **{name: header[name] for name in _FIELDS},
        seed=header["seed"],
        signals=signals,
        segments=tuple(Segment(*segment) for segment in header["segments"]),
        plan=tuple(header["plan"]),
    )
    return Done(with_views(episode, root, clips, cameras), clips)
