"""Simulated truth: a world whose physics is real and whose progress is known exactly.

`robots/`, `tasks/`, `policies/` and `perturbations/` are plug-in folders: one file, one plug-in.
"""

from __future__ import annotations

__all__: list[str] = []
