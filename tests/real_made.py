"""Finished audits of made-up policies in simulation and in reality."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.jobs.audit import AuditSettings, audit
from curve_files import write_csv
from human_made import curve

SIM = {"a": 0.2, "b": 0.4, "c": 0.6}
REAL = {"a": 0.1, "b": 0.5, "c": 0.4}
"""Means: reality turns b and c round."""

STEPS = (-0.1, -0.05, 0.0, 0.05, 0.1)
"""Around each mean there are five episodes, which lie evenly."""


def side_run(folder: Path, name: str, means: Mapping[str, float], *, tasks=("lift",), **settings):
    """Audit five episodes of each policy and task."""
    curves, success = {}, {}
    for task in tasks:
        for policy, mean in means.items():
            for number, step in enumerate(STEPS):
                episode = f"{name}-{task}-{policy}-{number}"
                curves[episode, task, policy] = curve(round(mean + step, 3))
                success[episode] = mean + step > 0.45
    source = write_csv(folder / f"{name}.csv", curves, success=success)
    audit([source], AuditSettings(out=folder / name, jobs=1, video="none", **settings))
    return folder / name
