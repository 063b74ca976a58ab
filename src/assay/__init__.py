"""Assay: audit the robot, certify the judge."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = [
    "AuditSettings",
    "BenchSettings",
    "BuildSettings",
    "CertifySettings",
    "CompareSettings",
    "RankSettings",
    "ReplaySettings",
    "RolloutSettings",
    "TrainSettings",
    "__version__",
    "audit",
    "bench",
    "build",
    "certify",
    "compare",
    "rank",
    "replay",
    "rollout",
    "train",
]

if TYPE_CHECKING:
    from assay.jobs.audit import AuditSettings, audit
    from assay.jobs.bench import BenchSettings, bench
    from assay.jobs.build import BuildSettings, build
    from assay.jobs.certify import CertifySettings, certify
    from assay.jobs.compare import CompareSettings, compare
    from assay.jobs.rank import RankSettings, rank
    from assay.jobs.replay import ReplaySettings, replay
    from assay.jobs.rollout import RolloutSettings, rollout
    from assay.jobs.train import TrainSettings, train

_JOBS = ("audit", "bench", "build", "certify", "compare", "rank", "replay", "rollout", "train")
_LAZY = {name: job for job in _JOBS for name in (job, f"{job.capitalize()}Settings")}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute can be anything
    """Import a job the first time it is used, so that `import assay` stays quick."""
    if name in _LAZY:
        return getattr(import_module(f"assay.jobs.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")
