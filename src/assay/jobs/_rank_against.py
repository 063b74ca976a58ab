"""Open the other side of a comparison of rankings: votes, a finished ranking, or an audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes.faults import reading
from assay.episodes.votes import read_votes
from assay.errors import InputError, RunError, UnknownNameError, UsageError
from assay.jobs._rank_votes import Ranked, ranked
from assay.jobs._rundir import read_document
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.preference.agreeing import Drawn, RankAgreement, resample_means
from assay.metrics.preference.counts import Tally
from assay.metrics.preference.ranking import rank_policies
from assay.metrics.preference.standings import RankingSettings
from assay.metrics.results import METRICS, UP_IS_GOOD
from assay.reports.difference_page import alarms_of

__all__ = ["RANKED_BY", "Other", "agreement_json", "open_other"]

RANKED_BY = (*METRICS, "success_once", "success_held", "success_end")
"""The columns of an audit that policies can be ranked by."""


@dataclass(frozen=True, eq=False)
class Other:
    """The other ranking.

    Attributes:
        path: Where it comes from.
        kind: "votes", "rank" or "audit".
        drawn: A score of each policy, and those of resamples.
        metric: What an audit's policies are ranked by, or None.
        judge: Whose scores these are, as the audit describes it, or None.
        alarms: What the audit says of scenes that its judge has not seen.
    """

    path: Path
    kind: str
    drawn: Drawn
    metric: str | None = None
    judge: Mapping[str, Any] | None = None
    alarms: tuple[str, ...] = ()


def open_other(path: Path, metric: str, resamples: int, seed: int) -> Other:
    """Open the other ranking.

    Args:
        path: A file of votes, or the run directory of a ranking or of an audit.
        metric: What to rank the policies of an audit by.
        resamples: How many resamples to draw.
        seed: Decides the resamples.

    Raises:
        RunError: A folder that holds neither a finished ranking nor a finished audit.
    """
    if not path.is_dir():
        try:
            other = ranked(read_votes(path), None, RankingSettings())
        except UsageError as error:  # one vote, or ties only
            raise InputError(str(error), path) from error
        return Other(path, "votes", other.drawn(resamples, seed))
    if (path / "rank.json").is_file():
        return Other(path, "rank", _reopened(path).drawn(resamples, seed))
    if (path / "audit.json").is_file():
        return _audited(path, metric, resamples, seed)
    raise RunError(f"{path} holds no finished run of assay rank or assay audit.")


def agreement_json(other: Other, found: RankAgreement) -> dict[str, Any]:
    """Return an agreement as it stands in `rank.json`."""
    return {
        "path": str(other.path),
        "kind": other.kind,
        "metric": other.metric,
        "judge": None if other.judge is None else other.judge["name"],
        "described": None if other.judge is None else dict(other.judge),
        "alarms": list(other.alarms),
        "kendall": found.kendall.as_json(),
        "spearman": found.spearman.as_json(),
        "policies": list(found.policies),
        "only_here": list(found.only_first),
        "only_there": list(found.only_second),
        "swapped": [list(pair) for pair in found.swapped],
        "scores": {
            name: float(value)
            for name, value in zip(other.drawn.names, other.drawn.values, strict=True)
            if not np.isnan(value)
        },
    }


def _reopened(path: Path) -> Ranked:
    """Return the ranking of a run directory, from its counts."""
    import pyarrow.parquet as pq

    document = read_document(path / "rank.json")
    if document.get("schema") != "assay.rank/1":
        raise RunError(f"{path / 'rank.json'} has the schema {document.get('schema')!r}.")
    file = path / "counts.parquet"
    with reading(file):
        rows = pq.read_table(file).to_pylist()
        names = sorted({row[side] for row in rows for side in ("a", "b")})
        place = {name: k for k, name in enumerate(names)}
        wins, ties = np.zeros((2, len(names), len(names)))
        for row in rows:
            i, j = place[row["a"]], place[row["b"]]
            wins[i, j], wins[j, i] = row["a_wins"], row["b_wins"]
            ties[i, j] = ties[j, i] = row["ties"]
        asked = document["settings"]
        settings = RankingSettings(asked["ties"], asked["regularise"], asked["level"])
    tally = Tally(wins, ties)
    return Ranked(tally, None, rank_policies(tally, names, None, settings), settings)


def _audited(path: Path, metric: str, resamples: int, seed: int) -> Other:
    """Return the policies of an audit by the mean of a metric over scored episodes."""
    import pyarrow.parquet as pq

    if metric not in RANKED_BY:
        raise UnknownNameError("--metric", metric, RANKED_BY)
    document = read_document(path / "audit.json")
    described = {key: document["judge"].get(key) for key in ("name", "settings", "passport")}
    judge = described["name"]
    file = path / "episodes.parquet"
    columns = ["policy", "judge", "status", metric]
    with reading(file):
        rows = pq.read_table(file, columns=columns).to_pylist()
    values: dict[str, list[float]] = {}
    for row in rows:
        scored = row["judge"] == judge and row["status"] == "ok" and row[metric] is not None
        if scored and row["policy"]:
            values.setdefault(row["policy"], []).append(float(row[metric]))
    sign = 1.0 if UP_IS_GOOD.get(metric, True) else -1.0
    arrays = {name: sign * np.array(own) for name, own in values.items()}
    drawn = resample_means(arrays, resamples, seed)
    if any(len(own) < SMALLEST_SAMPLE for own in arrays.values()):
        few = f"a policy has fewer than {SMALLEST_SAMPLE} episodes: no interval"
        drawn = Drawn(drawn.names, drawn.values, None, few)
    return Other(path, "audit", drawn, metric, described, tuple(alarms_of([document])))
