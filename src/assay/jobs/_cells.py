"""The cells of an audit: what a group of episodes adds up to, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from assay.jobs._diagnostics import Diagnostics
from assay.jobs._novelty import novelty
from assay.jobs._rows import Epsilon, Flat
from assay.metrics.fingerprints import FINGERPRINT_METRICS, Failures, fingerprints
from assay.metrics.intervals import estimate_mean, estimate_share
from assay.metrics.opd import opd
from assay.metrics.results import AVERAGED, WORST, Estimate, Fingerprint, OpdTable
from assay.metrics.sensitivity import sensitivity_by_group
from assay.records import Floats

__all__ = [
    "GROUPS",
    "CellSettings",
    "grouped",
    "make_cells",
    "make_fingerprints",
    "metrics_of",
]

Row = Mapping[str, Any]

GROUPS = ("task", "policy", "world", "scene", "perturbation", "seed")
MILESTONES = (25, 50, 75, 100)
EPSILONS_BESIDE = (0.003, 0.03)
QUALITY = ("ppl", "cra", "str")


@dataclass(frozen=True)
class CellSettings:
    """How cells are made: what groups the episodes, and what is computed beside the metrics."""

    by: tuple[str, ...]
    epsilon: Epsilon
    diagnostics: Diagnostics | None
    seed: int


def make_cells(rows: Sequence[Row], flat: Flat, settings: CellSettings) -> list[dict[str, Any]]:
    """Return one cell per group of `rows`, sorted by group."""
    groups = grouped(rows, settings.by)
    further = _Further(flat, [members for _, members in groups], settings)
    return [
        {**_cell(group, members, settings.seed), **more}
        for (group, members), more in zip(groups, further.all(), strict=True)
    ]


def grouped(rows: Sequence[Row], by: Sequence[str]) -> list[tuple[dict[str, Any], list[Row]]]:
    """Return the groups of `rows` that share the fields `by`, sorted by these."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    keys = sorted(groups, key=lambda key: tuple((part is None, part) for part in key))
    return [(dict(zip(by, key, strict=True)), groups[key]) for key in keys]


def metrics_of(group: dict[str, Any], rows: Sequence[Row], seed: int) -> dict[str, Any]:
    """Return what a judge says of one group: who was scored, and the metrics with intervals."""
    scored = [row for row in rows if row["status"] == "ok"]
    unscored = len(rows) - len(scored)
    peaks = _column(scored, "mp")
    return {
        "group": group,
        "task": group.get("task"),
        "policy": group.get("policy"),
        "n": len(rows),
        "status": dict(sorted(Counter(row["status"] for row in rows).items())),
        "mc": {
            str(q): estimate_share(int((peaks >= q / 100).sum()), len(peaks), unscored).as_json()
            for q in MILESTONES
        },
        **{name: _mean(name, scored, unscored, seed).as_json() for name in AVERAGED},
        **({} if (novel := novelty(rows, seed)) is None else {"novel": novel}),
    }


