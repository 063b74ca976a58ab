"""A made-up audit with the looks of a real one: 5 policies with known flaws, 3 tasks.

Everything is drawn from one seed. The estimates are rough (a normal interval): the page shows
them and does not care how they were made.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.records import Curve, Event, Segment
from assay.reports.audit_page import AuditPage, Clip

POLICIES = ("steady", "rusher", "wobbler", "sleeper", "quitter")
TASKS = ("stack-cups", "pour-beans", "fold-towel")
UNLABELLED = "fold-towel"
EPSILON = 0.01
_METRICS = ("mp", "ppl", "cra", "str")


def sample_page(episodes: int = 20, seed: int = 7, **changes: Any) -> AuditPage:
    """Return a page of 5 x 3 cells with that many episodes each, some of them unscored."""
    rng = np.random.default_rng(seed)
    rows, curves, segments, events = [], {}, {}, {}
    for task in TASKS:
        for policy in POLICIES:
            for number in range(episodes):
                name = f"{policy}/{task}/{number:03d}"
                curve = draw_curve(policy, task, number, rng)
                if number == 17 and policy == "sleeper":  # its video could not be opened
                    rows.append(make_row(name, task, policy, None, "missing_frame"))
                    continue
                curves[name] = curve
                segments[name] = cut_segments(curve)
                events[name] = find_events(curve)
                rows.append(make_row(name, task, policy, curve))
    fields = {
        "audit": make_audit(rows, curves),
        "rows": rows,
        "curves": curves,
        "segments": segments,
        "events": events,
        "clips": {row["episode"]: [Clip("front", "", 0, None, "no video")] for row in rows},
        "title": "Five policies on three tabletop tasks",
    }
    return AuditPage(**(fields | changes))


def draw_curve(policy: str, task: str, number: int, rng: np.random.Generator) -> Curve:
    """Return one curve at 5 Hz with the flaw of its policy."""
    count = int(rng.integers(60, 110))
    times = np.arange(count) / 5
    hard = {"stack-cups": 0.0, "pour-beans": 0.22, "fold-towel": 0.1}[task]
    x = np.linspace(0, 1, count)
    if policy == "steady":
        end = 1.0 if rng.random() > 0.12 + 1.2 * hard else rng.uniform(0.55, 0.95)
        values = end * np.clip(1.15 * x**1.1, 0, 1)
    elif policy == "rusher":
        end = 1.0 if rng.random() > 0.45 + hard else rng.uniform(0.2, 0.5)
        values = end * np.clip(2.2 * x, 0, 1)
    elif policy == "wobbler":
        end = rng.uniform(0.6, 0.95) if hard > 0.2 or rng.random() > 0.25 else 1.0
        swing = np.abs(np.sin(np.pi * rng.integers(3, 6) * x)) * rng.uniform(0.25, 0.5)
        values = np.clip(end * np.clip(1.4 * x, 0, 1) - swing * (x < 0.93), 0, 1)
    elif policy == "sleeper":
        end = rng.uniform(0.3, 0.6) if hard > 0.2 or rng.random() > 0.3 else 1.0
        start = rng.uniform(0.1, 0.3)
        values = end * np.clip((x - start) / 0.25, 0, 1)
    else:
        end = rng.uniform(0.3, 0.74)
        values = end * np.clip(1.6 * x, 0, 1) - 0.1 * np.clip(x - 0.7, 0, 1)
    centre, depth = rng.uniform(0.2, 0.6), rng.uniform(0, 0.14)
    values = values - depth * np.exp(-(((x - centre) / 0.07) ** 2))  # a moment of hesitation
    noise = rng.normal(0, 0.003, count) * (values < 1)
    values = np.clip(np.where(values >= 0.9995, 1.0, np.minimum(values + noise, 0.999)), 0, 1)
    status = np.full(count, "ok", dtype="<U13")
    if policy == "quitter" and number in (3, 11):
        status[20:26], values[20:26] = "unparsed", np.nan
    return Curve(times, values, status)


def cut_segments(curve: Curve) -> list[Segment]:
    """Return three subtasks over the curve."""
    end = float(curve.times[-1])
    names = ("reach", "grasp", "place")
    return [Segment(n, end * i / 3, end * (i + 1) / 3) for i, n in enumerate(names)]


def find_events(curve: Curve) -> list[Event]:
    """Return one event at the deepest drop, if there is a deep one."""
    steps = np.nan_to_num(np.diff(curve.values))
    if steps.min() > -0.05:
        return []
    at = float(curve.times[int(steps.argmin())])
    return [Event("task", "drop", at, at + 0.6, 3, "The object slips out of the gripper.")]


def make_row(
    name: str, task: str, policy: str, curve: Curve | None, status: str | None = None
) -> dict[str, Any]:
    """Return a row of `episodes.parquet`."""
    bad = "" if curve is None else next((s for s in curve.status if s != "ok"), "")
    status = status or bad or "ok"
    found = measure(curve.values) if curve is not None and status == "ok" else {}
    success = None
    if task != UNLABELLED and curve is not None:
        success = bool(np.nan_to_num(curve.values[-1]) >= 1)
    return {
        "episode": name,
        "task": task,
        "policy": policy,
        "world": "table",
        "scene": f"{task}-{name[-3:]}",
        "perturbation": None,
        "seed": int(name[-3:]),
        "judge": "recorded",
        "status": status,
        "detail": "" if status == "ok" else f"{status} in the front view",
        "duration_s": None if curve is None else float(curve.times[-1]),
        "success_once": success,
        "success_held": success,
        "success_end": success,
        **{key: found.get(key) for key in ("mc", *_METRICS)},
        "views": ["front"],
        "instruction": f"Please {task.replace('-', ' the ')}.",
    }


def measure(values: np.ndarray) -> dict[str, float]:
    """Return the five metrics of a curve."""
    steps = np.diff(values)
    top = np.maximum.accumulate(values)
    path = np.abs(steps).sum() + 1e-8
    return {
        "mc": math.floor(values.max() * 4) / 4,
        "mp": float(values.max()),
        "ppl": float(values[-1] * max(values[-1] - values[0], 0) / path),
        "cra": float((top - values).mean()),
        "str": float((np.abs(steps) < EPSILON).mean()),
    }


def make_audit(rows: list[dict[str, Any]], curves: dict[str, Curve]) -> dict[str, Any]:
    """Return the document of `audit.json` for the rows."""
    cells = [
        make_cell(task, policy, [r for r in rows if (r["task"], r["policy"]) == (task, policy)])
        for task in dict.fromkeys(r["task"] for r in rows)
        for policy in dict.fromkeys(r["policy"] for r in rows)
    ]
    for cell in cells:
        add_stagnation(cell, rows, curves)
    return {
        "schema": "assay.audit/1",
        "cells": cells,
        "fingerprints": make_fingerprints(rows),
        "judge": {"name": "recorded", "settings": {}, "bound": "cpu", "noise": None},
        "epsilon": {"value": EPSILON, "source": "assumed", "sigma": None},
        "success_source": "recorded",
        "settings": {"fps": 5.0, "fill": None, "clip": False},
        "inputs": [
            {"path": f"runs/{p}.csv", "label": p, "format": "curves-csv", "episodes": 60}
            for p in POLICIES
        ],
    }


def make_cell(task: str, policy: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one cell."""
    good = [r for r in rows if r["status"] == "ok"]
    lost = len(rows) - len(good)
    ends = [float(r["success_end"]) for r in rows if r["success_end"] is not None]
    success = estimate(ends, 0) if ends else None
    tops = [r["mp"] for r in good]
    statuses = [r["status"] for r in rows]
    return {
        "group": {"task": task, "policy": policy},
        "task": task,
        "policy": policy,
        "n": len(rows),
        "status": {s: statuses.count(s) for s in sorted(set(statuses))},
        "success": {"once": success, "held": success, "end": success},
        "mc": {
            q: estimate([float(m >= int(q) / 100) for m in tops], lost)
            for q in ("25", "50", "75", "100")
        },
        **{k: estimate([r[k] for r in good], lost, up=k in ("mp", "ppl")) for k in _METRICS},
        "conditioned": condition(good),
        "sensitivity": {
            k: {"low": max(0.0, v - 0.02), "high": min(1.0, v + 0.03)}
            for k in _METRICS
            for v in [float(np.mean([r[k] for r in good]))]
        }
        if good
        else {},
        "reach": [
            [q, float(np.mean([m >= q for m in tops]))] for q in np.linspace(0, 1, 21).tolist()
        ]
        if good
        else [],
    }


