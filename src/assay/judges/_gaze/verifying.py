"""The critic: which hypotheses stand, which fall, and which are one event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.episodes.glitches.reports import Invalid, event_in
from assay.episodes.glitches.taxonomy import taxonomy
from assay.judges._event_lists import event_schema, iou
from assay.judges._shapes import TEXT, Schema, Shaped, listed, number, one_of, record
from assay.models.answers import Unusable
from assay.records import Event

__all__ = ["ACTIONS", "Critique", "Decision", "Decisions"]

ACTIONS = ("ACCEPT", "REJECT", "MERGE")
_SAME_SPAN = 0.5  # the overlap below which a refined span is another one
_NOBODY = ""


@dataclass(frozen=True)
class Decision:
    """What the critic makes of a hypothesis.

    Attributes:
        action: One of `ACTIONS`.
        event: The hypothesis as refined, with the critic's confidence and the frames it cites.
        target: Which hypothesis it is one with, if it is merged.
        reason: Why.
    """

    action: str
    event: Event
    target: str
    reason: str


@dataclass(frozen=True)
class Decisions:
    """Read a decision on each hypothesis.

    Attributes:
        hypotheses: By name.
        others: Names of those that stand already, which may be merged with.
        dimensions: The dimensions that were looked at.
        length_s: The length of the clip [s].
    """

    hypotheses: Mapping[str, Event]
    others: Sequence[str]
    dimensions: Sequence[str]
    length_s: float

    @property
    def schema(self) -> Schema:
        """Return a list with a decision per hypothesis."""
        names = list(self.hypotheses)
        entry = event_schema(
            self.dimensions,
            confidence=number(0.0, 1.0),
            frames_s=listed(number()),
            hypothesis=one_of(names),
            decision=one_of(ACTIONS),
            merge_with=one_of([_NOBODY, *names, *self.others]),
            rationale=TEXT,
        )
        return record(decisions=listed(entry, len(names), len(names)))

    def __call__(self, text: str) -> dict[str, Decision]:
        """Return the decisions by hypothesis, or raise `Unusable`."""
        found = Shaped(self.schema)(text)["decisions"]
        by_name = {one["hypothesis"]: one for one in found}
        if by_name.keys() != self.hypotheses.keys():
            raise Unusable("It must decide on every hypothesis, once.")
        return {name: self._decision(name, by_name[name]) for name in self.hypotheses}

    def _decision(self, name: str, one: Mapping[str, Any]) -> Decision:
        proposed, action = self.hypotheses[name], one["decision"]
        target = one["merge_with"] if action == "MERGE" else _NOBODY
        if action == "MERGE" and target in (_NOBODY, name):
            raise Unusable(f"{name} is merged: it must say with which other hypothesis.")
        if action == "REJECT":
            return Decision(action, proposed, _NOBODY, one["rationale"])
        refined = event_in({**one, "secondary": list(proposed.secondary)}, self.length_s)
        if isinstance(refined, Invalid):
            raise Unusable(f"{name}: {refined.detail}", "invalid_value")
        return Decision(action, refined, target, one["rationale"])


@dataclass
class Critique:
    """The state of the hypotheses over the rounds of the critic.

    Attributes:
        proposed: All hypotheses as they came, by name.
        least: The confidence below which nothing is accepted.
        open: What is still to be decided on.
        standing: What was accepted.
        fallen: What was rejected; the verdict says why.
        merged: What is one with another.
    """

    proposed: Mapping[str, Event]
    least: float
    open: dict[str, Event] = field(init=False)
    standing: dict[str, Event] = field(default_factory=dict)
    fallen: dict[str, Event] = field(default_factory=dict)
    merged: dict[str, Decision] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.open = dict(self.proposed)

    def take(self, decisions: Mapping[str, Decision], *, last: bool) -> None:
        """Settle what a round settles; what it changed stays open for another look.

        An acceptance that changes the type, or moves the span, is looked at once more: accepted
        again, it stands. A merge holds as long as its target does. After the last round nothing is
        open.
        """
        asked, self.open = self.open, {}
        for name, decision in decisions.items():
            if fault := self._fault(decision):
                self._drop(name, fault)
            elif decision.action == "MERGE":
                self.merged[name] = decision
            elif last or _same(asked[name], decision.event):
                self.standing[name] = _accepted(decision)
            else:
                self.open[name] = replace(decision.event, source=asked[name].source)
        for name in list(self.merged):
            self._hold(name, last=last)

    def events(self) -> list[Event]:
        """Return what stands, each with what was merged into it."""
        groups = {name: [event] for name, event in self.standing.items()}
        for name in self.merged:
            groups[self._root(name)].append(_accepted(self.merged[name]))
        return [_one(group) for group in groups.values()]

    def _fault(self, decision: Decision) -> str:
        """Return why a hypothesis falls; empty if it does not."""
        if decision.action == "REJECT":
            return decision.reason
        sure = decision.event.confidence or 0.0
        if sure < self.least:
            return f"confidence {sure:.2f} is below {self.least:.2f}: {decision.reason}"
        if not decision.event.frames_s:
            return f"no frame of the clip is cited as evidence: {decision.reason}"
        return ""

    def _drop(self, name: str, why: str) -> None:
        self.fallen[name] = replace(self.proposed[name], verdict=f"rejected: {why}")

    def _root(self, name: str) -> str:
        """Return what a merged hypothesis ended up in; nobody if they go round in a circle."""
        seen = {name}
        while name in self.merged:
            name = self.merged[name].target
            if name in seen:
                return _NOBODY
            seen.add(name)
        return name

    def _hold(self, name: str, *, last: bool) -> None:
        """Let a merge go whose target fell, or does not overlap: it is looked at by itself."""
        root, decision = self._root(name), self.merged[name]
        target = self.standing.get(root) or self.open.get(root)
        if target is not None and iou(target, decision.event) > 0.0:
            return
        del self.merged[name]
        if not last:
            self.open[name] = replace(decision.event, source=self.proposed[name].source)
        elif target is None and root:
            self._drop(name, f"it was to be one with {decision.target}, which fell")
        else:  # they don't overlap: two events; or they go round in a circle: the first stands
            self.standing[name] = _accepted(decision)


def _same(proposed: Event, refined: Event) -> bool:
    return proposed.type == refined.type and iou(proposed, refined) >= _SAME_SPAN


def _accepted(decision: Decision) -> Event:
    return replace(decision.event, verdict=f"accepted: {decision.reason}")


def _one(group: Sequence[Event]) -> Event:
    """Return a group as one event: the primary dimension's, over all their spans."""
    dimensions = {event.dimension for event in group}
    leading = taxonomy().leading(frozenset(dimensions))
    first = next(event for event in group if event.dimension == leading)
    more = {name for event in group for name in event.secondary} | dimensions
    verdicts = [event.verdict for event in group if event.verdict]
    return replace(
        first,
        start_s=min(event.start_s for event in group),
        end_s=max(event.end_s for event in group),
        severity=max(event.severity for event in group),
        secondary=tuple(name for name in taxonomy().dimensions if name in more - {leading}),
        frames_s=tuple(sorted({at for event in group for at in event.frames_s})),
        verdict="; ".join(verdicts),
    )
