"""Run picklable callables over many units: pools, journal, resume.

The engine knows units, workers and bytes. What a unit means is its caller's business.
"""

from __future__ import annotations

from assay.engine.base import Failure, Unit
from assay.engine.journal import Journal
from assay.engine.local import run
from assay.engine.tally import Tally

__all__ = ["Failure", "Journal", "Tally", "Unit", "run"]
