"""What is known of the passport of a judge while its audit still runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.jobs._passports import digest, passport_of
from assay.jobs._recorded import RecordedSettings, remade

__all__ = ["passport_so_far"]

_LATER = {"path": "", "summary": "told when the audit has ended", "warnings": []}
"""What stands for a passport that the audit has, and that can't be read before its end."""


def passport_so_far(run: Path, record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what the report of an audit will say of its main judge's passport.

    The audit has noted in `run.json` which passport it found, so that it is looked for in the same
    place and taken if it is the same. None when the audit found none.

    Args:
        run: The run directory.
        record: What its `run.json` holds.
    """
    settings = record["settings"]
    name = settings["judge"]["name"]
    noted = (settings.get("passports") or {}).get(name)
    if noted is None:
        return None
    try:
        asked = RecordedSettings.model_validate(settings)
        found = passport_of(remade(asked.judge, run, {}), asked.passport)
    except (AssayError, ValueError):  # code of the user's own, a place that is not here, no model
        return dict(_LATER)
    is_same = digest({name: found}).get(name) == noted
    return found if is_same else dict(_LATER)
