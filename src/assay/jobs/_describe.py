"""Describe a judge as plain data, for run.json and the report's heading."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from pathlib import Path
from typing import Any

from assay.jobs._fingerprint import fingerprint
from assay.judges._function import FunctionJudge
from assay.judges.base import Judge

__all__ = ["describe_judge"]

_HOME = "assay.judges."


def describe_judge(judge: Judge) -> dict[str, Any]:
    """Return the judge's name, options, bound and noise, and hashes of its code and files.

    A judge of ours is known by its version. Of any other judge the module's text counts too, and
    of every path among the options what it holds: an edited judge is another judge.
    """
    fields = dataclasses.fields(judge)  # type: ignore[arg-type]  # a judge is a dataclass
    options = {field.name: getattr(judge, field.name) for field in fields}
    module = type(judge).__module__
    if isinstance(judge, FunctionJudge):
        name = options.pop("target")
        module = name.partition(":")[0]
    elif module.startswith(_HOME):
        name = module.removeprefix(_HOME).partition(".")[0].replace("_", "-")
    else:
        name = f"{module}:{type(judge).__qualname__}"
    files = {k: fingerprint(v) for k, v in options.items() if isinstance(v, Path) and v.exists()}
    return {
        "name": name,
        "settings": {k: str(v) if isinstance(v, Path) else v for k, v in options.items()},
        "bound": judge.bound,
        "noise": judge.noise,
        "files": files if module.startswith(_HOME) else {**files, "code": _code(module)},
    }


def _code(module: str) -> str | None:
    """Return the hash of a module's text, None when it has no file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
