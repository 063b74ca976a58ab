"""Injectors: one file puts one kind of glitch into a clip, in one way."""

from __future__ import annotations

__all__: list[str] = []
