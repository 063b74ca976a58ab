"""Tell one judge from another: its name, its options, and what its files hold."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.judges._function import FunctionJudge
from assay.judges.base import Judge

__all__ = ["KEPT", "difference", "folder_of", "identify"]

KEPT = "passport.json"
"""What the passport is called in the folder of a trained judge."""

CARD = "card.json"
_HOME = "assay.judges."
_WEIGHTS = frozenset({".onnx", ".json"})


def identify(judge: Judge) -> dict[str, Any]:
    """Return what makes the judge this one: name, options, and hashes of its code and weights.

    The passport itself does not count: it may be kept beside the weights.
    """
    options = _options(judge)
    module = type(judge).__module__
    if isinstance(judge, FunctionJudge):
        name = str(options.pop("target"))
        module = name.partition(":")[0]
    elif module.startswith(_HOME):
        name = module.removeprefix(_HOME).partition(".")[0].replace("_", "-")
    else:
        name = f"{module}:{type(judge).__qualname__}"
    files = {} if module.startswith(_HOME) else _code(module)
    # The embedded judge has weights too, though no option names them.
    folder = getattr(judge, "folder", None) or folder_of(judge)
    if folder is not None:
        own = sorted(p for p in folder.iterdir() if p.suffix in _WEIGHTS and p.name != KEPT)
        files |= {path.name: _hash(path) for path in own if path.is_file()}
    settings = {name: value for name, value in options.items() if not isinstance(value, Path)}
    plain = json.loads(json.dumps(settings, default=str))  # as a file holds them, to be compared
    return {"name": name, "settings": plain, "files": files}


def folder_of(judge: Judge) -> Path | None:
    """Return the folder of a trained judge, told by its card; None for any other judge."""
    folders = [value for value in _options(judge).values() if isinstance(value, Path)]
    return next((folder for folder in folders if (folder / CARD).is_file()), None)


def difference(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Say how the judge of a passport differs from one at hand; empty when it does not."""
    for part, words in (("settings", "options"), ("files", "code or weights")):
        before, after = then.get(part) or {}, now.get(part) or {}
        names = [n for n in sorted({*before, *after}) if before.get(n) != after.get(n)]
        if names:
            return f"other {words} ({', '.join(names)})"
    return ""


def _options(judge: Judge) -> dict[str, Any]:
    fields = dataclasses.fields(judge)  # type: ignore[arg-type]  # a judge is a dataclass
    return {field.name: getattr(judge, field.name) for field in fields}


def _code(module: str) -> dict[str, str]:
    """Return the hash of a module's text; nothing when it has no file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return {"code": _hash(Path(file))} if file else {}


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
