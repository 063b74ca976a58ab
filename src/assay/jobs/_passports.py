"""What the passport of a judge says in a report."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.benchmarks.passport import find_passport, warnings_for
from assay.jobs._rundir import dump_json
from assay.judges.base import Judge

__all__ = ["digest", "passport_of"]

_CERTIFIED = "certify.json"


def passport_of(
    judge: Judge, path: Path | None = None, use: str = "audit"
) -> dict[str, Any] | None:
    """Return what a report holds of the passport of a judge, None when there is none.

    Args:
        judge: The judge.
        path: Where the passport is, a file or the run directory of `assay certify`; None looks
            where it is kept.
        use: The report, "audit" or "bench": it warns of what it shows.

    Raises:
        InputError: There is no passport of this judge at `path`.
    """
    given = path / _CERTIFIED if path is not None and path.is_dir() else path
    found = find_passport(judge, given)
    if found is None:
        return None
    return {
        # Where the package lies says nothing: a shipped passport goes by its name.
        "path": found.path.name if given is None else str(found.path),
        "summary": found.summary(),
        "warnings": warnings_for(found, use),
    }


def digest(passports: Mapping[str, Mapping[str, Any] | None]) -> dict[str, str]:
    """Return what tells these passports from others, by judge: a new one is reported anew."""
    return {
        name: hashlib.sha256(dump_json(passport).encode()).hexdigest()
        for name, passport in passports.items()
        if passport is not None
    }
