"""What a score costs."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from assay.benchmarks.passport.checks._single import SingleCheck, Wording, judged_line
from assay.benchmarks.passport.checks.base import Finding
from assay.benchmarks.passport.lines import Line
from assay.benchmarks.passport.material import Material
from assay.benchmarks.passport.probing import Probe
from assay.errors import EpisodeError
from assay.models.recording import Call

__all__ = ["Cost"]

_TOKENS = "tokens a frame"


@dataclass(frozen=True)
class Cost(SingleCheck):
    """Take the time of judging frames that are in memory already; there is no limit.

    A judge that asks a model is told by what its answers took, as the endpoint counted it: an
    answer from the ledger takes no time at all, and took as many tokens as any.
    """

    rank: ClassVar[int] = 90
    limit: ClassVar[None] = None
    span: ClassVar[tuple[float, float]] = (0.0, math.inf)
    wording: ClassVar[Wording] = Wording(
        title="cost and speed",
        quantity="processor time for one frame, reading it apart",
        passed="Measured on this machine; the one line that no two runs share.",
        failed="",
        unit="cpu-ms a frame",
    )
    asking: ClassVar[Wording] = replace(
        wording,
        quantity="tokens of questions and answers for one frame, as the endpoint counted them",
        passed="As counted when the answers were drawn; how long they take is up to the endpoint.",
        unit=_TOKENS,
    )

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return the processor time a frame [ms] and the seconds an episode takes, or the tokens.

        A frame is a moment of a view that is looked at.
        """
        look = probe.look(material)  # weights are loaded when a judge is first asked
        frames = len(material.times) * max(1, look.views)
        if look.calls:
            return _used(look.calls, frames)
        wall, cpu = time.perf_counter(), time.process_time()
        probe.values(material.episode, material.times)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        more = {"seconds an episode": wall, "frames an episode": float(frames)}
        return {"value": 1e3 * cpu / frames, "more": more}

    def conclude(self, name: str, found: Sequence[Finding], unfit: str) -> tuple[Line, ...]:
        """Return the one line: in tokens where any model was asked, else in time."""
        if not any(finding.get("unit") == _TOKENS for finding in found):
            return super().conclude(name, found, unfit)
        # Time and tokens have no mean; a judge of models that asks nothing has looked at nothing.
        told = [
            {"why": "no model was asked about it"}
            if "value" in finding and finding.get("unit") != _TOKENS
            else finding
            for finding in found
        ]
        return (judged_line(name, self.asking, self.limit, told, unfit, span=self.span),)


def _used(calls: Sequence[Call], frames: int) -> Finding:
    """Return what an episode's calls took."""
    replies = [call.reply for call in calls]
    counts = [count for reply in replies for count in (reply.input_tokens, reply.output_tokens)]
    if any(count is None for count in counts):
        raise EpisodeError(f"the endpoint did not count the tokens of {len(calls)} questions")
    taken = sum(count or 0 for count in counts)
    more: dict[str, Any] = {
        "questions an episode": float(len(calls)),
        "tokens an episode": float(taken),
        "frames an episode": float(frames),
    }
    if all(reply.cost is not None for reply in replies):
        more["USD an episode"] = math.fsum(reply.cost or 0.0 for reply in replies)
    return {"value": taken / frames, "unit": _TOKENS, "more": more}
