"""The contract of a judge, as a check that anyone can run on their own."""

from __future__ import annotations

import math
import pickle

import numpy as np

from assay.errors import EpisodeError, UsageError
from assay.judges.base import METHODS, ProgressJudge
from assay.records import STATUSES, Curve, Episode, Floats

__all__ = ["check_curve", "check_identity", "check_judge"]


def check_judge(judge: object, episode: Episode, times: Floats) -> None:
    """Raise `UsageError` with one sentence unless `judge` keeps the contract.

    Args:
        judge: The judge to check.
        episode: An episode that has all the judge needs.
        times: Moments to ask for, of shape (T,) [s].
    """
    name = type(judge).__name__
    frozen = getattr(getattr(judge, "__dataclass_params__", None), "frozen", False)
    _demand(frozen, f"{name} must be a frozen dataclass")
    check_identity(judge)
    _demand(
        any(callable(getattr(judge, m, None)) for m in METHODS),
        f"{name} must have at least one of the methods {', '.join(METHODS)}",
    )
    _demand(_survives_pickling(judge), f"{name} must survive pickling: workers get a copy")
    if isinstance(judge, ProgressJudge):
        _check_progress(judge, episode, times)


def check_identity(judge: object) -> None:
    """Raise `UsageError` unless bound, needs, noise and options are what they must be."""
    name = type(judge).__name__
    _demand(
        getattr(judge, "bound", None) in ("cpu", "network"),
        f"{name}.bound must be 'cpu' or 'network'",
    )
    needs = getattr(judge, "needs", None)
    _demand(isinstance(needs, frozenset), f"{name}.needs must be a frozenset")
    noise = getattr(judge, "noise", None)
    known = isinstance(noise, int | float) and math.isfinite(noise) and noise >= 0
    _demand(noise is None or known, f"{name}.noise must be None or a number of at least 0")
    for option, value in getattr(judge, "__dict__", {}).items():
        finite = not isinstance(value, float) or math.isfinite(value)
        _demand(finite, f"Option {option} of {name} must be a finite number, not {value}")


def _check_progress(judge: ProgressJudge, episode: Episode, times: Floats) -> None:
    """Check the curves: shape, statuses, range, repeatability, and the empty-handed episode."""
    name = type(judge).__name__
    own = judge.clock(episode, None)
    _demand(bool((np.diff(own) > 0).all()), f"{name} must give increasing moments to judge")
    first, second = judge.progress(episode, times), judge.progress(episode, times)
    check_curve(name, first, times)
    _demand(bool((first.status == "ok").all()), f"{name} must score the episode it was made for")
    _demand(
        np.array_equal(first.values, second.values),
        f"{name} must give the same curve for the same episode twice",
    )
    bare = Episode(id="bare", task="bare")
    try:
        unanswered = judge.progress(bare, times)
    except EpisodeError:
        return
    check_curve(name, unanswered, times)
    if judge.needs:
        _demand(
            not (unanswered.status == "ok").any(),
            f"{name} says it needs {', '.join(sorted(judge.needs))}, yet scores without",
        )


def check_curve(name: str, curve: Curve, times: Floats) -> None:
    """Raise `UsageError` unless `curve` answers the question put to the judge `name`."""
    ok = curve.status == "ok"
    _demand(np.array_equal(curve.times, times), f"{name} must answer at the times asked for")
    _demand(
        curve.values.shape == times.shape == curve.status.shape,
        f"{name} must give one value and one status per moment",
    )
    _demand(set(curve.status.tolist()) <= set(STATUSES), f"{name} gives an unknown status")
    _demand(
        np.array_equal(np.isnan(curve.values), ~ok), f"{name} must give NaN exactly where not ok"
    )
    novel = curve.novel
    _demand(
        novel is None or (novel.shape == times.shape and novel.dtype == np.bool_),
        f"{name} must say of every moment whether it is novel, or of none",
    )
    inside = (curve.values[ok] >= 0.0) & (curve.values[ok] <= 1.0)
    _demand(bool(inside.all()), f"{name} must keep progress in 0..1")


def _survives_pickling(judge: object) -> bool:
    try:
        return bool(pickle.loads(pickle.dumps(judge)) == judge)  # noqa: S301 - our own bytes
    except (pickle.PicklingError, TypeError, AttributeError):
        return False


def _demand(condition: object, sentence: str) -> None:
    if not condition:
        raise UsageError(sentence + ".")
