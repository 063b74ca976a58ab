"""Ask a judge, and take nothing for an answer that is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.benchmarks.passport.material import Material
from assay.errors import EpisodeError, UsageError
from assay.judges import check_curve
from assay.judges.base import HopJudge, ProgressJudge
from assay.records import Curve, Episode, Floats, Image, worst_status

__all__ = ["Pictures", "Probe"]

Pictures = Mapping[str, Image]


@dataclass(frozen=True)
class Probe:
    """A judge that is being checked; one object for each piece of material.

    Attributes:
        judge: The judge.
        known: Curves that several checks need.
    """

    judge: ProgressJudge
    known: dict[str, Curve] = field(default_factory=dict)

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
        """Return the curve at `times`, every moment of it scored.

        Raises:
            EpisodeError: A moment has no score, or the judge breaks its contract.
        """
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
        if "plain" not in self.known:
            self.known["plain"] = self.ask(material.episode, material.times)
        return self.known["plain"].values

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
        answer = self.judge.hop(task, before, after, start, goal)
        if answer.status != "ok" or answer.value is None:
            raise EpisodeError(f"{answer.status}: {answer.detail}", answer.status)
        if not -1.0 <= answer.value <= 1.0:
            raise EpisodeError(f"the hop {answer.value:g} is outside -1..1", "invalid_value")
        return float(answer.value)
