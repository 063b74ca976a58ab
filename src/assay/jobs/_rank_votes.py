"""Rank the votes at hand, all of them or those of one task, as a part of `rank.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from assay.episodes.votes import Votes
from assay.errors import UsageError
from assay.metrics.bradley_terry import IMAGINED
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.preference.agreeing import Drawn
from assay.metrics.preference.bootstrap import resample_strengths
from assay.metrics.preference.counts import Cells, Codes, Tally, count_cells, count_votes
from assay.metrics.preference.ranking import rank_policies
from assay.metrics.preference.standings import Ranking, RankingSettings, Standing

__all__ = ["MOST_SHOWN", "Ranked", "count", "rank_by", "ranked"]

_Counted: TypeAlias = tuple[Tally, Cells | None]

MOST_SHOWN = 60
"""With more policies the document has no matrix, and tests of neighbours only."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """Votes with their ranking.

    Attributes:
        tally: The votes, counted.
        cells: The same by cluster, if votes go together.
        ranking: What they say.
        settings: How it was made.
    """

    tally: Tally
    cells: Cells | None
    ranking: Ranking
    settings: RankingSettings

    def drawn(self, resamples: int, seed: int) -> Drawn:
        """Return the strengths, and those of votes that are drawn again."""
        known = np.flatnonzero(~np.isnan(self.ranking.beta))
        names, beta = self.ranking.names, self.ranking.beta
        units = self.tally.decisive if self.cells is None else self.cells.clusters
        if len(known) < 2 or units < SMALLEST_SAMPLE:
            what = "votes" if self.cells is None else "clusters of votes"
            return Drawn(names, beta, None, f"fewer than {SMALLEST_SAMPLE} {what}: no interval")
        found = np.full((resamples, len(beta)), np.nan)
        found[:, known] = resample_strengths(
            self.tally.take(known),
            self.cells and self.cells.take(known, len(beta)),
            ties=self.settings.ties,
            imagined=IMAGINED if self.settings.regularise else 0.0,
            start=beta[known],
            resamples=resamples,
            seed=seed,
        )
        return Drawn(names, beta, found)

    def as_json(self) -> dict[str, Any]:
        """Return the ranking as it stands in `rank.json`."""
        found = self.ranking
        return {
            "policies": [_standing(one) for one in found.standings],
            "votes": self.tally.votes,
            "decisive": self.tally.decisive,
            "level": self.settings.level,
            "interval": found.interval,
            "warnings": list(found.warnings),
            "nu": None if found.log_nu is None else float(np.exp(found.log_nu)),
            "groups": [[_standing(one) for one in group] for group in found.others],
            "pairs": self._pairs(),
            "next": [
                {
                    "a": found.names[pair.i],
                    "b": found.names[pair.j],
                    "gain": pair.gain,
                    "votes": pair.votes,
                    "chance": pair.chance,
                }
                for pair in found.following
            ],
            "matrix": self._matrix(),
        }

    def _pairs(self) -> list[dict[str, Any]]:
        """Return the tests of all pairs; of neighbours only where policies are many."""
        if len(self.ranking.names) <= MOST_SHOWN:
            return [asdict(pair) for pair in self.ranking.pairs]
        sure = [one.name for one in self.ranking.standings if one.low is not None]
        after = dict(pairwise(sure))
        return [asdict(pair) for pair in self.ranking.pairs if after.get(pair.a) == pair.b]

    def _matrix(self) -> dict[str, Any] | None:
        """Return wins and ties with policies by rank; None where they are too many to look at."""
        names = self.ranking.names
        if len(names) > MOST_SHOWN:
            return None
        place = {name: k for k, name in enumerate(names)}
        order = [place[one.name] for one in self.ranking.standings]
        own = self.tally.take(np.array(order, dtype=np.int64))
        return {
            "names": [names[k] for k in order],
            "wins": own.wins.astype(int).tolist(),
            "ties": own.ties.astype(int).tolist(),
        }


def count(votes: Votes, cluster: str | None = None, rows: Codes | None = None) -> _Counted:
    """Count votes, all or those of some `rows`, and by cluster if one is named."""
    part = slice(None) if rows is None else rows
    arrays = votes.a[part], votes.b[part], votes.outcome[part]
    tally = count_votes(*arrays, len(votes.names))
    cells = None
    if cluster is not None:
        cells = count_cells(*arrays, votes.columns[cluster].codes[part], len(votes.names))
    return tally, cells


def ranked(votes: Votes, cluster: str | None, settings: RankingSettings) -> Ranked:
    """Rank all votes."""
    tally, cells = count(votes, cluster)
    return Ranked(tally, cells, rank_policies(tally, votes.names, cells, settings), settings)


def rank_by(
    votes: Votes, column: str, cluster: str | None, settings: RankingSettings
) -> list[dict[str, Any]]:
    """Return a ranking for each text of a column; one that can't be ranked says why."""
    found = []
    for name, rows in votes.by(column).items():
        whole, parts = count(votes, cluster, rows)
        here = np.flatnonzero((whole.wins + whole.wins.T + whole.ties).any(axis=1))
        names = [votes.names[k] for k in here.tolist()]
        tally, cells = whole.take(here), parts and parts.take(here, len(votes.names))
        try:
            ranking = rank_policies(tally, names, cells, settings)
        except UsageError as error:
            found.append({"name": name, **_unranked(tally, settings, str(error))})
        else:
            found.append({"name": name, **Ranked(tally, cells, ranking, settings).as_json()})
    return found


def _standing(one: Standing) -> dict[str, Any]:
    found = asdict(one)
    if one.why is None:
        del found["why"]
    return found


def _unranked(tally: Tally, settings: RankingSettings, why: str) -> Mapping[str, Any]:
    counts = {"votes": tally.votes, "decisive": tally.decisive, "level": settings.level}
    return {"policies": [], **counts, "interval": "", "warnings": [why], "why": why}
