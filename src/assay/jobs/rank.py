"""Rank policies by blind votes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes.votes import Votes, read_votes
from assay.errors import InputError, UnknownNameError, UsageError
from assay.jobs._fingerprint import fingerprint
from assay.jobs._log import logged
from assay.jobs._rank_against import RANKED_BY, Other, agreement_json, open_other
from assay.jobs._rank_votes import Ranked, rank_by, ranked
from assay.jobs._rundir import RunDirectory, disk_faults, dump_json, read_document, write_file
from assay.metrics.bradley_terry import Ties
from assay.metrics.preference.agreeing import Drawn, agree_rankings
from assay.metrics.preference.standings import RankingSettings
from assay.reports.rank_page import write_rank_page

__all__ = ["RankResult", "RankSettings", "rank"]

CLUSTERS = ("rater", "scene")
GROUPS = ("task", "scene", "rater", "source")


@dataclass(frozen=True)
class RankSettings:
    """How to rank.

    Attributes:
        out: The run directory; None writes nothing.
        policies: Rank these only; all by default.
        by: Also rank the votes of each "task", "scene", "rater" or "source" by themselves.
        cluster: Votes of one "rater" or one "scene" go together; None takes all as independent.
        ties: "exclude" leaves ties out of the fit, "davidson" counts them.
        regularise: Give each policy an imagined win and loss against an average one.
        level: The wanted coverage of intervals.
        against: Another ranking: votes, or the run directory of a ranking or of an audit.
        metric: What the policies of an audit are ranked by.
        resamples: How often votes are drawn again.
        seed: Decides the resampling.
    """

    out: Path | str | None = None
    policies: tuple[str, ...] = ()
    by: str | None = None
    cluster: str | None = None
    ties: Ties = "exclude"
    regularise: bool = False
    level: float = 0.95
    against: Path | str | None = None
    metric: str = "mp"
    resamples: int = field(default=1000, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what can't be meant, before anything is read."""
        for kind, asked, allowed in (
            ("column to rank --by", self.by, GROUPS),
            ("column to --cluster by", self.cluster, CLUSTERS),
            ("way to treat --ties", self.ties, ("exclude", "davidson")),
            ("--metric", self.metric, RANKED_BY),
        ):
            if asked is not None and asked not in allowed:
                raise UnknownNameError(kind, asked, allowed)
        if not 0.5 <= self.level < 1.0:
            raise UsageError(f"--level must be at least 0.5 and below 1, not {self.level:g}.")
        if self.regularise and self.cluster is not None:
            raise UsageError("--regularise has no clustered intervals: leave out --cluster.")
        if self.by is not None and self.by == self.cluster:
            raise UsageError(f"--by and --cluster can't both be {self.by!r}.")
        if len(self.policies) == 1:
            raise UsageError("--policies needs at least two policies to rank.")
        if not 100 <= self.resamples <= 100_000:
            raise UsageError(f"--resamples must lie in 100..100000, not {self.resamples}.")
        if self.seed < 0:
            raise UsageError(f"--seed must be 0 or more, not {self.seed}.")


