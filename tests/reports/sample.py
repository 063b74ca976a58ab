"""A made-up audit: 5 policies with known flaws, 3 tasks, judged and added up by the real job.

The curves are drawn from one seed; what a page shows of them is all computed by `assay.jobs.audit`.
"""

from __future__ import annotations

import dataclasses
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from assay.jobs.audit import AuditSettings, audit
from assay.records import Curve, Event
from assay.reports import audit_page
from assay.reports.audit_page import AuditPage, Clip

POLICIES = ("steady", "rusher", "wobbler", "sleeper", "quitter")
TASKS = ("stack-cups", "pour-beans", "fold-towel")
UNLABELLED = "fold-towel"
RATE_HZ = 5


def sample_page(episodes: int = 20, **settings: Any) -> AuditPage:
    """Return what the job hands to the report: 5 x 3 cells, some episodes unscored.

    Args:
        episodes: How many episodes a cell has.
        settings: Fields of `AuditSettings`.
    """
    attempts = [
        attempt(policy, task, number, np.random.default_rng([7, number, t, p]))
        for t, task in enumerate(TASKS)
        for p, policy in enumerate(POLICIES)
        for number in range(episodes)
    ]
    page = audited(tuple(map(json.dumps, attempts)), **settings)
    return dataclasses.replace(
        page,
        events={name: find_events(curve) for name, curve in page.curves.items()},
        clips={row["episode"]: [Clip("front", "", 0, None, "no video")] for row in page.rows},
        title="Five policies on three tabletop tasks",
    )


@cache
def audited(lines: tuple[str, ...], **settings: Any) -> AuditPage:
    """Audit episodes given as JSON lines, and return what the job hands to the report."""
    with (
        tempfile.TemporaryDirectory() as name,
        patch.object(audit_page, "_shared", wraps=audit_page._shared) as given,
    ):
        source = Path(name) / "runs.jsonl"
        source.write_text("\n".join(lines) + "\n")
        audit([source], AuditSettings(**{"out": Path(name) / "run", "jobs": 1} | settings))
    (page,) = given.call_args.args
    return page


def attempt(policy: str, task: str, number: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return one episode as it stands in a file of JSON lines."""
    values = draw_curve(policy, task, rng)
    times = np.arange(len(values)) / RATE_HZ
    if policy == "sleeper" and number == 17:
        times[5] = times[4]  # a clock that stands still: the episode can't be read
    progress: list[float | None] = values.tolist()
    if policy == "quitter" and number in (3, 11):
        progress[20:26] = [None] * 6
    end = float(times[-1])
    cuts = zip(("reach", "grasp", "place"), range(3), strict=True)
    found = {
        "episode": f"{policy}/{task}/{number:03d}",
        "task": task,
        "policy": policy,
        "instruction": f"Please {task.replace('-', ' the ')}.",
        "world": "table",
        "scene": f"{task}-{number:03d}",
        "seed": number,
        "t": times.tolist(),
        "progress": progress,
        "segments": [
            {"name": n, "start_s": end * i / 3, "end_s": end * (i + 1) / 3} for n, i in cuts
        ],
    }
    return found if task == UNLABELLED else found | {"success": bool(values[-1] >= 1)}


def draw_curve(policy: str, task: str, rng: np.random.Generator) -> np.ndarray:
    """Return progress with the flaw of its policy, of shape (T,)."""
    count = int(rng.integers(60, 110))
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
    return np.clip(np.where(values >= 0.9995, 1.0, np.minimum(values + noise, 0.999)), 0, 1)


def find_events(curve: Curve) -> list[Event]:
    """Return one event at the deepest drop, if there is a deep one."""
    steps = np.nan_to_num(np.diff(curve.values))
    if steps.min(initial=0.0) > -0.05:
        return []
    at = float(curve.times[int(steps.argmin())])
    return [Event("task", "drop", at, at + 0.6, 3, "The object slips out of the gripper.")]
