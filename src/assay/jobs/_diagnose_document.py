"""What a diagnosis comes to: how many clips have which fault, by generator, and at what cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from assay.episodes.glitches.taxonomy import taxonomy
from assay.jobs._diagnose_units import Examined
from assay.jobs._fail_on import Rule
from assay.metrics.intervals import SMALLEST_SAMPLE, estimate_share
from assay.metrics.share_differences import unpaired_share_difference
from assay.records import STATUSES, Episode, Unreadable

__all__ = ["ANY", "Clip", "failing", "summary"]

ANY = "any"
"""Stands for all dimensions together."""


@dataclass(frozen=True)
class Clip:
    """A clip and what became of it."""

    episode: Episode | Unreadable
    examined: Examined

    @property
    def id(self) -> str:
        """Return the clip's id."""
        return self.episode.id

    def has(self, dimension: str) -> bool | None:
        """Tell whether the clip has a fault of a dimension; None where nobody could look."""
        found = self.examined.found
        if not self.examined.is_ok or dimension in found.unasked:
            return None
        own = (event.dimension for event in self.examined.events)
        return any(dimension in (ANY, one) for one in own)

    def row(self, judge: str) -> dict[str, Any]:
        """Return the clip's row of `episodes.parquet`."""
        episode, ok = self.episode, self.examined.is_ok
        names = ("task", "policy", "world", "scene", "perturbation", "seed")
        counts = Counter(event.dimension for event in self.examined.events)
        worst = max((event.severity for event in self.examined.events), default=None)
        return {
            "episode": self.id,
            **{name: getattr(episode, name) for name in names},
            "judge": judge,
            "status": self.examined.found.judged.status,
            "detail": self.examined.found.judged.detail,
            "duration_s": self.examined.length_s if ok else None,
            "clean": self.has(ANY) is False if ok else None,
            "events": len(self.examined.events) if ok else None,
            **{
                f"events_{name}": counts[name] if self.has(name) is not None else None
                for name in taxonomy().dimensions
            },
            "worst_severity": worst if ok else None,
            "views": list(episode.views) if isinstance(episode, Episode) else [],
        }


def summary(clips: Sequence[Clip]) -> dict[str, Any]:
    """Return all figures over the clips, each with n and an interval."""
    examined = [clip.examined for clip in clips]
    found = [one.found for one in examined]
    events = [event for one in examined for event in one.events]
    types = Counter(event.type for event in events)
    policies = sorted({clip.episode.policy for clip in clips})
    own = {name: [clip for clip in clips if clip.episode.policy == name] for name in policies}
    return {
        "clips": len(clips),
        "status": _statuses(clips),
        "rates": _rates(clips),
        "by_type": {
            name: {"events": types[name], "clips": _type_rate(clips, name)}
            for name in taxonomy().types
            if types[name]
        },
        "by_policy": {
            name: {"clips": len(some), "status": _statuses(some), "rates": _rates(some)}
            for name, some in own.items()
        },
        "differences": [_difference(a, b, own) for a, b in combinations(policies, 2)],
        "events": len(events),
        "severities": {f"{s:g}": n for s, n in sorted(Counter(e.severity for e in events).items())},
        "rejected": sum(len(one.rejected) for one in found),
        "invalid": dict(
            sorted(Counter(bad.reason for one in found for bad in one.invalid).items())
        ),
        "unasked": dict(sorted(Counter(name for one in found for name in one.unasked).items())),
        "asking": _asking(found),
    }


def failing(clips: Sequence[Clip], rules: Sequence[Rule]) -> list[dict[str, Any]]:
    """Return for each rule the clips with an event that it is about."""
    return [
        {
            "rule": str(rule),
            "clips": [c.id for c in clips if any(map(rule.meets, c.examined.events))],
        }
        for rule in rules
    ]


def _statuses(clips: Sequence[Clip]) -> dict[str, int]:
    counts = Counter(clip.examined.found.judged.status for clip in clips)
    return {status: counts[status] for status in STATUSES if counts[status]}


def _rates(clips: Sequence[Clip]) -> dict[str, Any]:
    """Return the share of clips with a fault of each dimension; first of any."""
    return {name: _rate(clips, name) for name in (ANY, *taxonomy().dimensions)}


def _rate(clips: Sequence[Clip], dimension: str) -> dict[str, Any]:
    known = [has for clip in clips if (has := clip.has(dimension)) is not None]
    return estimate_share(sum(known), len(known), len(clips) - len(known)).as_json()


def _type_rate(clips: Sequence[Clip], kind: str) -> dict[str, Any]:
    known = [
        any(event.type == kind for event in clip.examined.events)
        for clip in clips
        if clip.has(taxonomy().dimension_of(kind)) is not None
    ]
    return estimate_share(sum(known), len(known), len(clips) - len(known)).as_json()


def _difference(a: str, b: str, own: Mapping[str, Sequence[Clip]]) -> dict[str, Any]:
    """Return how far two generators differ in the share of clips with any fault."""
    sides = [
        [int(has) for clip in own[name] if (has := clip.has(ANY)) is not None] for name in (a, b)
    ]
    if min(map(len, sides)) < SMALLEST_SAMPLE:
        why = f"fewer than {SMALLEST_SAMPLE} clips: no difference"
        return {"a": a, "b": b, "value": None, "low": None, "high": None, "n": 0, "why": why}
    return {"a": a, "b": b, **unpaired_share_difference(*sides).as_json()}


def _asking(found: Sequence[Any]) -> dict[str, Any] | None:
    """Return how many questions a clip took, and how many one after the other."""
    asked = [(one.judged.calls, one.rounds) for one in found if one.judged.calls]
    if not asked:
        return None
    calls, rounds = zip(*asked, strict=True)
    return {
        "clips": len(asked),
        "calls": {"mean": sum(calls) / len(asked), "most": max(calls)},
        "rounds": {"mean": sum(rounds) / len(asked), "most": max(rounds)},
    }
