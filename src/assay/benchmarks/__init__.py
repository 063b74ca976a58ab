"""Benchmarks: built from traces, run on judges."""

from __future__ import annotations

__all__: list[str] = []
