"""Read back what an audit was asked to do, and who judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from assay import plugins
from assay.errors import RunError, UsageError
from assay.jobs._rundir import read_document
from assay.judges import make_judge
from assay.judges.base import Judge
from assay.metrics.gaps import Fill

__all__ = ["Recorded", "RecordedJudge", "RecordedSettings", "read_recorded", "remade"]

_SCHEMA = "assay.run/1"
_JUDGES = "assay.judges"


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class RecordedJudge(_Model):
    """A judge as `run.json` describes it."""

    name: str
    settings: dict[str, Any] = {}


class RecordedSettings(_Model):
    """The settings of an audit as `run.json` holds them; see `AuditSettings`."""

    sources: tuple[str, ...]
    judge: RecordedJudge
    beside: tuple[RecordedJudge, ...] = ()
    labels: Path | None = None
    curves: Path | None = None
    task_map: Path | None = None
    by: tuple[str, ...] = ("task", "policy")
    views: tuple[str, ...] = ()
    fps: float | None = None
    epsilon: float | None = None
    fill: Fill | None = None
    success_at: float | None = None
    diagnostics: tuple[str, ...] = ()
    experts: Path | None = None
    passport: Path | None = None
    limit: int | None = None
    video: Literal["link", "copy", "none"] = "link"
    note: str = ""
    seed: int = 0
    ledger: Path | None = None


class Recorded(_Model):
    """What `run.json` of a finished audit holds."""

    settings: RecordedSettings
    fingerprints: dict[str, str] = {}


def read_recorded(run: Path) -> Recorded:
    """Return what the finished audit in `run` was asked to do.

    Raises:
        RunError: There is no finished audit of this version.
    """
    if not (run / "run.json").is_file():
        raise RunError(f"{run} is no run directory: it has no run.json.")
    document = read_document(run / "run.json")
    if document.get("verb") != "audit":
        raise RunError(f"{run} holds a run of {document.get('verb')!r}; replay is for audits.")
    if document.get("schema") != _SCHEMA:
        raise RunError(
            f"{run}/run.json has the schema {document.get('schema')!r};"
            f" this version reads {_SCHEMA!r}."
        )
    if not (run / "audit.json").is_file():
        raise RunError(f"The run in {run} is not finished: run the same command again to go on.")
    try:
        return Recorded.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RunError(f"{run}/run.json is not whole: {where}: {first['msg']}.") from None


def remade(judge: RecordedJudge, run: Path, options: Mapping[str, Any]) -> Judge:
    """Return the judge of a run; a name in a file never brings in code from outside.

    Args:
        judge: The judge as the run describes it.
        run: The run directory.
        options: Options that are to differ.

    Raises:
        UsageError: It is code of the user's own, which no run file can call.
    """
    name, colon, _ = judge.name.partition(":")
    if name not in plugins.names(_JUDGES) or (colon and "weights" not in judge.settings):
        raise UsageError(
            f"{run} was judged by {judge.name}, and code of your own is never called by what a"
            f" file says: run the same assay audit --judge {judge.name} again, its answers are"
            " in the ledger."
        )
    takes = {f.name for f in dataclasses.fields(plugins.find(_JUDGES, name)) if f.init}
    kept = {option: value for option, value in judge.settings.items() if option in takes}
    return make_judge(name, {**kept, **options})
