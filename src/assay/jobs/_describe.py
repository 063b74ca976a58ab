"""Describe a judge as plain data, for run.json and the report's heading."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from assay.judges._function import FunctionJudge
from assay.judges.base import Judge

__all__ = ["describe_judge"]

_HOME = "assay.judges."


def describe_judge(judge: Judge) -> dict[str, Any]:
    """Return the judge's name, options, bound and noise."""
    fields = dataclasses.fields(judge)  # type: ignore[arg-type]  # a judge is a dataclass
    options = {field.name: getattr(judge, field.name) for field in fields}
    module = type(judge).__module__
    if isinstance(judge, FunctionJudge):
        name = options.pop("target")
    elif module.startswith(_HOME):
        name = module.removeprefix(_HOME).replace("_", "-")
    else:
        name = f"{module}:{type(judge).__qualname__}"
    plain = {k: str(v) if isinstance(v, Path) else v for k, v in options.items()}
    return {"name": name, "settings": plain, "bound": judge.bound, "noise": judge.noise}
