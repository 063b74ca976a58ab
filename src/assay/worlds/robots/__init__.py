"""Robots: one file each. The contract is in base.py."""

from __future__ import annotations

__all__: list[str] = []
