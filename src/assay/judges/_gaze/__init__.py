"""The parts of `gaze`: windows, memories, segments, hypotheses, verdicts."""

from __future__ import annotations

__all__: list[str] = []