def make_fingerprints(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the failure fingerprints of every task, or nothing without success labels."""
    if all(row["success_end"] is None for row in rows):
        return []
    failed: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["success_end"] is None:
            continue
        members = failed.setdefault((row["task"], row["policy"]), [])
        if not row["success_end"] and row["status"] == "ok":
            members.append(row)
    groups = [
        Failures(task, policy, {name: _column(members, name) for name in FINGERPRINT_METRICS})
        for (task, policy), members in sorted(failed.items())
    ]
    prints = fingerprints(groups)
    return [
        {"task": task, "policies": [_fingerprint(print_) for print_ in members]}
        for task, members in groupby(prints, key=lambda print_: print_.task)
    ]


def _fingerprint(found: Fingerprint) -> dict[str, Any]:
    scored = any(z is not None for z in found.z.values())
    return {
        "policy": found.policy,
        "n_failures": found.n,
        "raw": dict(found.means) if found.n else None,
        "z": dict(found.z) if scored else None,
        "why": found.why,
    }


def _column(rows: Sequence[Row], name: str) -> Floats:
    """Return a metric of shape (n,), NaN where it is undefined."""
    return np.array([np.nan if row[name] is None else row[name] for row in rows])


def _cell(group: dict[str, Any], rows: Sequence[Row], seed: int) -> dict[str, Any]:
    return {
        **metrics_of(group, rows, seed),
        "success": _success(rows),
        "reach": _reach(np.array([row["mp"] for row in rows if row["status"] == "ok"])),
        "conditioned": _conditioned(rows, seed),
    }


def _reach(peaks: Floats) -> list[list[float]]:
    """Return [q, share of episodes that reach q] at every q where the share falls, and at 0 and 1.

    Peaks are taken down to whole thousandths, so that any number of episodes gives a short list.
    """
    if not len(peaks):
        return []
    levels = np.unique(np.concatenate([[0.0, 1.0], np.floor(peaks * 1000) / 1000]))
    ordered = np.sort(peaks)
    shares = 1.0 - np.searchsorted(ordered, levels, side="left") / len(peaks)
    found: list[list[float]] = np.stack([levels, shares], axis=1).tolist()
    return found


def _mean(
    name: str, rows: Sequence[Row], unscored: int, seed: int, *, with_sd: bool = False
) -> Estimate:
    """Return the mean of a metric; a value that is undefined (STR of one moment) is left out."""
    values = _column(rows, name)
    worst = WORST[name]
    return estimate_mean(
        values[~np.isnan(values)],
        unscored,
        worst_value=worst,
        best_value=1.0 - worst,
        seed=seed,
        with_sd=with_sd,
    )


def _success(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the three success rates; null, with the reason, where there is no label."""
    rates: dict[str, Any] = {}
    for name in ("once", "held", "end"):
        known = [row[f"success_{name}"] for row in rows if row[f"success_{name}"] is not None]
        missing = len(rows) - len(known)
        rates[name] = estimate_share(sum(known), len(known), missing).as_json() if known else None
    if rates["end"] is None:
        rates["why"] = "no success labels"
    elif rates["once"] is None:
        rates["why"] = "one label per episode says how it ended, not what held before"
    return rates


def _conditioned(rows: Sequence[Row], seed: int) -> dict[str, Any]:
    """Return the quality of the successes alone."""
    if not any(row["success_end"] is not None for row in rows):
        return {"why": "no success labels"}
    wins = [row for row in rows if row["success_end"] and row["status"] == "ok"]
    unscored = sum(bool(row["success_end"]) and row["status"] != "ok" for row in rows)
    if not wins:
        return {"why": "no scored success"}
    quality = {name: _mean(name, wins, unscored, seed, with_sd=True).as_json() for name in QUALITY}
    return {"on": "end", "n": len(wins), **quality}


class _Further:
    """What the figures would be under other settings, and the diagnostics.

    Args:
        flat: The curves of all cells.
        groups: The rows of each cell.
        settings: How cells are made.
    """

    def __init__(self, flat: Flat, groups: Sequence[Sequence[Row]], settings: CellSettings) -> None:
        position = {episode: i for i, episode in enumerate(flat.ids)}
        self._flat, self._settings = flat, settings
        self._members = [
            [position[row["episode"]] for row in rows if row["episode"] in position]
            for rows in groups
        ]
        self._sizes = [len(rows) for rows in groups]

    def all(self) -> Iterator[dict[str, Any]]:
        """Yield the further entries of each cell."""
        bands = iter(self._bands())
        tables = self._other_epsilons()
        for members, size in zip(self._members, self._sizes, strict=True):
            cell: dict[str, Any] = {"sensitivity": next(bands) if members else {}}
            if self._settings.diagnostics:
                curves = self._flat.curves(members)
                epsilon, seed = self._settings.epsilon.value, self._settings.seed
                cell["diagnostics"] = self._settings.diagnostics.of(curves, epsilon, seed)
            if tables:
                unscored = size - len(members)
                cell["str_at"] = {
                    f"{epsilon:g}": self._stagnation(table.stagnation[members], unscored)
                    for epsilon, table in tables.items()
                }
            yield cell

    def _bands(self) -> list[dict[str, Any]]:
        """Return the sensitivity bands of the cells that have curves, in their order."""
        filled = [members for members in self._members if members]
        if not filled:
            return []
        cell_of = np.empty(len(self._flat.ids), dtype=np.int64)
        for number, members in enumerate(filled):
            cell_of[members] = number
        found = sensitivity_by_group(
            self._flat.values, self._flat.offsets, cell_of, epsilon=self._settings.epsilon.value
        )
        return [
            {name: {"low": band.low, "high": band.high} for name, band in bands.items()}
            for bands in found
        ]

    def _other_epsilons(self) -> dict[float, OpdTable]:
        """Return the metrics at other epsilons when ours is only assumed."""
        if self._settings.epsilon.source != "assumed":
            return {}
        values, offsets = self._flat.values, self._flat.offsets
        return {other: opd(values, offsets, epsilon=other) for other in EPSILONS_BESIDE}

    def _stagnation(self, still: Floats, unscored: int) -> dict[str, Any]:
        defined = still[~np.isnan(still)]
        return estimate_mean(
            defined, unscored, worst_value=1.0, best_value=0.0, seed=self._settings.seed
        ).as_json()
