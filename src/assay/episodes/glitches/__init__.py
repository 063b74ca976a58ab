"""What can be wrong in a robot video, and files that say so: taxonomy, events, reports."""

from __future__ import annotations

__all__: list[str] = []
