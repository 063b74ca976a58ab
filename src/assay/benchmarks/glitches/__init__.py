"""Glitches of robot videos as a benchmark: how reports of events are scored."""

from __future__ import annotations

__all__: list[str] = []