def condition(good: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the quality of the successes among scored rows."""
    if all(r["success_end"] is None for r in good):
        return {"why": "no success labels"}
    won = [r for r in good if r["success_end"]]
    if not won:
        return {"why": "no successes"}
    return {"on": "end", "n": len(won)} | {
        k: estimate([r[k] for r in won], 0) | {"sd": float(np.std([r[k] for r in won]))}
        for k in ("ppl", "cra", "str")
    }


def add_stagnation(
    cell: dict[str, Any], rows: list[dict[str, Any]], curves: dict[str, Curve]
) -> None:
    """Add STR at the two other epsilons."""
    names = [
        r["episode"]
        for r in rows
        if r["status"] == "ok" and (r["task"], r["policy"]) == (cell["task"], cell["policy"])
    ]
    cell["str_at"] = {
        str(e): estimate(
            [float((np.abs(np.diff(curves[n].values)) < e).mean()) for n in names],
            cell["n"] - len(names),
            up=False,
        )
        for e in (0.003, 0.03)
    }


def estimate(values: list[float], lost: int, *, up: bool = True) -> dict[str, Any]:
    """Return an estimate with a normal interval; `lost` episodes are unscored."""
    n = len(values)
    if n == 0:
        return {
            "value": None,
            "low": None,
            "high": None,
            "n": 0,
            "worst": 0.0,
            "best": 1.0,
            "method": None,
            "why": "no scored episode",
        }
    mean, half = float(np.mean(values)), 1.96 * float(np.std(values)) / math.sqrt(n)
    if half == 0:
        half = 3 / n
    ends = [sum(values) / (n + lost), (sum(values) + lost) / (n + lost)]
    worst, best = ends if up else ends[::-1]
    few = n < 5
    return {
        "value": mean,
        "low": None if few else max(0.0, mean - half),
        "high": None if few else min(1.0, mean + half),
        "n": n,
        "worst": worst,
        "best": best,
        "method": "normal",
    }


def make_fingerprints(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return z-scored failure means per task with labels."""
    panels = []
    for task in dict.fromkeys(r["task"] for r in rows):
        failed = {
            p: [
                r
                for r in rows
                if r["task"] == task
                and r["policy"] == p
                and r["status"] == "ok"
                and r["success_end"] is False
            ]
            for p in dict.fromkeys(r["policy"] for r in rows)
        }
        raw = {
            p: {k: float(np.mean([r[k] for r in found])) for k in _METRICS}
            for p, found in failed.items()
            if len(found) >= 5
        }
        panels.append(
            {
                "task": task,
                "policies": [
                    {
                        "policy": p,
                        "n_failures": len(found),
                        "raw": raw.get(p),
                        "z": z_scores(raw, p) if p in raw and len(raw) >= 3 else None,
                        "why": None
                        if p in raw
                        else "fewer than 5 failures"
                        if task != UNLABELLED
                        else "no success labels",
                    }
                    for p, found in failed.items()
                ],
            }
        )
    return panels


def z_scores(raw: dict[str, dict[str, float]], policy: str) -> dict[str, float]:
    """Return the z-scores of one policy, up being good."""
    found = {}
    for key in _METRICS:
        column = [values[key] for values in raw.values()]
        spread = float(np.std(column))
        z = (raw[policy][key] - float(np.mean(column))) / spread if spread else 0.0
        found[key] = z if key in ("mp", "ppl") else -z
    return found
