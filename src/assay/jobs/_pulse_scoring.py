"""Turn what judges said on pulse into the figures of `bench.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from assay.benchmarks.pulse.items import Item
from assay.benchmarks.pulse.scores import INVALID, Answers, Scorer, answer_of
from assay.benchmarks.pulse.truth import has_potential
from assay.benchmarks.pulse.whole import Watched, curve_figures
from assay.jobs._pulse_opening import Opened
from assay.jobs._pulse_units import Said
from assay.jobs._rundir import write_file

__all__ = ["Scoring", "Spoken", "write_answers"]

Spoken: TypeAlias = Mapping[tuple[str, float, str], Said]
"""What was said, by judge, share of noise and episode."""

_TROUBLES = 5
_BUILT = ("bins", "pairs", "regression_share", "settings", "inputs", "thresholds")


@dataclass(frozen=True)
class Scoring:
    """What there is to score.

    Attributes:
        opened: The benchmark.
        said: What judges said.
        recorded: Recorded answers by name and item.
        judges: The names of the judges that were asked.
        nulls: Which of them are null judges.
    """

    opened: Opened
    said: Spoken
    recorded: Mapping[str, Mapping[str, int]]
    judges: Sequence[str]
    nulls: Sequence[str]

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
                    "trouble": self._trouble(name),
                }
                for name, own in clean.items()
            ],
            "built": {key: self.opened.document[key] for key in _BUILT},
        }

    def _curves(self, name: str, seed: int) -> dict[str, Any] | None:
        """Return the figures of whole curves; None when there is none with a known truth."""
        watched = list(self._watched(name))
        if not watched:
            return None
        total = sum(map(has_potential, self.opened.episodes.values()))
        return curve_figures(watched, total - len(watched), seed)

    def _watched(self, name: str) -> Iterator[Watched]:
        """Yield the episodes with an exact potential that the judge gave a whole curve for."""
        for episode in self.opened.episodes.values():
            said = self.said.get((name, 0.0, episode.id))
            whole = said.whole() if said is not None else None
            if whole is not None and has_potential(episode):
                times, values = whole
                phi = np.asarray(episode.at("progress", times), dtype=np.float64)
                yield Watched(episode.id, episode.policy, episode.outcome, times, phi, values)

    def _trouble(self, name: str) -> list[dict[str, str]]:
        """Return the first episodes in which something went wrong."""
        found = [
            {"episode": episode, "status": own.trouble[0], "detail": own.trouble[1]}
            for (judge, _, episode), own in self.said.items()
            if judge == name and own.trouble is not None
        ]
        return sorted(found, key=lambda trouble: trouble["episode"])[:_TROUBLES]


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
