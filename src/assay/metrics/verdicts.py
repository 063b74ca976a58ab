"""What one plain sentence about two policies needs: told apart or not, which way, how many more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.metrics.differences import Difference
from assay.metrics.plans import Needed

__all__ = ["Verdict", "decide"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The ingredients of the sentence.

    Attributes:
        is_separable: Whether p is below 1 - level; None when no test could be made.
        higher: The policy with the higher mean, "a" or "b"; None when the means are equal. Whether
            higher is better, the metric knows.
        p: The p that decided, adjusted if several comparisons were made.
        n: How many pairs, or episodes of both policies, stand behind it.
        interval_agrees: Whether the interval leaves out 0 exactly if the policies are separable;
            None without an interval or a test. The two can differ near the edge, and after an
            adjustment.
        more: How many more pairs, or episodes of each policy, would reach the power; None when the
            policies are separable or nothing can be said.
        more_low: The same at the lower quartile of the pilot's band.
        more_high: The same at the upper quartile; None without an end.
        power: The power aimed at, or None without a plan.
        why: Why is_separable or more is None although it was asked for.
    """

    is_separable: bool | None
    higher: Literal["a", "b"] | None
    p: float | None
    n: int
    interval_agrees: bool | None
    more: int | None = None
    more_low: int | None = None
    more_high: int | None = None
    power: float | None = None
    why: str | None = None

    def as_json(self) -> dict[str, float | int | str | None]:
        """Return the verdict as it stands in result files."""
        found: dict[str, float | int | str | None] = {
            "separable": self.is_separable,
            "higher": self.higher,
            "p": self.p,
            "n": self.n,
            "interval_agrees": self.interval_agrees,
            "more": self.more,
            "more_low": self.more_low,
            "more_high": self.more_high,
            "power": self.power,
        }
        return found if self.why is None else {**found, "why": self.why}


def decide(
    difference: Difference,
    needed: Needed | None = None,
    *,
    adjusted_p: float | None = None,
    level: float = 0.95,
) -> Verdict:
    """Return what the sentence about two policies needs.

    Args:
        difference: Policy a less policy b.
        needed: How many episodes reach the power aimed at, if that was computed.
        adjusted_p: p after `multiplicity.holm`, if several comparisons were made.
        level: 1 less the level at which policies count as told apart.
    """
    p = difference.p if adjusted_p is None else adjusted_p
    is_separable = None if p is None else p < 1.0 - level
    excludes = None
    if difference.low is not None and difference.high is not None:
        excludes = difference.low > 0.0 or difference.high < 0.0
    agrees = None if excludes is None or is_separable is None else excludes == is_separable
    higher: Literal["a", "b"] | None = None
    if difference.value != 0.0:
        higher = "a" if difference.value > 0.0 else "b"
    if is_separable or needed is None:
        why = difference.why if is_separable is None else None
        return Verdict(is_separable, higher, p, difference.n, agrees, why=why)
    return Verdict(
        is_separable=is_separable,
        higher=higher,
        p=p,
        n=difference.n,
        interval_agrees=agrees,
        more=needed.more,
        more_low=_missing(needed.low, needed.have),
        more_high=_missing(needed.high, needed.have),
        power=needed.power,
        why=difference.why if is_separable is None else needed.why,
    )


def _missing(n: int | None, have: int) -> int | None:
    return None if n is None else max(0, n - have)
