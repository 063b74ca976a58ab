"""Say what a run would take, without asking anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assay.engine import Journal
from assay.errors import UsageError
from assay.jobs._judging import Judging
from assay.jobs._models import asks, usage_document
from assay.judges.base import ProgressJudge
from assay.judges.ramp import Ramp
from assay.models.session import ModelSettings, Session, Usage
from assay.records import Curve, Episode, Floats, Judged, Unreadable

__all__ = ["CallPlan", "MadeUp", "count_calls", "planning", "refuse_plan"]


@dataclass(frozen=True)
class CallPlan:
    """What a run would ask.

    Attributes:
        episodes: How many there are.
        usage: Calls that would be sent, and answers that are there already, by model. Tokens and
            cost are what they can come to at most.
        silent: Episodes that a judge would ask nothing about, by the reason.
    """

    episodes: int
    usage: Mapping[str, Usage]
    silent: Mapping[str, int]

    @property
    def document(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        models = usage_document(self.usage)["models"]
        return {
            "schema": "assay.plan/1",
            "episodes": self.episodes,
            "models": models,
            "silent": dict(self.silent),
        }


class MadeUp:
    """A judge whose questions are put and whose answers are made up.

    Where one answer leads to the next question, a session that sends nothing would hear the first
    question alone.
    """

    def __init__(self, judge: ProgressJudge) -> None:
        self._judge = judge

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the judge has
        return (
            self._hop
            if name == "hop" and hasattr(self._judge, name)
            else getattr(self._judge, name)
        )

    def progress(self, episode: Episode, times: Floats) -> Curve:
        """Put the judge's questions, and say that progress was even."""
        self._judge.progress(episode, times)
        return Ramp().progress(episode, times)

    def _hop(self, *told: Any) -> Judged[float]:  # noqa: ANN401 - what a hop is told
        self._judge.hop(*told)  # type: ignore[attr-defined]  # asked for only where there is one
        return Judged(0.1)


def planning(settings: ModelSettings | None) -> ModelSettings:
    """Return settings with which nothing is sent."""
    return replace(settings or ModelSettings(), plan=True)


def refuse_plan(settings: ModelSettings | None) -> None:
    """Raise where a run was asked for with settings that send nothing: it would judge nothing."""
    if settings is not None and settings.plan:
        raise UsageError("Nothing is judged where models are only planned: call plan instead.")


def count_calls(
    judges: Mapping[str, ProgressJudge],
    episodes: Sequence[Episode | Unreadable],
    session: Session | None,
    fps: float | None,
    jobs: int | None,
) -> CallPlan:
    """Put every question to a session that sends nothing, and count.

    What a judge would ask only after another answer is not counted.
    """
    asking = {name: judge for name, judge in judges.items() if asks(judge)}
    if session is None or not asking:
        return CallPlan(len(episodes), {}, {})
    with TemporaryDirectory() as folder, Journal(Path(folder) / "plan.sqlite", "plan") as journal:
        results = Judging(asking, journal, fps, jobs).results(episodes, {})
    silent: dict[str, int] = {}
    for own in results.values():
        for scored in own.values():
            if not scored.calls and scored.status != "ok":
                silent[scored.status] = silent.get(scored.status, 0) + 1
    return CallPlan(len(episodes), session.usage(), dict(sorted(silent.items())))
