"""The passport of a judge: what checks found, and what that means for whoever relies on it."""

from __future__ import annotations

from assay.benchmarks.passport.reading import (
    SCHEMA,
    Passport,
    find_passport,
    read_passport,
    warnings_for,
)

__all__ = ["SCHEMA", "Passport", "find_passport", "read_passport", "warnings_for"]
