"""Clips with faults that are known exactly: attempts of the worlds, or real ones, and injectors."""

from __future__ import annotations

__all__: list[str] = []
