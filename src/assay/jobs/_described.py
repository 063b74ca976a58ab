"""Describe a part of a world, such as a policy, as plain data for run.json."""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from pathlib import Path, PurePath
from typing import Any

from assay.worlds.policies._making import OutsidePolicy

__all__ = ["code_of", "described", "plain"]

_HOME = "assay.worlds."


def described(part: Any) -> dict[str, Any]:  # noqa: ANN401 - a task, policy or perturbation
    """Return its name and options, and a hash of its code or weights.

    What is ours is known by its version. Of anything else the module's text counts too: an edited
    policy is another policy.
    """
    module = type(part).__module__
    if isinstance(part, OutsidePolicy):
        name, options = part.target, dict(part.options)
        module = name.partition(":")[0]
    else:
        name = f"{module}:{type(part).__qualname__}"
        fields = dataclasses.fields(part) if dataclasses.is_dataclass(part) else ()
        options = {field.name: plain(getattr(part, field.name)) for field in fields}
    if module.startswith(_HOME):
        name = module.rpartition(".")[2].replace("_", "-")
        weights = getattr(part, "fingerprint", None)
        return {"name": name, "settings": options, **({"weights": weights} if weights else {})}
    return {"name": name, "settings": options, "code": code_of(module)}


def code_of(module: str) -> str | None:
    """Return a hash of a module's text; None when it has no file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None


def plain(value: Any) -> Any:  # noqa: ANN401 - an option can be anything
    """Return an option as JSON can hold it; what is no plain data is told by its text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, PurePath):
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
