"""Ask a judge, and take nothing for an answer that is none.

A judge that asks a model is answered by the ledger where a question was put before. An audit wants
that. A check does not: it puts the same question again to see whether the answer is the same. So
only the plain curve is asked as an audit asks it, and every other question is a draw of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.benchmarks.passport.frames import watched
from assay.benchmarks.passport.material import Material
from assay.errors import EpisodeError, UsageError
from assay.judges import check_curve
from assay.judges.base import HopJudge, ProgressJudge
from assay.models.recording import Call, recorded, redrawn
from assay.records import Curve, Episode, Floats, Image, worst_status

__all__ = ["Pictures", "Plain", "Probe"]

Pictures = Mapping[str, Image]


@dataclass(frozen=True, eq=False)
class Plain:
    """What came of asking about an episode as it is.

    Attributes:
        curve: The scores.
        calls: What models were asked for them, in order; empty where none was.
        views: How many views were looked at.
    """

    curve: Curve
    calls: tuple[Call, ...]
    views: int


@dataclass(frozen=True)
class Probe:
    """A judge that is being checked on one piece of material.

    Attributes:
        judge: The judge.
        known: What several checks need, asked for once.
        check: The check that asks.
        asked: Counts what it asks, so that no two of its questions are one draw.
    """

    judge: ProgressJudge
    known: dict[str, Plain] = field(default_factory=dict)
    check: str = ""
    asked: Iterator[int] = field(default_factory=itertools.count)

    def by(self, check: str) -> Probe:
        """Return the probe as one check uses it; what is known is shared with the others."""
        return Probe(self.judge, self.known, check)

    @property
    def hops(self) -> bool:
        """Tell whether the judge scores pairs, too."""
        return isinstance(self.judge, HopJudge)

    @property
    def chains(self) -> bool:
        """Tell whether the judge makes its curves of answers to pairs, by a named integrator."""
        return self.hops and hasattr(self.judge, "integrator")

    @property
    def takes_goal(self) -> bool:
        """Tell whether the judge can be given a goal."""
        return hasattr(self.judge, "goal")

    @property
    def has_goal(self) -> bool:
        """Tell whether the judge was given one."""
        return getattr(self.judge, "goal", None) is not None

    @property
    def goals(self) -> Path | None:
        """Return where the judge takes its goal pictures from, as `--goal` gave it, or None."""
        found = getattr(self.judge, "goal", None)
        return found if isinstance(found, Path) else None

    def ask(self, episode: Episode, times: Floats) -> Curve:
        """Return the curve at `times`, drawn anew and every moment of it scored.

        Raises:
            EpisodeError: A moment has no score, or the judge breaks its contract.
        """
        with redrawn(self._draw()):
            return self._curve(episode, times)

    def _draw(self) -> str:
        return f"{self.check or 'probe'} {next(self.asked)}"

    def _curve(self, episode: Episode, times: Floats) -> Curve:
        try:
            curve = self.judge.progress(episode, times)
            check_curve(type(self.judge).__name__, curve, times)
        except UsageError as error:
            raise EpisodeError(f"the judge breaks its contract: {error}", "invalid_value") from None
        status = worst_status(curve.status)
        if status != "ok":
            raise EpisodeError(f"{status}: {curve.detail}", status)
        return curve

    def plain(self, material: Material) -> Floats:
        """Return the scores of the episode as it is, asked for once, of shape (T,)."""
        return self.look(material).curve.values

    def look(self, material: Material) -> Plain:
        """Return the same with what it took; it is asked as an audit asks it, ledger and all."""
        if "plain" not in self.known:
            shown, seen = watched(material.episode)
            with recorded() as record:
                curve = self._curve(shown, material.times)
            self.known["plain"] = Plain(curve, tuple(record.calls()), len(seen))
        return self.known["plain"]

    def values(self, episode: Episode, times: Floats) -> Floats:
        """Return the scores at `times`, of shape (T,)."""
        return self.ask(episode, times).values

    def hop(
        self, task: str, before: Pictures, after: Pictures, start: Pictures, goal: Pictures | None
    ) -> float:
        """Return the signed progress from `before` to `after`.

        Raises:
            EpisodeError: The judge gives no number in -1..1.
        """
        if not isinstance(self.judge, HopJudge):
            raise EpisodeError("the judge scores no pairs", "no_reference")
        with redrawn(self._draw()):
            answer = self.judge.hop(task, before, after, start, goal)
        if answer.status != "ok" or answer.value is None:
            raise EpisodeError(f"{answer.status}: {answer.detail}", answer.status)
        if not -1.0 <= answer.value <= 1.0:
            raise EpisodeError(f"the hop {answer.value:g} is outside -1..1", "invalid_value")
        return float(answer.value)
