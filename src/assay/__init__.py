"""Assay: audit the robot, certify the judge."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["AuditSettings", "RolloutSettings", "__version__", "audit", "rollout"]

if TYPE_CHECKING:
    from assay.jobs.audit import AuditSettings, audit
    from assay.jobs.rollout import RolloutSettings, rollout

_LAZY = {
    "audit": "assay.jobs.audit",
    "AuditSettings": "assay.jobs.audit",
    "rollout": "assay.jobs.rollout",
    "RolloutSettings": "assay.jobs.rollout",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute can be anything
    """Import a job the first time it is used, so that `import assay` stays quick."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")
