"""Find out what kind of run is to be followed."""

from __future__ import annotations

from pathlib import Path

from assay.episodes.catalogue import Source
from assay.errors import RunError, UsageError
from assay.jobs._rundir import read_document
from assay.jobs._watch_audit import Audit
from assay.jobs._watch_followed import Followed
from assay.jobs._watch_rollout import Rollout

__all__ = ["follow"]

_SCHEMA = "assay.run/1"


def follow(text: str | Path) -> Followed:
    """Return the run that `[POLICY=]DIR` names.

    Raises:
        RunError: There is no run of an audit or a rollout.
        UsageError: The label can't be meant.
    """
    source = Source.parse(str(text))
    path, label = source.path, source.label or ""
    if "/" in label:
        raise UsageError(
            f"--watch follows one training of a policy: name {path} as POLICY=DIR, not {label!r}."
        )
    if not (path / "run.json").is_file():
        raise RunError(f"{path} is no run directory: it has no run.json. Start its run first.")
    record = read_document(path / "run.json")
    verb = record.get("verb")
    if verb not in ("audit", "rollout"):
        raise RunError(f"{path} holds a run of {verb!r}: --watch follows audits and rollouts.")
    if record.get("schema") != _SCHEMA:
        raise RunError(f"{path}/run.json has another schema than {_SCHEMA!r}.")
    found: Followed = (Audit if verb == "audit" else Rollout)(path, label, record)
    if label and len(found.names) > 1:
        raise UsageError(
            f"{path} holds {len(found.names)} policies: the label {label!r} would make one of"
            " them; leave it out."
        )
    return found
