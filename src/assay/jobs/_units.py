"""Judge one episode: the unit of work of an audit, and its form in the journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from assay.errors import EpisodeError, UsageError
from assay.jobs._calls import pack
from assay.judges import check_curve
from assay.judges.base import ProgressJudge
from assay.models.recording import recorded
from assay.records import STATUSES, Curve, Episode, Status, status_codes, worst_status

__all__ = ["Scored", "decode", "encode", "unscored", "worker"]


@dataclass(frozen=True)
class Scored:
    """What judging an episode gave: a curve, or a status and why there is none.

    `calls` is what models were asked for it, packed.
    """

    curve: Curve
    status: Status
    detail: str = ""
    calls: bytes = b""


def worker(
    judges: Sequence[ProgressJudge], fps: float | None
) -> Callable[[], Callable[[tuple[int, Episode]], bytes]]:
    """Return the picklable factory that each worker calls once to get its own judges.

    The worker takes the place of a judge in `judges` and an episode.

    Args:
        judges: The judges.
        fps: The sampling rate that was asked for [1/s], or None for a judge's own clock.
    """
    return partial(partial, _judge, judges, fps)


def _judge(judges: Sequence[ProgressJudge], fps: float | None, task: tuple[int, Episode]) -> bytes:
    place, episode = task
    with recorded() as record:
        scored = _scored(judges[place], fps, episode)
    return encode(replace(scored, calls=pack(record)))


def _scored(judge: ProgressJudge, fps: float | None, episode: Episode) -> Scored:
    try:
        times = judge.clock(episode, fps)
        curve = judge.progress(episode, times)
    except EpisodeError as error:
        return unscored(error.status, str(error))
    except UsageError as error:
        return unscored("invalid_value", str(error))
    try:
        check_curve(type(judge).__name__, curve, times)
    except UsageError as error:
        return unscored("invalid_value", f"the judge breaks its contract: {error}")
    return Scored(curve, worst_status(curve.status), curve.detail)


def unscored(status: str, detail: str) -> Scored:
    """Return the result of an episode that gave no curve at all."""
    detail = detail.encode("utf-8", "backslashreplace").decode()  # a judge may say anything
    empty = Curve(np.empty(0), np.empty(0), np.empty(0, dtype="<U16"), detail)
    return Scored(empty, cast("Status", status), detail)


def encode(scored: Scored) -> bytes:
    """Return the journal's form: JSON in a line, times, values, status codes, novelty, calls."""
    curve = scored.curve
    header = {
        "status": scored.status,
        "detail": scored.detail,
        "moments": len(curve.times),
        "novel": curve.novel is not None,
    }
    arrays: list[npt.NDArray[Any]] = [
        curve.times.astype("<f8"),
        curve.values.astype("<f8"),
        status_codes(curve.status),
    ]
    if curve.novel is not None:
        arrays.append(curve.novel.astype(np.bool_))
    body = b"".join(array.tobytes() for array in arrays)
    return json.dumps(header).encode() + b"\n" + body + scored.calls


def decode(data: bytes) -> Scored:
    """Return what `encode` was given."""
    line, _, body = data.partition(b"\n")
    header = json.loads(line)
    count = header["moments"]
    times, values = np.frombuffer(body, "<f8", 2 * count).reshape(2, count)
    status = np.array(STATUSES)[np.frombuffer(body, np.uint8, count, offset=16 * count)]
    novel = np.frombuffer(body, np.bool_, count, offset=17 * count) if header.get("novel") else None
    curve = Curve(times, values, status, header["detail"], novel)
    calls = body[(17 if novel is None else 18) * count :]
    return Scored(curve, header["status"], header["detail"], calls)
