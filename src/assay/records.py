"""The vocabulary: what is observed, as frozen data.

Times are seconds from the episode's start, float64 and increasing. Progress is in 0..1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = [
    "STATUSES",
    "Camera",
    "Curve",
    "Episode",
    "Event",
    "Floats",
    "Frames",
    "Image",
    "Judged",
    "Point",
    "Question",
    "Segment",
    "Series",
    "Status",
    "Unreadable",
    "View",
    "Vote",
    "status_codes",
    "worst_status",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Image: TypeAlias = npt.NDArray[np.uint8]
T = TypeVar("T")

Status: TypeAlias = Literal[
    "ok",
    "no_reference",
    "truncated",
    "unparsed",
    "refused",
    "invalid_value",
    "transport",
    "missing_frame",
]
STATUSES: tuple[Status, ...] = Status.__args__  # type: ignore[attr-defined]  # best to worst


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A signal on its own clock: `times` of shape (T,) [s], `values` of shape (T, ...)."""

    times: Floats
    values: npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Segment:
    """A named stretch of an episode, such as a subtask; `kind` "still" marks a motionless one."""

    name: str
    start_s: float
    end_s: float
    kind: str = "subtask"


class Frames(Protocol):
    """Pictures by time, whatever they are stored in. Must be picklable and open lazily."""

    def key(self) -> str:
        """Return what tells these frames from all others: the same text in every process."""
        ...

    def clock(self) -> Floats:
        """Return the time of every stored frame [s], of shape (N,)."""
        ...

    def at(self, times: Floats) -> Iterator[Image]:
        """Yield the frame shown at each of the increasing `times`, uint8 RGB (H, W, 3)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """Pinhole camera, OpenCV axes: `intrinsics` (3, 3), `world_from_camera` (4, 4)."""

    intrinsics: Floats
    world_from_camera: Floats


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One camera of an episode; a view that moves with the robot says so."""

    frames: Frames
    camera: Camera | None = None
    moves: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Episode:
    """One attempt at a task. `task` groups, `scene` pairs, `extra` is the reader's own.

    `plan` names the task's subtasks in order, as far as all its episodes tell. `length_s` is the
    length when signals were left out that told it, else None.
    """

    id: str
    task: str
    instruction: str = ""
    views: Mapping[str, View] = field(default_factory=dict)
    signals: Mapping[str, Series] = field(default_factory=dict)
    segments: tuple[Segment, ...] = ()
    plan: tuple[str, ...] = ()
    outcome: bool | None = None
    policy: str = "policy"
    world: str | None = None
    scene: str | None = None
    perturbation: str | None = None
    seed: int | None = None
    source: str = ""
    length_s: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def duration(self) -> float:
        """Return the length of the longest signal or view [s]; 0 without either."""
        clocks = [s.times for s in self.signals.values()]
        clocks += [v.frames.clock() for v in self.views.values()]
        return max([self.length_s or 0.0, *(float(c[-1]) for c in clocks if len(c))])

    def keeping(self, signals: AbstractSet[str]) -> Episode:
        """Return the episode with only the named signals; it stays as long as it was.

        A name that ends in a star stands for all that begin like it, as in "object.*".
        """
        begun = tuple(name[:-1] for name in signals if name.endswith("*"))
        kept = {
            n: series for n, series in self.signals.items() if n in signals or n.startswith(begun)
        }
        ends = [float(s.times[-1]) for s in self.signals.values() if len(s.times)]
        length = max([self.length_s or 0.0, *ends])
        return replace(self, signals=kept, length_s=length, extra={})

    def at(
        self, name: str, times: Floats, how: Literal["previous", "nearest", "linear"] = "previous"
    ) -> npt.NDArray[Any]:
        """Resample the signal `name` at `times`; the only resampler there is.

        Outside the signal's own clock the first or last value holds.
        """
        series = self.signals[name]
        if how == "linear":
            columns = series.values.reshape(len(series.times), -1).T
            between = [np.interp(times, series.times, column) for column in columns]
            return np.stack(between, axis=-1).reshape(len(times), *series.values.shape[1:])
        if how == "nearest":
            middles = (series.times[1:] + series.times[:-1]) / 2
            index = np.searchsorted(middles, times, side="right")
        else:
            index = np.searchsorted(series.times, times, side="right") - 1
        return series.values[np.clip(index, 0, len(series.times) - 1)]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An episode that a reader found but can't read: counted, never dropped."""

    id: str
    detail: str
    task: str = ""
    policy: str = "policy"
    status: Status = "missing_frame"
    world: str | None = None
    scene: str | None = None
    perturbation: str | None = None
    seed: int | None = None
    outcome: bool | None = None
    source: str = ""

    @classmethod
    def of(cls, episode: Episode, detail: str, status: Status = "missing_frame") -> Unreadable:
        """Return `episode` as one that can't be read, in the same groups as before."""
        own = {f.name: getattr(episode, f.name) for f in fields(cls) if hasattr(episode, f.name)}
        return cls(**own, detail=detail, status=status)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Progress over time: `values` is NaN exactly where `status` (of shape (T,)) is not "ok".

    `novel`, of shape (T,), marks moments unlike anything the judge was made from; None when the
    judge can't tell.
    """

    times: Floats
    values: Floats
    status: npt.NDArray[np.str_]
    detail: str = ""
    novel: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class Judged(Generic[T]):
    """One answer of a judge: `value` is None unless `status` is "ok"."""

    value: T | None
    status: Status = "ok"
    detail: str = ""
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """A timed finding in a clip, such as a glitch."""

    dimension: str
    type: str
    start_s: float
    end_s: float
    severity: float
    description: str = ""
    evidence: str = ""
    confidence: float | None = None
    source: str = ""
    verdict: str = ""
    secondary: tuple[str, ...] = ()
    frames_s: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Vote:
    """One blind comparison of two policies on a scene: `outcome` is "a", "b" or "tie"."""

    a: str
    b: str
    outcome: Literal["a", "b", "tie"]
    task: str | None = None
    scene: str | None = None
    rater: str | None = None
    reason: str = ""
    time: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A multiple-choice question about moments of an episode; `answer` is the right label."""

    id: str
    family: str
    text: str
    choices: Mapping[str, str]
    answer: str
    episode: str
    view: str
    times: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A decision: a described state and its candidate actions, for one score each."""

    id: str
    state: str
    candidates: tuple[str, ...]


def worst_status(statuses: npt.NDArray[np.str_]) -> Status:
    """Return the worst of `statuses` in the order of `STATUSES`; "ok" when there are none."""
    if (statuses == "ok").all():  # nearly always, and far quicker than sorting strings
        return "ok"
    found = set(np.unique(statuses).tolist())
    return next(s for s in reversed(STATUSES) if s in found)


def status_codes(statuses: npt.NDArray[np.str_]) -> npt.NDArray[np.uint8]:
    """Return the place of each of `statuses` in `STATUSES`, of the same shape."""
    codes = np.zeros(statuses.shape, dtype=np.uint8)
    if not (statuses == "ok").all():
        for code, status in enumerate(STATUSES):
            codes[statuses == status] = code
    return codes
