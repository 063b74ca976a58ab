"""Any Gymnasium environment as a world: it is acted in, drawn, and asked whether it is solved."""

from __future__ import annotations

__all__: list[str] = []
