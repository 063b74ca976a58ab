"""Turn what judges said on pulse into the figures of `bench.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from assay.benchmarks.pulse.items import Item
from assay.benchmarks.pulse.scores import INVALID, Answers, Scorer, answer_of
from assay.benchmarks.pulse.thresholds import CURVE_FPS
from assay.benchmarks.pulse.truth import has_potential
from assay.benchmarks.pulse.whole import Watched, curve_figures
from assay.episodes import sampling
from assay.jobs._describe import card_of
from assay.jobs._novelty import novelty, other_looks
from assay.jobs._pulse_opening import Opened
from assay.jobs._pulse_units import Said
from assay.jobs._rundir import write_file
from assay.judges.base import Judge
from assay.records import Episode

__all__ = ["Scoring", "Spoken", "write_answers"]

Spoken: TypeAlias = Mapping[tuple[str, float, str], Said]
"""What was said, by judge, share of noise and episode."""

_TROUBLES = 5
_BUILT = (
    *("bins", "pairs", "regression_share", "settings", "inputs", "thresholds"),
    "unknown_policies",
)
_CARD = ("novel_limit", "look")


@dataclass(frozen=True)
class Scoring:
    """What there is to score.

    Attributes:
        opened: The benchmark.
        said: What judges said.
        recorded: Recorded answers by name and item.
        judges: The judges that were asked, by name.
        nulls: Which of them are null judges.
        passports: What is known of each; recorded answers have none.
    """

    opened: Opened
    said: Spoken
    recorded: Mapping[str, Mapping[str, int]]
    judges: Mapping[str, Judge]
    nulls: Sequence[str]
    passports: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)

    def answers(self, level: float = 0.0) -> dict[str, Answers]:
        """Return the answers of all judges, in the order of the items; recorded ones last."""
        items = self.opened.items
        asked = {
            name: [
                answer_of(self.said[name, level, item.episode].values.get(item.item))
                for item in items
            ]
            for name in self.judges
        }
        if not level:
            asked |= {
                name: [own.get(item.item, INVALID) for item in items]
                for name, own in self.recorded.items()
            }
        return {name: np.array(own, dtype=np.int64) for name, own in asked.items()}

    def document(self, levels: Sequence[float], seed: int) -> dict[str, Any]:
        """Return all figures as plain data."""
        scorer = Scorer(self.opened.items, seed)
        answers = {level: self.answers(level) for level in levels}
        clean = answers[0.0]
        best = max(
            (name for name in self.judges if name in self.nulls),
            key=lambda name: float(scorer.overall(clean[name])[0]),
        )
        return {
            "schema": "assay.bench/1",
            "benchmark": "pulse",
            "items": len(self.opened.items),
            "episodes": len(self.opened.episodes),
            "best_null": best,
            "noise": list(levels),
            "judges": [
                {
                    "name": name,
                    "null": name in self.nulls,
                    "recorded": name in self.recorded,
                    **scorer.figures(own),
                    "lift": scorer.lift(own, clean[best]),
                    "noise": {
                        f"{level:g}": scorer.averages(at[name])
                        for level, at in answers.items()
                        if name in at
                    },
                    "curves": self._curves(name, seed),
                    **self._novelty(name, seed),
                    "passport": self.passports.get(name),
                    "trouble": self._trouble(name),
                }
                for name, own in clean.items()
            ],
            "built": {k: self.opened.document[k] for k in _BUILT if k in self.opened.document},
        }

    def _curves(self, name: str, seed: int) -> dict[str, Any] | None:
        """Return the figures of whole curves; None when there is none with a known truth."""
        episodes = filter(has_potential, self.opened.episodes.values())
        watched = [_watched(episode, self._clean(name, episode)) for episode in episodes]
        if all(one.values is None for one in watched):
            return None
        return curve_figures(watched, seed)

    def _clean(self, name: str, episode: Episode) -> Said:
        """Return what a judge said of an episode without noise; nothing for recorded answers."""
        return self.said.get((name, 0.0, episode.id), Said())

    def _novelty(self, name: str, seed: int) -> dict[str, Any]:
        """Return how much a judge has not seen the like of, and what its card says of that."""
        if name not in self.judges:
            return {"novel": None}
        judge, episodes = self.judges[name], tuple(self.opened.episodes.values())
        others = other_looks(judge, episodes)
        rows = [
            {"novel": 1.0 if one.id in others else self._clean(name, one).novel} for one in episodes
        ]
        found: dict[str, Any] = {"novel": novelty(rows, seed)}
        if (card := card_of(judge)) is not None:
            found["card"] = {key: card[key] for key in _CARD if key in card}
        if others:
            looks = sorted(set(others.values()))
            found["other_looks"] = {"looks": looks, "episodes": len(others)}
        return found

    def _trouble(self, name: str) -> list[dict[str, str]]:
        """Return the first episodes in which something went wrong."""
        found = [
            {"episode": episode, "status": own.trouble[0], "detail": own.trouble[1]}
            for (judge, _, episode), own in self.said.items()
            if judge == name and own.trouble is not None
        ]
        return sorted(found, key=lambda trouble: trouble["episode"])[:_TROUBLES]


def _watched(episode: Episode, said: Said) -> Watched:
    """Return an episode with its truth at the judged moments, or where they should have been."""
    whole = said.whole()
    times, values = whole or (sampling.grid(episode.duration(), CURVE_FPS), None)
    phi = np.asarray(episode.at("progress", times), dtype=np.float64)
    return Watched(episode.id, episode.policy, episode.outcome, times, phi, values)


def write_answers(path: Path, items: Sequence[Item], table: Mapping[str, Answers]) -> None:
    """Write `answers.parquet`: one row per judge and item; null is an invalid answer."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {"judge": name, "item": item.item, "answer": None if a == INVALID else a, "y": item.y}
        for name, answers in table.items()
        for item, a in zip(items, answers.tolist(), strict=True)
    ]
    text, number = pa.string(), pa.int64()
    fields: list[tuple[str, pa.DataType]] = [
        *[(name, text) for name in ("judge", "item")],
        *[(name, number) for name in ("answer", "y")],
    ]
    schema = pa.schema(fields, metadata={"schema": "assay.answers/1"})
    written = pa.Table.from_pylist(rows, schema=schema)
    write_file(path, lambda partial: pq.write_table(written, partial, compression="zstd"))
