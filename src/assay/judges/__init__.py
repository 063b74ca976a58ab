"""Judges, one file each."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from assay import plugins
from assay.errors import UsageError
from assay.judges._conformance import check_curve, check_identity, check_judge
from assay.judges._function import FunctionJudge
from assay.judges._preferring import Preferring
from assay.judges.base import Judge
from assay.judges.prm_mini._card import is_trained

__all__ = ["Preferring", "check_curve", "check_judge", "make_judge"]


def make_judge(
    name: str, options: Mapping[str, Any] | None = None, *, outside: bool = False
) -> Judge:
    """Make a judge by name.

    Args:
        name: The name of a judge, or the folder of a trained one. `NAME@MODEL` is short for a judge
            that asks a model and its option `model`.
        options: Its options, as text or values.
        outside: Whether `module:Class` and `module:function` are imported. Only for what a person
            typed, never for what a file or a web request says.
    """
    chosen = dict(options or {})
    if is_trained(Path(name)):
        name, chosen = "prm-mini", {"weights": Path(name), **chosen}
    elif Path(name).is_dir() and name not in plugins.names("assay.judges"):
        raise UsageError(
            f"The folder {name} holds no trained judge, or one whose training has not ended: run "
            "the same `assay train progress` again."
        )
    elif "@" in name and ":" not in name.partition("@")[0]:
        name, chosen = _with_model(name, chosen)
    found = plugins.find("assay.judges", name, outside=outside)
    if inspect.isclass(found) and dataclasses.is_dataclass(found):
        judge = plugins.configure(found, chosen)
    elif inspect.isfunction(found):
        _check_takes_two(name, found)
        judge = plugins.configure(FunctionJudge, {**chosen, "target": name})
    else:
        raise UsageError(f"{name} is neither a judge class (a frozen dataclass) nor a function.")
    check_identity(judge)
    made: Judge = judge
    return made


def _check_takes_two(name: str, function: Callable[..., Any]) -> None:
    """Refuse a function that would fail in every episode, before any is read."""
    try:
        inspect.signature(function).bind("frames", "instruction")
    except TypeError:
        raise UsageError(
            f"{name} can't be a judge with {inspect.signature(function)}: it is called with the "
            f"frames and the instruction, as {function.__name__}(frames, instruction)."
        ) from None


def _with_model(typed: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the judge and the options of `NAME@MODEL`.

    Raises:
        UsageError: The judge asks no model, or is given two.
    """
    name, _, model = typed.partition("@")
    found = plugins.find("assay.judges", name)
    known = dataclasses.fields(found) if dataclasses.is_dataclass(found) else ()
    if not any(field.name == "model" and field.init for field in known):
        raise UsageError(f"The judge {name} asks no model: leave out @{model}.")
    if options.get("model", model) != model:
        raise UsageError(f"Two models are given: {typed} and --set model={options['model']}.")
    return name, {**options, "model": model}
