"""The embedded judge: a small network that sees how far a task has got."""

from __future__ import annotations

from assay.judges.prm_mini._judge import PrmMini

__all__ = ["PrmMini"]
