"""How good reports of timed events are: matching, sums over each clip, figures with intervals."""

from __future__ import annotations

__all__: list[str] = []
