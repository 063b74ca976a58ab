"""One row per episode: status, success and the five metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.errors import UsageError
from assay.jobs._novelty import novel_share
from assay.jobs._units import Scored
from assay.metrics.gaps import Fill, fill_gaps
from assay.metrics.noise import epsilon_from_noise, noise_from_still
from assay.metrics.results import METRICS, OpdTable
from assay.metrics.success import success_flags
from assay.records import Curve, Episode, Floats, Unreadable

__all__ = ["ASSUMED_EPSILON", "Epsilon", "Flat", "choose_epsilon", "flatten", "make_rows"]

ASSUMED_EPSILON = 0.01


@dataclass(frozen=True)
class Flat:
    """The complete curves of a run, end to end.

    Attributes:
        ids: The episodes, of length N.
        values: All progress values, of shape (sum of lengths,).
        offsets: Where each curve starts, of shape (N + 1,).
    """

    ids: tuple[str, ...]
    values: Floats
    offsets: np.ndarray[tuple[int], np.dtype[np.int64]]

    def curve(self, position: int) -> Floats:
        """Return the curve at `position`."""
        return self.values[self.offsets[position] : self.offsets[position + 1]]

    def curves(self, positions: Sequence[int]) -> list[Floats]:
        """Return the curves at `positions`."""
        return [self.curve(position) for position in positions]


@dataclass(frozen=True)
class Epsilon:
    """The step below which a policy counts as standing still, and where it comes from."""

    value: float
    source: Literal["given", "judge noise", "still segment", "assumed"]
    sigma: float | None = None

    def as_json(self) -> dict[str, float | str | None]:
        """Return it as it stands in result files."""
        return {"value": self.value, "source": self.source, "sigma": self.sigma}


def flatten(curves: Mapping[str, Curve], fill: Fill | None) -> Flat:
    """Join the curves that have a value at every moment, after filling gaps if asked to."""
    ids, pieces = [], []
    for episode, curve in curves.items():
        values = fill_gaps(curve.times, curve.values, fill) if fill else curve.values
        if len(values) and not np.isnan(values).any():
            ids.append(episode)
            pieces.append(values)
    lengths = [len(piece) for piece in pieces]
    values = np.concatenate(pieces) if pieces else np.empty(0)
    return Flat(tuple(ids), values, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))


def choose_epsilon(
    given: float | None,
    judge_noise: float | None,
    episodes: Sequence[Episode | Unreadable],
    curves: Mapping[str, Curve],
) -> Epsilon:
    """Return the epsilon of a run: given, from the judge's noise, from still segments, assumed."""
    if given is not None:
        if not 0.0 < given < 1.0:
            raise UsageError(f"--epsilon must lie between 0 and 1, not {given:g}.")
        return Epsilon(given, "given")
    if judge_noise is not None:
        return Epsilon(epsilon_from_noise(judge_noise), "judge noise", judge_noise)
    still = [
        curve.values[(curve.times >= segment.start_s) & (curve.times <= segment.end_s)]
        for episode in episodes
        if isinstance(episode, Episode) and (curve := curves.get(episode.id)) is not None
        for segment in episode.segments
        if segment.kind == "still"
    ]
    still = [values for values in still if len(values) >= 2 and not np.isnan(values).any()]
    sigma = noise_from_still(still) if sum(map(len, still)) >= 3 else 0.0
    if sigma > 0.0:
        return Epsilon(epsilon_from_noise(sigma), "still segment", sigma)
    return Epsilon(ASSUMED_EPSILON, "assumed")


def make_rows(
    episodes: Sequence[Episode | Unreadable],
    scored: Mapping[str, Scored],
    table: OpdTable,
    flat: Flat,
    success_at: float | None,
) -> list[dict[str, Any]]:
    """Return the rows of `episodes.parquet`, in the order of `episodes`."""
    position = {episode: i for i, episode in enumerate(flat.ids)}
    columns = {name: table.column(name) for name in METRICS}
    rows = []
    for episode in episodes:
        at = position.get(episode.id)
        result = scored[episode.id]
        values = None if at is None else flat.curve(at)
        rows.append(
            {
                **_who(episode),
                "status": "ok" if at is not None else result.status,
                "detail": result.detail,
                "novel": novel_share(result.curve),
                "duration_s": float(result.curve.times[-1]) if len(result.curve.times) else None,
                **_success(episode, result.curve, values, success_at),
                **{m: None if at is None else _number(columns[m][at]) for m in METRICS},
            }
        )
    return rows


def _who(episode: Episode | Unreadable) -> dict[str, Any]:
    """Return the columns that say which episode this is."""
    row: dict[str, Any] = {
        name: getattr(episode, name, None)
        for name in ("task", "policy", "world", "scene", "perturbation", "seed", "instruction")
    }
    return {"episode": episode.id, **row, "views": list(getattr(episode, "views", ()))}


def _success(
    episode: Episode | Unreadable, curve: Curve, values: Floats | None, success_at: float | None
) -> dict[str, bool | None]:
    """Return success once, held and at the end; None where nothing says so.

    A single label tells how the episode ended, not what held before.
    """
    once = held = end = None
    if success_at is not None:
        if values is not None:
            once, held, end = success_flags(curve.times, values >= success_at)
    else:
        signals = episode.signals if isinstance(episode, Episode) else {}
        recorded = signals.get("success")
        if recorded is not None and len(recorded.times):
            once, held, end = success_flags(recorded.times, recorded.values.astype(bool))
        else:
            end = episode.outcome
    return {"success_once": once, "success_held": held, "success_end": end}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
