"""From the columns of a LeRobot episode to signals and their clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.lerobot.layout import FLAGS, PREFIX
from assay.episodes.lerobot.reading.data import Rows, check_kind, to_numpy
from assay.episodes.lerobot.reading.info import Info
from assay.errors import EpisodeError, InputError, nearest
from assay.records import Floats, Series

__all__ = ["check_columns", "clock", "signals", "truth"]

_BOOKKEEPING = {
    "timestamp",
    "frame_index",
    "episode_index",
    "index",
    "task_index",
    "subtask_index",
    "language_persistent",
    "language_events",
    *FLAGS,
}
_VECTORS = {"action", "state"}  # always (T, D), even when D is 1
_SAME_S = 1e-3


def check_columns(rows: Rows, info: Info) -> None:
    """Refuse a data file that lacks a declared column or has it in another kind."""
    for name, feature in info.features.items():
        if feature.dtype in ("video", "language"):
            continue
        if name not in rows.schema.names:
            close = nearest(name, rows.schema.names)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise InputError(f"there is no column {name!r}.{hint}", rows.file)
        if feature.dtype != "image":
            check_kind(rows.schema.field(name), feature.dtype, rows.file)


def clock(rows: Rows, fps: float) -> Floats:
    """Return the time of each row [s], of shape (T,).

    `timestamp` is float32 in most files, so `frame_index / fps` is taken instead where the two
    agree to 1 ms; where they don't, the recording had its own clock and `timestamp` counts.
    """
    stamps = _column(rows, "timestamp")
    frames = _column(rows, "frame_index")
    if stamps is None and frames is None:
        raise InputError("there is neither a column 'timestamp' nor 'frame_index'.", rows.file)
    exact = None if frames is None else frames.astype(np.float64) / fps
    if stamps is None:
        times = exact
    else:
        times = stamps.astype(np.float64)
        if exact is not None and np.all(np.abs(times - exact) <= _SAME_S):
            times = exact
    assert times is not None  # noqa: S101 - one of the two columns is there
    if not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0):
        raise EpisodeError(
            f"{rows.file}: the column 'timestamp' does not increase.", "invalid_value"
        )
    return times


def signals(
    rows: Rows, info: Info, times: Floats, layout: Mapping[str, Any]
) -> tuple[dict[str, Series], list[str]]:
    """Return the signals of an episode by name, and the columns that can't be one.

    Args:
        rows: The episode's rows.
        info: The dataset.
        times: The rows' clock [s].
        layout: The notes of our own writer, or nothing.
    """
    found: dict[str, Series] = {}
    skipped = []
    for column in rows.table.column_names:
        if column in _BOOKKEEPING:
            continue
        values = _column(rows, column)
        if values is None:
            skipped.append(column)
        elif column == "observation.state" and layout.get("state"):
            parts = _split(values, layout["state"], rows)
            found |= {name: Series(times, _as_noted(part, name, layout)) for name, part in parts}
        else:
            name = _signal_name(column)
            found[name] = Series(
                times, _as_noted(_shaped(values, name, info, column), name, layout)
            )
    if "success" in found:
        found["success"] = Series(times, truth(found["success"].values, "success", rows))
    return found, skipped


def truth(values: npt.NDArray[Any], name: str, rows: Rows) -> npt.NDArray[np.bool_]:
    """Return a column of success flags as booleans of shape (T,); it may be stored as 0 and 1."""
    flat = values.reshape(len(values), -1)
    if values.dtype.kind not in "biuf" or flat.shape[1] != 1:
        raise InputError(f"the column {name!r} must hold one true or false a row.", rows.file)
    if not np.all((flat == 0) | (flat == 1)):
        raise EpisodeError(
            f"{rows.file}: the column {name!r} holds other values than 0 and 1.", "invalid_value"
        )
    return flat[:, 0].astype(np.bool_)


def _column(rows: Rows, name: str) -> npt.NDArray[Any] | None:
    if name not in rows.table.column_names:
        return None
    values = to_numpy(rows.table[name], name, rows.file)
    bookkeeping = values is not None and name in _BOOKKEEPING
    return values.reshape(len(values)) if bookkeeping and values is not None else values


def _signal_name(column: str) -> str:
    if column.startswith(PREFIX):
        return column.removeprefix(PREFIX)
    return {"observation.state": "state", "next.success": "success"}.get(column, column)


def _shaped(values: npt.NDArray[Any], name: str, info: Info, column: str) -> npt.NDArray[Any]:
    """Return (T,) for a feature of shape (1,), which some files store as lists of one."""
    if name in _VECTORS:
        return values.reshape(len(values), -1) if values.ndim == 1 else values
    feature = info.features.get(column)
    if feature is not None and feature.shape == (1,) and values.shape[1:] == (1,):
        return values[:, 0]
    return values


def _split(
    values: npt.NDArray[Any], parts: list[list[Any]], rows: Rows
) -> list[tuple[str, npt.NDArray[Any]]]:
    """Cut `observation.state` into the signals that our writer joined, in its order."""
    flat = values.reshape(len(values), -1)
    widths = [int(width) for _, width in parts]
    if sum(widths) != flat.shape[1]:
        raise InputError(
            f"'observation.state' has {flat.shape[1]} numbers, and meta/assay_episodes.parquet "
            f"names {sum(widths)}.",
            rows.file,
        )
    pieces = np.split(flat, np.cumsum(widths)[:-1], axis=1)
    return [(str(name), piece) for (name, _), piece in zip(parts, pieces, strict=True)]


def _as_noted(values: npt.NDArray[Any], name: str, layout: Mapping[str, Any]) -> npt.NDArray[Any]:
    """Give a signal the number type and the axes it had when our writer wrote it."""
    note = layout.get("signals", {}).get(name)
    if note is None:
        return values
    if note["axes"] == 1 and values.shape[1:] == (1,):
        values = values[:, 0]
    elif note["axes"] == 2 and values.ndim == 1:
        values = values[:, None]
    kind = np.dtype(str(note["dtype"]))
    return values.astype(kind) if kind.kind in "biuf" and values.dtype.kind in "biuf" else values
