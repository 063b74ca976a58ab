"""How far the figures depend on choices: baselines, conditions, thresholds, groups, generators.

Everything is worked out from files that are there: reports of several systems on the same clips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from assay.benchmarks.glitches.between import gap_closed, gap_left, paired_means
from assay.benchmarks.glitches.laid_out import Comparing, Scored, lay_out
from assay.episodes.glitches.reports import ClipReport
from assay.errors import UnknownNameError, UsageError
from assay.metrics.glitches.figures import Clips, detection, figures
from assay.metrics.results import Floats

__all__ = [
    "THRESHOLDS",
    "by_group",
    "conditions",
    "gaps",
    "ranking",
    "retention",
    "sweep",
    "unswept",
]

THRESHOLDS: Final = (0.30, 0.40, 0.50, 0.60, 0.70)
_SWEPT: Final = ("precision", "recall", "f1", "f1_iou", "clean_accuracy")
_IN_GROUPS: Final = ("f1", "clean_accuracy")
_AT = "@"


def gaps(laid: Mapping[str, Scored], base: str, full: str, clips: Clips) -> dict[str, Any]:
    """Return which share of the gap in F1 from `base` to `full` every other system closes.

    Intervals draw the same clips again for all three.
    """
    _check_named(laid, base, full)
    others = [name for name in laid if name not in (base, full)]
    found = {}
    for name in others:
        values, drawn = paired_means([laid[n] for n in (base, name, full)], clips)
        found[name] = {
            "value": gap_closed(*(float(v) for v in values)),
            **_ends(_closed(*drawn), clips),
            "n": _glitchy(laid[name]),
            "f1": float(values[1]),
        }
    return {"base": base, "full": full, "closed": found}


def retention(
    laid: Mapping[str, Scored], base: str, full: str, held_out: str, clips: Clips
) -> dict[str, Any]:
    """Return how much of the gap from `base` to `full` is left on a generator that was held out.

    Args:
        laid: The systems.
        base: The weakest of them.
        full: The strongest.
        held_out: The dataset of the held-out generator.
        clips: How clips are drawn again.
    """
    _check_named(laid, base, full)
    one = laid[base]
    if held_out not in one.datasets:
        raise UnknownNameError("dataset to hold out", held_out, one.datasets)
    apart = one.dataset == one.datasets.index(held_out)
    if apart.all():
        raise UsageError(f"Only {held_out!r} is there: nothing to compare it with.")
    found: dict[str, Any] = {"base": base, "full": full, "dataset": held_out}
    drawn = {}
    for name, kept in (("main", ~apart), ("held_out", apart)):
        values, again = paired_means([laid[base], laid[full]], clips, kept)
        found[name] = float(values[1] - values[0])
        drawn[name] = again[1] - again[0]
    ratio = gap_left(found["main"], found["held_out"])
    shares = _share(drawn["held_out"], drawn["main"])
    return {"value": ratio, **_ends(shares, clips), "n": _glitchy(one), **found}


def conditions(values: Mapping[str, float | None]) -> dict[str, Any] | None:
    """Return how systems rank under each condition, for labels such as `gaze@uniform`.

    Args:
        values: F1 by label; labels without an @ are left out.
    """
    split = {label: label.rpartition(_AT) for label in values if _AT in label}
    names = sorted({condition for _, _, condition in split.values()})
    if len(names) < 2:
        return None
    table = {
        condition: {
            system: values[label]
            for label, (system, _, own) in split.items()
            if own == condition and values[label] is not None
        }
        for condition in names
    }
    shared = set.intersection(*(set(own) for own in table.values()))
    return {
        "f1": table,
        **_compared([{s: own[s] for s in sorted(shared)} for own in table.values()]),
    }


def ranking(
    first: Mapping[str, float | None], second: Mapping[str, float | None]
) -> dict[str, Any]:
    """Return how two judges of texts rank the same systems."""
    known = [name for name in first if first[name] is not None and second.get(name) is not None]
    return _compared([{name: own[name] for name in known} for own in (first, second)])


def sweep(
    reports: Mapping[str, ClipReport],
    references: Mapping[str, ClipReport],
    how: Comparing,
    clips: Clips,
) -> dict[str, Any]:
    """Return the figures of a system whose events count only from a confidence on.

    Raises:
        UsageError: Its events have no confidence.
    """
    events = [event for report in reports.values() for event in report.events]
    if any(event.confidence is None for event in events):
        raise UsageError("--sweep needs reports whose events all have a confidence.")
    found = {}
    for least in THRESHOLDS:
        kept = {name: _surer(report, least) for name, report in reports.items()}
        sums = lay_out(kept, references, how).tally()
        own = figures(sums, clips)
        found[f"{least:.2f}"] = {
            **{name: own[name].as_json() for name in _SWEPT},
            "glitchy_recall": detection(sums, clips)["recall"].as_json(),
        }
    return found


def unswept(reports: Mapping[str, ClipReport]) -> float:
    """Return the highest threshold of `sweep` below which a system has no event.

    Thresholds below it all keep the same events; where it is the first one, there are none.
    """
    least = min((e.confidence or 0.0 for r in reports.values() for e in r.events), default=1.0)
    return max(t for t in THRESHOLDS if t <= max(least, THRESHOLDS[0]))


def by_group(
    laid: Mapping[str, Scored], groups: Mapping[str, Mapping[str, str]], clips: Clips
) -> dict[str, Any]:
    """Return the figures of each group of clips, such as task families or embodiments.

    Args:
        laid: The systems.
        groups: For each column, the group of each clip; a clip may be in none.
        clips: How clips are drawn again.
    """
    order = next(iter(laid.values())).clips
    found: dict[str, Any] = {}
    for column, homes in groups.items():
        own: dict[str, Any] = {}
        for group in sorted(set(homes.values())):
            places = np.array([k for k, c in enumerate(order) if homes.get(c) == group], np.int64)
            if not len(places):
                continue
            some = replace(clips, datasets=clips.datasets[places])
            own[group] = {"clips": len(places)}
            for name, scored in laid.items():
                all_figures = figures(scored.tally().drawn(places), some)
                own[group][name] = {key: all_figures[key].as_json() for key in _IN_GROUPS}
        found[column] = own
    return found


def _surer(report: ClipReport, least: float) -> ClipReport:
    return replace(report, events=tuple(e for e in report.events if (e.confidence or 0) >= least))


def _compared(tables: Sequence[Mapping[str, float | None]]) -> dict[str, Any]:
    """Return rank correlation, largest difference and whether the ranking is kept."""
    names = list(tables[0])
    values = np.array([[own[name] for name in names] for own in tables], dtype=np.float64)
    orders = {tuple(np.argsort(-row, kind="stable").tolist()) for row in values}
    return {
        "systems": names,
        "spearman": _spearman(values[0], values[-1]),
        "largest_difference": float(np.ptp(values, axis=0).max()) if names else None,
        "ranking_kept": len(orders) == 1,
    }


def _spearman(a: Floats, b: Floats) -> float | None:
    """Return the rank correlation; None for fewer than three systems, or where all are equal."""
    from scipy.stats import rankdata

    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    return float(np.corrcoef(rankdata(a), rankdata(b))[0, 1])


def _closed(base: Floats, some: Floats, full: Floats) -> Floats:
    return _share(some - base, full - base)


def _share(part: Floats, whole: Floats) -> Floats:
    found: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)
    return found


def _ends(drawn: Floats, clips: Clips) -> dict[str, float | None]:
    known, tail = drawn[np.isfinite(drawn)], (1.0 - clips.level) / 2.0
    if not len(known):
        return {"low": None, "high": None}
    low, high = np.quantile(known, [tail, 1.0 - tail]).tolist()
    return {"low": low, "high": high}


def _glitchy(scored: Scored) -> int:
    return int(np.count_nonzero(scored.tally().true > 0))


def _check_named(laid: Mapping[str, Scored], *names: str) -> None:
    for name in names:
        if name not in laid:
            raise UnknownNameError("system among --reports", name, laid)
