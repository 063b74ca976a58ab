"""Tell one judge from another: its name, its options, and what its files hold."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.judges._function import FunctionJudge
from assay.judges.base import Judge
from assay.judges.prm_mini._card import CARD

__all__ = [
    "KEPT",
    "difference",
    "folder_of",
    "has_other_goal",
    "identify",
    "name_of",
    "options_of",
]

KEPT = "passport.json"
"""What the passport is called in the folder of a trained judge."""

_HOME = "assay.judges."
_WEIGHTS = frozenset({".onnx", ".json", ".npz"})
_NO_PART = frozenset({KEPT, "network.npz"})
"""What sways no answer: the passport, and the network from which training goes on."""

_OPTION = "option "
_GOAL = f"{_OPTION}goal"
_WHOLE_BYTES = 1 << 24
_END_BYTES = 1 << 16


def identify(judge: Judge) -> dict[str, Any]:
    """Return what makes the judge this one: name, options, and hashes of its code and files.

    A path among the options counts by what it holds, as "option NAME", wherever it is. The
    passport itself does not count: it may be kept beside the weights. Code of ours is known by the
    version of Assay.
    """
    name, options = name_of(judge), options_of(judge)
    files = _code(name.partition(":")[0]) if ":" in name else {}
    # The embedded judge has weights too, though no option names them.
    folder = getattr(judge, "folder", None) or folder_of(judge)
    if folder is not None:
        own = sorted(p for p in folder.iterdir() if p.suffix in _WEIGHTS and p.name not in _NO_PART)
        files |= {path.name: _hash(path) for path in own if path.is_file()}
    paths = {name: value for name, value in options.items() if isinstance(value, Path)}
    files |= {_OPTION + k: _held(v) for k, v in paths.items() if v.exists() and v != folder}
    settings = {name: value for name, value in options.items() if name not in paths}
    plain = json.loads(json.dumps(settings, default=str))  # as a file holds them, to be compared
    return {"name": name, "settings": plain, "files": files}


def name_of(judge: Judge) -> str:
    """Return what a judge is called: one of ours by its file, any other as `module:name`."""
    if isinstance(judge, FunctionJudge):
        return judge.target
    module = type(judge).__module__
    if module.startswith(_HOME):
        return module.removeprefix(_HOME).partition(".")[0].replace("_", "-")
    return f"{module}:{type(judge).__qualname__}"


def options_of(judge: Judge) -> dict[str, Any]:
    """Return the options of a judge; the function that a judge calls is its name, and none."""
    fields = dataclasses.fields(judge)  # type: ignore[arg-type]  # a judge is a dataclass
    found = {field.name: getattr(judge, field.name) for field in fields}
    if isinstance(judge, FunctionJudge):
        found.pop("target")
    return found


def folder_of(judge: Judge) -> Path | None:
    """Return the folder of a trained judge, told by its card; None for any other judge."""
    folders = [value for value in options_of(judge).values() if isinstance(value, Path)]
    return next((folder for folder in folders if (folder / CARD).is_file()), None)


def difference(then: Mapping[str, Any], now: Mapping[str, Any], *, goals: bool = True) -> str:
    """Say how the judge of a passport differs from one at hand; empty when it does not.

    Args:
        then: The judge of the passport, as `identify` returned it.
        now: The judge at hand.
        goals: Whether other goal pictures make another judge. They are part of the scene, and a
            passport may speak of others; whether there is a goal at all counts in either case.
    """
    options = _changed(then, now, "settings")
    files = _changed(then, now, "files")
    if not goals and has_other_goal(then, now):
        files.remove(_GOAL)
    options += [name.removeprefix(_OPTION) for name in files if name.startswith(_OPTION)]
    weights = [name for name in files if not name.startswith(_OPTION)]
    for names, words in ((options, "options"), (weights, "code or weights")):
        if names:
            return f"other {words} ({', '.join(names)})"
    return ""


def has_other_goal(then: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Tell whether two judges both have a goal, and the goals show different things."""
    before, after = ((one.get("files") or {}).get(_GOAL) for one in (then, now))
    return None not in (before, after) and before != after


def _changed(then: Mapping[str, Any], now: Mapping[str, Any], part: str) -> list[str]:
    before, after = then.get(part) or {}, now.get(part) or {}
    return [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]


def _code(module: str) -> dict[str, str]:
    """Return the hash of a module's text; nothing when it has no file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return {"code": _hash(Path(file))} if file else {}


def _held(path: Path) -> str:
    """Return a hash of a file, or of all files in a folder by their places in it.

    Of a very large file, such as a demonstration, its size and its ends count.
    """
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            digest.update(file.relative_to(path).as_posix().encode() + b"\0")
            try:
                small = file.stat().st_size <= _WHOLE_BYTES
                digest.update((_hash if small else _ends)(file).encode())
            except OSError as error:  # readers say what is wrong with it, if it matters at all
                digest.update(str(error.errno).encode())
    return digest.hexdigest()


def _ends(path: Path) -> str:
    with path.open("rb") as stream:
        first = stream.read(_END_BYTES)
        size = stream.seek(-_END_BYTES, os.SEEK_END) + _END_BYTES
        return hashlib.sha256(str(size).encode() + first + stream.read()).hexdigest()


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
