"""Which of two moments is further on: the pulse benchmark on a small scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from assay.benchmarks.passport.checks._single import SingleCheck, Wording, judged_line
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import OURS, Limit, Line
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.benchmarks.pulse.choosing import balanced, drawn
from assay.benchmarks.pulse.pairs import ORDERS, pairs_of
from assay.benchmarks.pulse.shares import clustered_share
from assay.benchmarks.pulse.thresholds import PER_STRATUM
from assay.benchmarks.pulse.truth import truth_of
from assay.errors import EpisodeError
from assay.records import Floats

__all__ = ["Pulse"]

_SEED = 0
_ANTI_TIME = ORDERS.index("anti-time")


@dataclass(frozen=True)
class Pulse(SingleCheck):
    """Compare pairs of moments; half of the losses are real ones, which a clock gets wrong."""

    truth: ClassVar[bool] = True
    rank: ClassVar[int] = 25
    limit: ClassVar[Limit] = Limit(0.85, above=True)
    anti_time: ClassVar[Limit] = Limit(
        0.75, above=True, source=f"half-way between chance and always right; {OURS}"
    )
    wording: ClassVar[Wording] = Wording(
        title="pulse",
        quantity="share of pairs of moments whose order it knows",
        passed="It knows which of two moments is further on.",
        failed="It often can't tell which of two moments is further on.",
        warning="It often can't tell which of two moments is further on.",
        matters=("ppl", "cra", "mp"),
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the drawn pairs: order, bin, distance [s] and whether the answer is right."""
        truth = truth_of(material.episode)
        pairs, _ = pairs_of(truth)
        places = drawn(pairs, material.episode.id, PER_STRATUM, _SEED)
        if not len(places):
            raise EpisodeError("no pair of moments has a clear answer")
        values = _values(probe, material, truth.times)
        hops = values[pairs.after[places]] - values[pairs.before[places]]
        right = np.sign(hops) == np.sign(pairs.hop[places])
        columns = (pairs.order[places], pairs.bin[places], pairs.distance_s[places], right)
        return {"pairs": np.column_stack(columns).tolist(), "episode": material.episode.id}

    def conclude(self, name: str, found: Sequence[Finding], unfit: str) -> tuple[Line, ...]:
        """Return a line for a balanced choice of all pairs and one for the anti-time ones."""
        told = [finding for finding in found if "pairs" in finding]
        rows = np.array([row for finding in told for row in finding["pairs"]]).reshape(-1, 4)
        names = np.array([finding["episode"] for finding in told for _ in finding["pairs"]])
        order, level = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
        everywhere = balanced(order, level, rows[:, 2], _SEED) if len(rows) else order
        chosen = {
            "all pairs": (everywhere, self.limit),
            "anti-time pairs": (np.flatnonzero(order == _ANTI_TIME), self.anti_time),
        }
        lines = []
        for kind, (places, limit) in chosen.items():
            wording = replace(self.wording, title=f"{self.wording.title}, {kind}")
            right = rows[places, 3] > 0
            # The line is worded by the mean; its interval must know that pairs share episodes.
            line = judged_line(name, wording, limit, [{"value": float(r)} for r in right], unfit)
            if len(places):
                share = clustered_share(right, names[places].tolist()).as_json()
                line = replace(line, value=share, more={"episodes": len(set(names[places]))})
            lines.append(_with_lost(line, found))
        return tuple(lines)


def _values(probe: Probe, material: Material, times: Floats) -> Floats:
    """Return the scores at `times`: those of the plain curve, if they are its moments."""
    plain = material.times
    if len(times) == len(plain) and np.allclose(times, plain, rtol=0.0, atol=1e-6):
        return probe.plain(material)
    return probe.values(material.episode, times)


def _with_lost(line: Line, found: Sequence[Finding]) -> Line:
    """Return the line with what is to know of the attempts that gave no pairs."""
    lost = [str(finding["why"]) for finding in found if "pairs" not in finding]
    if not lost:
        return line
    if line.value is None:
        return replace(line, why=lost[0])
    # How many pairs were lost nobody knows, so neither how bad nor how good the share could be.
    unknown = {"why": "nobody knows how many pairs were lost"}
    value = {**unknown, **line.value, "worst": None, "best": None}
    why = f"{len(lost)} of {len(found)} not measured, the first: {lost[0]}"
    return replace(line, value=value, why=why)
