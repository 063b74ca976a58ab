"""Load a finished run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import RunError
from assay.jobs._rundir import read_document
from assay.jobs.audit import AuditResult
from assay.jobs.rollout import RolloutResult
from assay.reports.document import check_audit

__all__ = ["OtherResult", "load"]

SCHEMAS = {
    verb: f"assay.{verb}/1"
    for verb in (
        "audit",
        "rollout",
        "compare",
        "watch",
        "rank",
        "certify",
        "train",
        "train-policy",
        "build",
        "bench",
        "diagnose",
    )
}
_GLITCHES = "glitches"
_OF_GLITCHES = {"bench": "assay.bench.glitches/1"}
"""What scores of reports hold has nothing in common with what judges score on pairs."""


@dataclass(frozen=True)
class OtherResult:
    """A finished run of a verb other than audit and rollout.

    Attributes:
        out: The run directory.
        verb: The verb that made it.
        document: What `<verb>.json` holds.
    """

    out: Path
    verb: str
    document: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """Return the verb, and the benchmark behind it where that is the one of glitches."""
        settings = self.document.get("settings")
        about = settings.get("benchmark") if isinstance(settings, Mapping) else None
        return f"{self.verb} {_GLITCHES}" if about == _GLITCHES else self.verb

    @property
    def text(self) -> str:
        """Return the document to the letter."""
        return (self.out / f"{self.verb}.json").read_text(encoding="utf-8")


def load(run: Path) -> AuditResult | RolloutResult | OtherResult:
    """Return the result in the run directory `run`.

    Raises:
        RunError: There is no run, it is not finished, or it was written by another version.
    """
    if not (run / "run.json").is_file():
        raise RunError(f"{run} is no run directory: it has no run.json.")
    verb = str(read_document(run / "run.json").get("verb"))
    if verb not in SCHEMAS:
        raise RunError(f"{run} holds a run of {verb!r}; known: {', '.join(SCHEMAS)}.")
    result = run / f"{verb}.json"
    if not result.is_file():
        raise RunError(f"The run in {run} is not finished: run the same command again to go on.")
    document = read_document(result)
    if document.get("schema") not in (SCHEMAS[verb], _OF_GLITCHES.get(verb, SCHEMAS[verb])):
        raise RunError(
            f"{result} has the schema {document.get('schema')!r};"
            f" this version reads {SCHEMAS[verb]!r}."
        )
    if verb == "rollout":
        return RolloutResult(run, document)
    if verb != "audit":
        return OtherResult(run, verb, document)
    check_audit(document, result)
    return AuditResult(run, document)
