"""The embedded diagnoser: measuring instruments for robot videos, no model needed."""

from __future__ import annotations

from assay.judges.instruments._judge import Instruments

__all__ = ["Instruments"]
