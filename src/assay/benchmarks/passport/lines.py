"""One line of a passport: what was asked, on what, what came out, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = ["EPISODES", "OURS", "PAIRS", "WORLDS", "Domain", "Limit", "Line", "Verdict"]

Domain: TypeAlias = Literal["your episodes", "simulated worlds"]
Verdict: TypeAlias = Literal["pass", "fail", "stated", "not run", "not measured"]

EPISODES: Domain = "your episodes"
WORLDS: Domain = "simulated worlds"
OURS = "chosen for Assay before any judge was certified"
"""Where most limits come from: no standard sets them."""

PAIRS = "pairs"
"""What a failure puts in doubt besides columns of an audit: answers to pairs of pictures."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What a value must not pass.

    Attributes:
        value: The limit.
        above: Whether the value must be at least the limit; else at most.
        source: Where the limit comes from.
    """

    value: float
    above: bool = False
    source: str = OURS

    def holds(self, value: float) -> bool:
        """Tell whether `value` keeps to the limit; rounding of floats is forgiven."""
        return value >= self.value - 1e-9 if self.above else value <= self.value + 1e-9

    def as_json(self) -> dict[str, Any]:
        """Return the limit as it stands in result files."""
        return {"is": "at least" if self.above else "at most", "value": self.value} | {
            "source": self.source
        }


@dataclass(frozen=True, slots=True)
class Line:
    """The outcome of one check on one domain.

    Attributes:
        check: The check's name.
        title: What it is called in tables.
        verdict: "stated" has a value and no limit; "not run" is a check that is not for this judge;
            "not measured" is one that gave no value.
        value: An estimate as in every result file; None when nothing was measured.
        quantity: What the value is, such as "range of the score".
        unit: Of the value; empty for progress, which tables show on the scale of 0..100.
        limit: What the value is held against, or None.
        meaning: One sentence on what the outcome means for a user.
        why: Why it was not run, or why nothing was measured, or some of it not.
        warning: One sentence for reports that rest on this judge although the check failed.
        matters: What a failure puts in doubt: columns of an audit, or answers to pairs.
        more: Further numbers by name.
        drawn: Curves or bins for the page.
    """

    check: str
    title: str
    verdict: Verdict
    value: Mapping[str, Any] | None
    quantity: str
    unit: str = ""
    limit: Limit | None = None
    meaning: str = ""
    why: str = ""
    warning: str = ""
    matters: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    drawn: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self, domain: Domain) -> dict[str, Any]:
        """Return the line as it stands in result files."""
        return {
            "check": self.check,
            "title": self.title,
            "domain": domain,
            "verdict": self.verdict,
            "value": None if self.value is None else dict(self.value),
            "quantity": self.quantity,
            "unit": self.unit,
            "limit": None if self.limit is None else self.limit.as_json(),
            "meaning": self.meaning,
            "why": self.why,
            "warning": self.warning,
            "matters": list(self.matters),
            "more": dict(self.more),
            "drawn": dict(self.drawn),
        }
