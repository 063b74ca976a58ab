"""Bets on paired episodes as they come: who is compared with whom, in which order, and what for.

A stream has one value per round. A round is one pair of episodes of every task that both policies
do, and its value is the mean difference over the tasks; with one task that is the difference of a
pair. So a stream stands for the mean over tasks, whatever the order in which tasks are done: bets
on pairs of one task after the other would speak of the tasks so far, and not of all.

Pairs are taken in the order in which the second of them came. A scene counts once, by the first
episode of each policy in it: repetitions of a scene are no new scenes. A pair without a value is
left out and counted.

Numbers are bet on by mean and by signs, half of the error each. Of shares both would be the same
bets, so that they are bet on by the mean alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from assay.jobs._compare_cases import Case
from assay.jobs._compare_metrics import Metric
from assay.metrics.betting import BettingSettings
from assay.metrics.deciding import By, Decider, Decision
from assay.metrics.intervals import SMALLEST_SAMPLE
from assay.metrics.stopping import Advice, AdviceSettings, advise

__all__ = ["Following", "Goal", "Rounds", "rounds_of"]

Verdict: TypeAlias = Literal["above", "below", "alike"]
Place: TypeAlias = tuple[str, str]

_MOST_POINTS = 300  # of a picture: more can't be told apart on it
_UNPAIRED = "no scene"


@dataclass(frozen=True)
class Rounds:
    """What a stream is made of so far.

    Attributes:
        values: One per round, in order.
        waiting: Pairs, or episodes, whose round is not full yet.
        unscored: Pairs, or episodes, without a value, by status.
        repeats: Episodes of a scene that their policy had been in before.
    """

    values: tuple[float, ...]
    waiting: int
    unscored: Mapping[str, int]
    repeats: int


@dataclass(frozen=True)
class Goal:
    """What a stream is for.

    Attributes:
        metric: What is compared.
        names: Two policies, or one that has no rival yet.
        tasks: The tasks, with what was changed in them, that a round has a pair of each.
        level: 1 less the error that this stream may take.
        margin: The smallest difference that matters, in 0..1; None when every one does.
        seed: Decides the futures that advice is read off.
        mean_only: Whether signs are not bet on.
    """

    metric: Metric
    names: tuple[str, ...]
    tasks: tuple[str, ...]
    level: float
    margin: float | None = None
    seed: int = 0
    mean_only: bool = False

    @property
    def is_duel(self) -> bool:
        """Tell whether there is someone to compare with."""
        return len(self.names) > 1

    @property
    def has_signs(self) -> bool:
        """Tell whether signs are bet on beside the mean."""
        return self.is_duel and not self.mean_only and not self.metric.is_share

    @property
    def betting(self) -> BettingSettings:
        """Return what is bet on: a difference in -1..1, or a mean in 0..1."""
        low, null = (-1.0, 0.0) if self.is_duel else (0.0, 0.5)
        return BettingSettings(low=low, high=1.0, null=null, level=self.level)


def rounds_of(goal: Goal, cases: Sequence[Case]) -> Rounds:
    """Return what the episodes so far come to, in the order of their coming."""
    first: dict[str, dict[Place, Case]] = {name: {} for name in goal.names}
    queues: dict[str, list[float]] = {task: [] for task in goal.tasks}
    unscored: Counter[str] = Counter()
    repeats = 0
    for case in cases:
        if case.policy not in first or case.condition not in queues:
            continue
        place = _place(case, is_duel=goal.is_duel)
        if place is None:
            continue
        if place in first[case.policy]:
            repeats += 1
            continue
        first[case.policy][place] = case
        pair = [own.get(place) for own in first.values()]
        there = [one for one in pair if one is not None]
        if len(there) < len(pair):
            continue
        values = [goal.metric.value(one) for one in there]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            unscored[_status(there, values)] += 1
        else:
            queues[case.condition].append(known[0] - known[1] if goal.is_duel else known[0])
    full = min(map(len, queues.values()), default=0)
    rounds = zip(*(queue[:full] for queue in queues.values()), strict=True)
    return Rounds(
        tuple(sum(values) / len(values) for values in rounds),
        sum(map(len, queues.values())) - full * len(queues),
        dict(sorted(unscored.items())),
        repeats,
    )


def _place(case: Case, *, is_duel: bool) -> Place | None:
    """Return what a pair shares; an episode that names no scene has no pair."""
    if case.scene is not None:
        return case.condition, case.scene
    return None if is_duel else (case.condition, f"{_UNPAIRED}: {case.episode}")


def _status(cases: Sequence[Case], values: Sequence[float | None]) -> str:
    """Return why a pair has no value: the status of the first episode without one."""
    lost = next(case for case, value in zip(cases, values, strict=True) if value is None)
    return lost.status if lost.status != "ok" else "no value"


@dataclass(eq=False)
class Following:
    """A stream and what its bets say; a verdict that was made stays.

    Attributes:
        goal: What it is for.
        rounds: What it is made of.
        verdict: Made at the first moment that allowed one.
        by: What made it: the mean (its interval, for "alike"), or signs.
        decided_at: After how many rounds.
        points: The course, a row per round: round, mean, low, high.
    """

    goal: Goal
    rounds: Rounds = field(default_factory=lambda: Rounds((), 0, {}, 0))
    verdict: Verdict | None = None
    by: By | None = None
    decided_at: int | None = None
    points: list[tuple[int, float, float | None, float | None]] = field(default_factory=list)
    _bets: Decider = field(init=False)
    _advice: Advice | None = None

    def __post_init__(self) -> None:
        self._bets = Decider(self.goal.betting, signs=self.goal.has_signs)

    def update(self, cases: Sequence[Case]) -> None:
        """Take in all episodes so far; what was taken in before must come first again."""
        known, self.rounds = len(self.rounds.values), rounds_of(self.goal, cases)
        for value in self.rounds.values[known:]:
            found = self._bets.update(value)
            ends = (found.mean.kept_low, found.mean.kept_high)
            if None in ends:  # too few, or the stream changed on the way
                ends = (found.mean.low, found.mean.high)
            self.points.append((found.mean.n, found.mean.mean or 0.0, *ends))
            if self.verdict is None and self.goal.is_duel:
                self._judge(found, ends)
                self._advice = None

    def _judge(self, found: Decision, ends: tuple[float | None, float | None]) -> None:
        margin, (low, high) = self.goal.margin, ends
        is_alike = (
            margin is not None
            and len(self.points) >= SMALLEST_SAMPLE
            and low is not None
            and high is not None
            and -margin < low
            and high < margin
        )
        if found.verdict is not None or is_alike:
            self.verdict, self.by = found.verdict or "alike", found.by or "mean"
            self.decided_at = len(self.points)

    def advice(self) -> Advice | None:
        """Return about how many more rounds a verdict takes; None for a policy alone."""
        goal = self.goal
        if not goal.is_duel or self.verdict is not None:
            return None
        if self._advice is None:
            ahead = AdviceSettings(seed=goal.seed)
            self._advice = advise(self.rounds.values, goal.betting, ahead, signs=goal.has_signs)
        return self._advice

    def as_json(self) -> dict[str, Any]:
        """Return the stream as it stands in `watch.json`; pairs are counted, not rounds."""
        goal, found, size = self.goal, self._bets.decision, len(self.goal.tasks)
        mean = found.mean
        last = self.points[-1] if self.points else (0, None, None, None)
        advice, up = self.advice(), goal.metric.up_is_good
        names = [goal.names[0], goal.names[1]] if goal.is_duel else [goal.names[0], None]
        ahead: Mapping[str, Any] = {} if advice is None else advice.as_json()
        return {
            "metric": goal.metric.name,
            "a": names[0],
            "b": names[1],
            "tasks": list(goal.tasks),
            "level": goal.level,
            "interval_level": self._bets.level,
            "signs": goal.has_signs,
            "rounds": len(self.points),
            "pairs": size * len(self.points),
            "value": last[1],
            "low": last[2],
            "high": last[3],
            "e_value": found.e_value if goal.is_duel else None,
            "p_value": found.p_value if goal.is_duel else None,
            "verdict": self.verdict,
            "by": self.by,
            "better": _better(self.verdict, names, up_is_good=up is not False),
            "decided_at": _times(self.decided_at, size),
            "mean_verdict": mean.verdict if goal.is_duel else None,
            "mean_decided_at": _times(mean.decided_at, size) if goal.is_duel else None,
            "more": _times(ahead.get("more"), size),
            "more_low": _times(ahead.get("more_low"), size),
            "more_high": _times(ahead.get("more_high"), size),
            "chance": ahead.get("chance"),
            "why": ahead.get("why") or mean.why,
            "waiting": self.rounds.waiting,
            "unscored": dict(self.rounds.unscored),
            "repeats": self.rounds.repeats,
            "course": [[size * n, *rest] for n, *rest in _thinned(self.points)],
        }


def _better(
    verdict: Verdict | None, names: Sequence[str | None], *, up_is_good: bool
) -> str | None:
    """Return the better policy; None when there is none."""
    if verdict is None or verdict == "alike":
        return None
    return names[0] if (verdict == "above") == up_is_good else names[1]


def _times(count: int | None, size: int) -> int | None:
    return None if count is None else count * size


def _thinned(points: Sequence[Any]) -> list[Any]:
    """Return at most so many points that a picture shows, the last one among them."""
    step = max(1, -(-len(points) // _MOST_POINTS))
    return list(reversed(list(reversed(points))[::step]))
