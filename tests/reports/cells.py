"""Audit documents small enough to read, for tests of sentences and tables.

Each is checked against the contract, so that no test speaks of a document that no job writes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.metrics.opd import opd
from assay.metrics.results import METRICS
from assay.records import Curve
from assay.reports.document import check_audit

MILESTONES = ("25", "50", "75", "100")


def E(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    n: int = 20,
    **more: Any,
) -> dict[str, Any]:
    """Return an estimate; without more said, worst and best are the value."""
    found = {
        "value": value,
        "low": low,
        "high": high,
        "n": n,
        "worst": value,
        "best": value,
        "method": "by hand",
    }
    if None in found.values():
        found["why"] = "fewer than 5 episodes: no interval"
    return found | more


def cell(task: str, policy: str, /, **changes: Any) -> dict[str, Any]:
    """Return a cell of 20 scored episodes that all reach the goal, without success labels."""
    found = {
        "group": {"task": task, "policy": policy},
        "task": task,
        "policy": policy,
        "n": 20,
        "status": {"ok": 20},
        "success": {"once": None, "held": None, "end": None},
        "mc": {q: E(1.0, 0.86, 1.0) for q in MILESTONES},
        "mp": E(1.0, 0.86, 1.0),
        "ppl": E(0.8, 0.7, 0.9),
        "cra": E(0.1, 0.05, 0.15),
        "str": E(0.2, 0.1, 0.3),
        "conditioned": {"why": "no success labels"},
        "sensitivity": {},
        "reach": [[q / 20, 1.0] for q in range(21)],
    }
    return found | changes


def success(value: float, low: float, high: float, n: int = 20) -> dict[str, Any]:
    """Return the success of a cell, the same once, held and at the end."""
    return dict.fromkeys(("once", "held", "end"), E(value, low, high, n))


def reaches(*shares: float, n: int = 20) -> dict[str, Any]:
    """Return milestone shares at 25, 50, 75 and 100 %."""
    return {q: E(share, None, None, n) for q, share in zip(MILESTONES, shares, strict=True)}


def audit(*cells: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return the document of `audit.json` around the cells."""
    found = {
        "schema": "assay.audit/1",
        "cells": list(cells),
        "fingerprints": [],
        "judge": {"name": "recorded", "settings": {}, "bound": "cpu", "noise": None, "files": {}},
        "epsilon": {"value": 0.02, "source": "given", "sigma": None},
        "success_source": None,
        "settings": {},
        "inputs": [],
    }
    document = found | changes
    check_audit(document, "made by hand")
    return document


def row(name: str, task: str, policy: str, curve: Curve) -> dict[str, Any]:
    """Return the row of a scored episode without labels, as the job makes it."""
    table = opd(curve.values, np.array([0, len(curve.values)]), epsilon=0.02)
    nothing = ("world", "scene", "perturbation", "seed")
    return {
        "episode": name,
        "task": task,
        "policy": policy,
        **dict.fromkeys(nothing),
        "instruction": "",
        "views": [],
        "status": "ok",
        "detail": "",
        "duration_s": float(curve.times[-1]),
        **dict.fromkeys(("success_once", "success_held", "success_end")),
        **{key: float(table.column(key)[0]) for key in METRICS},
    }
