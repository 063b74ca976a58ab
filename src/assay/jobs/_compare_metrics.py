"""What policies are compared by: a number or a share of each episode."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import UnknownNameError, UsageError
from assay.jobs._compare_cases import Case, Run
from assay.metrics.results import METRICS, UP_IS_GOOD

__all__ = ["SUCCESS", "Metric", "metrics_of"]

SUCCESS = "success_end"
"""What stands beside the first dense metric when nothing else is asked for."""

_DENSE = "mp"
_COUNT = "events"
"""What runs of `assay diagnose` are compared by: how many events a clip has."""

_LESS_IS_GOOD = (_COUNT, "worst_severity")
_NAMES = frozenset({"seed"})
"""Numbers that name something: a mean of them says nothing."""


@dataclass(frozen=True)
class Metric:
    """One number of each episode.

    Attributes:
        name: As it was asked for, such as "mp" or "mc@75".
        column: The column of `episodes.parquet`.
        threshold: From where on an episode counts, in 0..1; None takes the number itself.
        is_share: Whether it is 0 or 1.
        bounds: The smallest and the largest value; infinite where open.
        up_is_good: Whether more is better; None when nobody can say.
    """

    name: str
    column: str
    threshold: float | None
    is_share: bool
    bounds: tuple[float, float]
    up_is_good: bool | None

    @property
    def is_bounded(self) -> bool:
        """Tell whether it has a worst and a best value."""
        return math.isfinite(self.bounds[1] - self.bounds[0])

    @property
    def worst(self) -> float:
        """Return the worst value; the smallest when nobody can say."""
        return self.bounds[1 if self.up_is_good is False else 0]

    @property
    def best(self) -> float:
        """Return the best value; the largest when nobody can say."""
        return self.bounds[0 if self.up_is_good is False else 1]

    def value(self, case: Case) -> float | None:
        """Return the number of an episode; None when it has none."""
        found = case.row[self.column]
        if found is None or not math.isfinite(found):
            return None
        return float(found) if self.threshold is None else float(found >= self.threshold)

    def as_json(self) -> dict[str, Any]:
        """Return the metric as it stands in result files; an open end is None."""
        low, high = (end if math.isfinite(end) else None for end in self.bounds)
        return {
            "name": self.name,
            "column": self.column,
            "threshold": self.threshold,
            "share": self.is_share,
            "low": low,
            "high": high,
            "up_is_good": self.up_is_good,
        }


def metrics_of(asked: Sequence[str], runs: Sequence[Run], cases: Sequence[Case]) -> list[Metric]:
    """Return the metrics of that name; without names MP, and success where there are labels.

    Diagnoses have neither: they are compared by the number of events.

    Raises:
        UnknownNameError: No run has such a column.
        UsageError: A threshold is no share, or no episode has a value.
    """
    columns = _columns(runs)
    if asked:
        found = [_metric(name, columns) for name in dict.fromkeys(asked)]
        for metric in found:
            if all(metric.value(case) is None for case in cases):
                raise UsageError(f"No episode of the runs has a value of {metric.name!r}.")
        return found
    if _DENSE not in columns and _COUNT in columns:
        return [_metric(_COUNT, columns)]
    dense, success = _metric(_DENSE, columns), _metric(SUCCESS, columns)
    has_labels = any(success.value(case) is not None for case in cases)
    return [dense, success] if has_labels else [dense]


def _metric(name: str, columns: dict[str, bool]) -> Metric:
    """Return the metric called `name`; `columns` says of each column whether it holds flags."""
    column, sign, rest = name.partition("@")
    is_metric = column in METRICS
    if column not in columns or (sign and not is_metric):
        raise UnknownNameError("metric", name, [*columns, "mc@75"])
    counts = column.startswith(_LESS_IS_GOOD)
    up = True if columns[column] else False if counts else UP_IS_GOOD.get(column)
    if sign:
        return Metric(
            name, column, _threshold(name, rest), is_share=True, bounds=(0, 1), up_is_good=up
        )
    above = is_metric or columns[column] or counts or column == "duration_s"
    low = 0.0 if above else -math.inf
    high = 1.0 if is_metric or columns[column] else math.inf
    return Metric(name, column, None, is_share=columns[column], bounds=(low, high), up_is_good=up)


def _threshold(name: str, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found <= 100:
        raise UsageError(f"--metric {name}: a number above 0 and up to 100 stands behind the @.")
    return found / 100.0


def _columns(runs: Sequence[Run]) -> dict[str, bool]:
    """Return the columns with numbers that all runs have, and whether each holds flags."""
    import pyarrow.parquet as pq
    from pyarrow import types

    found: list[dict[str, bool]] = []
    for run in runs:
        schema = pq.read_schema(run.path / "episodes.parquet")
        kinds = {field.name: field.type for field in schema if field.name not in _NAMES}
        found.append(
            {
                name: types.is_boolean(kind)
                for name, kind in kinds.items()
                if types.is_boolean(kind) or types.is_floating(kind) or types.is_integer(kind)
            }
        )
    return {name: flag for name, flag in found[0].items() if all(name in own for own in found)}