@dataclass(frozen=True)
class RankResult:
    """A finished ranking.

    Attributes:
        out: The run directory, or None; `index.html` is the report.
        document: What `rank.json` holds.
    """

    out: Path | None
    document: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return `rank.json` to the letter."""
        if self.out is None:
            return dump_json(self.document)
        return (self.out / "rank.json").read_text(encoding="utf-8")

    @property
    def ok(self) -> bool:
        """Tell whether every policy has a strength."""
        return all(one["beta"] is not None for one in self.document["policies"])

    def problems(self) -> list[str]:
        """Return the warnings."""
        return list(self.document["warnings"])


def rank(votes: str | Path, settings: RankSettings | None = None) -> RankResult:
    """Rank policies by votes, and write the run directory if one is named.

    Does nothing if the directory holds this ranking, finished.

    Args:
        votes: A csv, jsonl or parquet file of votes.
        settings: How to rank.

    Raises:
        InputError: The votes can't be used.
        UnknownNameError: A named policy is in no vote.
    """
    chosen = settings or RankSettings()
    path = Path(votes)
    with logged() as log:
        read, other = _read(path, chosen), _other(chosen)
        if chosen.out is None:
            return RankResult(None, _document(read, other, chosen)[0])
        document = {
            "verb": "rank",
            "seed": chosen.seed,
            "settings": _record(path, chosen),
            "fingerprints": _fingerprints(path, chosen),
        }
        run = RunDirectory.open(Path(chosen.out), document, frozenset(_record(path, chosen)))
        if run.finished:
            return RankResult(run.path, read_document(run.result))
        with disk_faults(run.path):
            log.open(run.path)
            found, own = _document(read, other, chosen)
            _write_counts(run.path / "counts.parquet", own)
            write_rank_page(found, run.path)
            write_file(run.result, dump_json(found))
            return RankResult(run.path, read_document(run.result))


def _read(path: Path, settings: RankSettings) -> Votes:
    """Return the votes to rank."""
    also = [column for column in (settings.by, settings.cluster) if column is not None]
    votes = read_votes(path, also)
    if settings.policies:
        votes = votes.among(settings.policies)
    among = " among these policies" if settings.policies else ""
    if len(votes) < 2:
        count = "one vote" if len(votes) else "no vote"
        raise InputError(f"has {count}{among}; a ranking needs at least 2.", path)
    if not votes.outcome.any():
        said = f"all {len(votes)} votes{among} are ties: nothing tells the policies apart."
        raise InputError(said, path)
    return votes


def _other(settings: RankSettings) -> Other | None:
    """Return the ranking to compare with, drawn by a seed of its own."""
    if settings.against is None:
        return None
    path = Path(settings.against)
    return open_other(path, settings.metric, settings.resamples, settings.seed + 1)


def _document(
    votes: Votes, other: Other | None, settings: RankSettings
) -> tuple[dict[str, Any], Ranked]:
    """Return the document of the ranking, and the ranking."""
    how = RankingSettings(settings.ties, settings.regularise, settings.level)
    own = ranked(votes, settings.cluster, how)
    drawn = own.drawn(settings.resamples, settings.seed)
    found = own.as_json()
    if settings.cluster is not None and found["interval"]:
        found["interval"] += f" by {settings.cluster}"
    first = _first(drawn)
    for one in found["policies"]:
        one["first"] = first.get(one["name"])
    by = against = None
    if other is not None:
        against = agreement_json(other, agree_rankings(drawn, other.drawn, settings.level))
    if settings.by is not None:
        parts = rank_by(votes, settings.by, settings.cluster, how)
        by = {"column": settings.by, "rankings": parts}
    return {
        "schema": "assay.rank/1",
        **found,
        "by": by,
        "against": against,
        "input": {"path": str(votes.path), "ignored": list(votes.ignored)},
        "settings": _record(votes.path, settings),
    }, own


def _first(drawn: Drawn) -> dict[str, float]:
    """Return the share of resamples in which each policy is the strongest."""
    if drawn.resamples is None:
        return {}
    known = np.flatnonzero(~np.isnan(drawn.values))
    best = known[np.argmax(drawn.resamples[:, known], axis=1)]
    shares = np.bincount(best, minlength=len(drawn.names)) / len(best)
    return {drawn.names[k]: float(shares[k]) for k in known.tolist()}


def _write_counts(path: Path, own: Ranked) -> None:
    """Write how often each pair was compared: all that a later comparison needs."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    wins, ties, names = own.tally.wins, own.tally.ties, own.ranking.names
    i, j = np.nonzero(np.triu(wins + wins.T + ties, 1))
    table = pa.table(
        {
            "a": pa.array([names[k] for k in i.tolist()], pa.string()),
            "b": pa.array([names[k] for k in j.tolist()], pa.string()),
            "a_wins": wins[i, j].astype(np.int64),
            "b_wins": wins[j, i].astype(np.int64),
            "ties": ties[i, j].astype(np.int64),
        }
    ).replace_schema_metadata({"schema": "assay.counts/1"})
    write_file(path, lambda partial: pq.write_table(table, partial, compression="zstd"))


def _fingerprints(path: Path, settings: RankSettings) -> dict[str, str]:
    found = {str(path): fingerprint(path)}
    if settings.against is None:
        return found
    other = Path(settings.against)
    if not other.is_dir():
        return {**found, str(other): fingerprint(other)}
    names = ("rank.json", "counts.parquet", "audit.json", "episodes.parquet")
    parts = [other / name for name in names if (other / name).is_file()]
    return {**found, **{str(part): fingerprint(part) for part in parts}}


def _record(path: Path, settings: RankSettings) -> dict[str, Any]:
    """Return the settings that decide the result, as plain data for run.json."""
    return {
        "votes": str(path),
        "policies": list(settings.policies),
        "by": settings.by,
        "cluster": settings.cluster,
        "ties": settings.ties,
        "regularise": settings.regularise,
        "level": settings.level,
        "against": None if settings.against is None else str(settings.against),
        "metric": settings.metric,
        "resamples": settings.resamples,
        "seed": settings.seed,
    }
