"""Ask one judge about one episode: its curve, and its answers to the episode's pairs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from assay.benchmarks.pulse.noise import with_noise
from assay.benchmarks.pulse.thresholds import CURVE_FPS
from assay.episodes import sampling
from assay.errors import EpisodeError, UsageError
from assay.jobs._holding import By
from assay.jobs._novelty import novel_share
from assay.judges import check_curve
from assay.judges._looks import still_views
from assay.judges.base import HopJudge, Judge, ProgressJudge
from assay.models.recording import witnessed
from assay.records import Curve, Episode, Floats, Image, Judged

__all__ = ["Ask", "Said", "decode", "is_lost", "is_settled", "worker"]

Trouble: TypeAlias = tuple[str, str]
"""Status and detail of what went wrong."""

_LOST = "transport"


@dataclass(frozen=True)
class Ask:
    """A unit of work.

    Attributes:
        place: Which judge.
        noise: The share of noise in the pictures.
        episode: The episode.
        pairs: The moments of each pair [s], by the item's name.
    """

    place: int
    noise: float
    episode: Episode
    pairs: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Said:
    """What a judge said of an episode.

    Attributes:
        values: The signed difference of each pair; None where there is none.
        times: The judged moments of the whole curve [s]; empty without one.
        curve: Its values; None where there is none.
        trouble: What went wrong first, if anything did; what never came goes before the rest.
        novel: The share of moments unlike anything the judge was made from; None when unknown.
        by: Which model answered as which revision; nothing where none was asked.
    """

    values: Mapping[str, float | None] = field(default_factory=dict)
    times: Sequence[float] = ()
    curve: Sequence[float | None] = ()
    trouble: Trouble | None = None
    novel: float | None = None
    by: Sequence[By] = ()

    def whole(self) -> tuple[Floats, Floats] | None:
        """Return times and values of the curve; None when a moment of it has no value."""
        if not self.times or any(value is None for value in self.curve):
            return None
        return np.array(self.times), np.array(self.curve, dtype=np.float64)


def worker(
    judges: Sequence[Judge], seed: int, *, by_curve: bool = False
) -> Callable[[], Callable[[Ask], bytes]]:
    """Return the picklable factory that each worker calls once to get its own judges.

    Args:
        judges: The judges.
        seed: Of the noise.
        by_curve: Whether pairs are answered by the curve wherever there is one.
    """
    return partial(partial, _ask, judges, seed, by_curve=by_curve)


def _ask(judges: Sequence[Judge], seed: int, ask: Ask, *, by_curve: bool) -> bytes:
    judge, episode = judges[ask.place], with_noise(ask.episode, ask.noise, seed)
    paired = not (isinstance(judge, ProgressJudge) and (by_curve or _has_goal(judge)))
    with witnessed() as by:
        try:
            said = _said(judge, episode, ask.pairs, whole=not ask.noise, paired=paired)
        except EpisodeError as error:
            said = Said(dict.fromkeys(ask.pairs), trouble=(error.status, str(error)))
        except UsageError as error:
            why = f"the judge breaks its contract: {error}"
            said = Said(dict.fromkeys(ask.pairs), trouble=("invalid_value", why))
    return _encode(replace(said, by=sorted(by)))


def _said(
    judge: Judge,
    episode: Episode,
    pairs: Mapping[str, tuple[float, float]],
    *,
    whole: bool,
    paired: bool,
) -> Said:
    """Return pairs and curve; with noise only the moments of pairs are judged, and the ends.

    Args:
        judge: Who is asked.
        episode: About what.
        pairs: The moments of each pair [s], by the item's name.
        whole: Whether the whole curve is wanted.
        paired: Whether a judge that scores pairs is asked for them.
    """
    hops: dict[str, float | None] | None = None
    trouble: Trouble | None = None
    if isinstance(judge, HopJudge) and pairs and paired:
        hops, trouble = _hops(judge, episode, pairs)
    if not isinstance(judge, ProgressJudge) or (hops is not None and not whole):
        return Said(hops or {}, trouble=trouble)
    length = episode.duration()
    grid = sampling.grid(length, CURVE_FPS) if whole else np.array([0.0, length])
    moments = [time for pair in pairs.values() for time in pair]
    times = np.unique(np.round(np.concatenate([grid, moments]), 6))
    curve = judge.progress(episode, times)
    check_curve(type(judge).__name__, curve, times)
    for status in dict.fromkeys(curve.status[curve.status != "ok"].tolist()):
        trouble = _graver(trouble, (status, curve.detail))
    values = hops if hops is not None else _differences(curve, pairs)
    return Said(values, times.tolist(), _plain(curve.values), trouble, novel_share(curve))


def _has_goal(judge: Judge) -> bool:
    """Tell whether the judge has a goal of its own, which its curve heeds.

    A hop knows a task, not an episode: it may miss that goal, or compare an episode with its own
    end. The curve leaves that end out.
    """
    return getattr(judge, "goal", None) is not None


def _differences(curve: Curve, pairs: Mapping[str, tuple[float, float]]) -> dict[str, float | None]:
    """Return the progress from the first to the second moment of each pair."""
    at = dict(zip(curve.times.tolist(), _plain(curve.values), strict=True))
    found: dict[str, float | None] = {}
    for name, (before, after) in pairs.items():
        p, q = at[round(before, 6)], at[round(after, 6)]
        found[name] = None if p is None or q is None else q - p
    return found


def _hops(
    judge: HopJudge, episode: Episode, pairs: Mapping[str, tuple[float, float]]
) -> tuple[dict[str, float | None], Trouble | None]:
    """Return what the judge says of each pair of pictures, and the first trouble with one.

    It is shown the views that don't move, at both moments and at the start.
    """
    if not episode.views:
        raise EpisodeError("the episode has no views to look at")
    times = np.unique([0.0, *(time for pair in pairs.values() for time in pair)])
    shown: dict[float, dict[str, Image]] = dict(
        zip(times.tolist(), sampling.synced(still_views(episode), times), strict=True)
    )
    found: dict[str, float | None] = {}
    first: Trouble | None = None
    for name, (before, after) in pairs.items():
        judged = judge.hop(episode.instruction, shown[before], shown[after], shown[0.0], None)
        trouble = _trouble(judged)
        found[name] = judged.value if trouble is None else None
        first = _graver(first, trouble)
    return found, first


def _graver(first: Trouble | None, other: Trouble | None) -> Trouble | None:
    """Return the trouble to tell: the first, but what never came before the rest."""
    if first is None or (other is not None and _LOST == other[0] != first[0]):
        return other
    return first


def _trouble(judged: Judged[float]) -> Trouble | None:
    """Return why a hop can't be used; None when it can."""
    if judged.status != "ok":
        return judged.status, judged.detail
    if judged.value is None or not -1.0 <= judged.value <= 1.0:  # NaN is not in between
        return "invalid_value", f"a hop must be in -1..1, not {judged.value}"
    return None


def _plain(values: Floats) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def _encode(said: Said) -> bytes:
    return json.dumps(
        {
            "values": dict(said.values),
            "times": list(said.times),
            "curve": list(said.curve),
            "trouble": said.trouble,
            "novel": said.novel,
            **({"by": list(said.by)} if said.by else {}),
        },
        allow_nan=False,
    ).encode()


def is_lost(data: bytes) -> bool:
    """Tell whether an answer never came: it is asked for when the run goes on."""
    trouble = decode(data).trouble
    return trouble is not None and trouble[0] == _LOST


def is_settled(data: bytes) -> bool:
    """Tell whether nothing went wrong: a retry leaves it as it is."""
    return decode(data).trouble is None


def decode(data: bytes) -> Said:
    """Return what a worker said."""
    read = json.loads(data)
    trouble = read["trouble"]
    return Said(
        read["values"],
        read["times"],
        read["curve"],
        trouble and tuple(trouble),
        read["novel"],
        [(model, revision) for model, revision in read.get("by", ())],
    )
