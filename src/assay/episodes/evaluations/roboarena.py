"""From evaluation sessions of RoboArena to `Episode` records."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.episodes.evaluations.arrays import load_npz
from assay.episodes.faults import PARSING, check_file, reading, shown, worded
from assay.episodes.guarding import guarded
from assay.episodes.names import slug
from assay.episodes.paths import inside
from assay.episodes.rates import steps_per_second
from assay.episodes.rlds.known import meanings
from assay.episodes.video import VideoFrames, probe
from assay.errors import EpisodeError, InputError, MissingExtraError
from assay.records import Episode, Series, Unreadable, View

__all__ = ["ABOUT", "read_roboarena", "sessions_of"]

ABOUT = "metadata.yaml"
_TRACES = "*_npz_file.npz"
_STEPS = "data"  # the array of an npz file that holds one dict a step
_VIEWS = ("left", "right", "wrist")
_LONGEST = 1 << 20  # bytes of metadata.yaml


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One policy of one session."""

    session: Path
    folder: Path
    rate: list[float]
    trust_pickles: bool


def sessions_of(path: Path) -> list[Path]:
    """Return the sessions at `path`: itself, or the folders below it or evaluation_sessions."""
    if not path.is_dir():
        return []
    if _is_session(path):
        return [path]
    inner = path / "evaluation_sessions"
    folder = inner if inner.is_dir() else path
    return sorted(entry for entry in folder.iterdir() if entry.is_dir() and _is_session(entry))


def _is_session(folder: Path) -> bool:
    return (folder / ABOUT).is_file() and any(
        any(folder.glob(f"*_*/{end}")) for end in (_TRACES, "*_video_*.mp4")
    )


def read_roboarena(path: Path, *, trust_pickles: bool) -> Iterator[Episode | Unreadable]:
    """Yield one episode a policy and session, sorted; pickled steps only for who trusts them."""
    sessions = sessions_of(path)
    rate: list[float] = []
    for session in sessions:
        about = _about(path, session)
        policies = about.get("policies")
        if not isinstance(policies, dict):
            raise InputError("has no 'policies'.", session / ABOUT)
        text = about.get("language_instruction")
        instruction = text.strip() if isinstance(text, str) else ""
        for letter, policy in sorted(policies.items(), key=lambda item: str(item[0])):
            bare = _bare(session, str(letter), policy, instruction)
            folder = session / f"{letter}_{bare.policy}"
            attempt = _Attempt(session, folder, rate, trust_pickles)
            yield guarded(bare, folder, partial(_filled, bare, attempt))


def _about(root: Path, session: Path) -> dict[str, Any]:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("Reading RoboArena sessions", "pyyaml", "roboarena") from error
    file = inside(root, session.relative_to(root) / ABOUT, file=root)
    check_file(file)
    if file.stat().st_size > _LONGEST:
        raise InputError(f"has more than {_LONGEST} bytes.", file)
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, *PARSING) as error:
        raise InputError(f"is not YAML ({worded(error)}).", file) from error
    if not isinstance(content, dict):
        raise InputError("holds no mapping.", file)
    return content


def _bare(session: Path, letter: str, policy: object, instruction: str) -> Episode:
    about: Mapping[str, Any] = policy if isinstance(policy, dict) else {}
    name, success = about.get("policy_name"), about.get("binary_success")
    if not isinstance(name, str) or not name:
        raise InputError(f"the policy {shown(letter)!r} has no 'policy_name'.", session / ABOUT)
    known = isinstance(success, bool | int | float) and success in (0, 1)
    return Episode(
        f"{session.name}/{letter}",
        slug(instruction) if instruction else session.name,
        instruction=instruction,
        policy=name,
        outcome=bool(success) if known else None,
        scene=session.name,
        source=str(session),
        extra={"partial_success": about.get("partial_success")},
    )


def _filled(bare: Episode, attempt: _Attempt) -> Episode:
    folder = inside(attempt.session, attempt.folder.name, file=attempt.session / ABOUT)
    if not folder.is_dir():
        raise EpisodeError(f"{folder} is not there, though {ABOUT} names its policy.")
    views, fps = {}, 0.0
    for name in _VIEWS:
        for file in sorted(folder.glob(f"*_video_{name}.mp4"))[:1]:
            path = inside(folder, file.name, file=folder)
            fps = probe(str(path)).fps
            views[name] = View(VideoFrames(str(path)), moves=name == "wrist")
    signals: dict[str, Series] = {}
    for file in sorted(folder.glob(_TRACES))[:1]:
        if not fps:
            attempt.rate[:] = attempt.rate or [steps_per_second(attempt.session)]
        traces = inside(folder, file.name, file=folder)
        with reading(traces):
            signals = _signals(traces, fps or attempt.rate[0], trust_pickles=attempt.trust_pickles)
    return replace(bare, views=views, signals=signals)


def _signals(file: Path, fps: float, *, trust_pickles: bool) -> dict[str, Series]:
    """Return the traces; pickled ones, which could run anything, are left out aloud."""
    arrays, pickled = load_npz(file, trust_pickles=trust_pickles)
    if pickled:
        logging.getLogger("assay").warning(
            "%s: %s is pickled and not read; if you trust where it came from, --trust-pickles "
            "reads its traces.",
            file, ", ".join(pickled),
        )  # fmt: skip
    steps = arrays.pop(_STEPS, None)
    if steps is not None:
        arrays |= _stacked(steps) if steps.dtype.hasobject else {_STEPS: steps}
    found = {
        name.replace("/", "."): Series(np.arange(len(values)) / fps, values)
        for name, values in arrays.items()
        if values.dtype.kind in "biuf" and 1 <= values.ndim <= 2 and values.size
    }
    return found | meanings("droid", found)


def _stacked(steps: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
    """Return the traces of an array of steps, each a dict of numbers, in rows.

    Raises:
        ValueError: A step is none, lacks a key, or has values of another shape.
    """
    rows = steps.reshape(-1).tolist()
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise TypeError(f"{_STEPS!r}: step {number} is no dict")
    first = rows[0] if rows else {}
    return {str(key): np.stack([_value(row, n, key, first) for n, row in enumerate(rows)])
            for key in first}  # fmt: skip


def _value(
    row: Mapping[Any, Any], number: int, key: object, first: Mapping[Any, Any]
) -> npt.NDArray[Any]:
    """Return one value of a step, of the shape that it has at the first one."""
    if key not in row:
        raise ValueError(f"{_STEPS!r}: step {number} lacks {key!r}")
    value, due = np.asarray(row[key]), np.shape(first[key])
    if value.shape != due:
        raise ValueError(f"{_STEPS!r}: {key!r} of step {number} is {value.shape}, not {due}")
    return value
