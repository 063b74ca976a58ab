"""Look at a folder and write the command that audits it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from assay.episodes import catalogue
from assay.records import Episode, Unreadable

__all__ = ["Found", "look"]

_TOLD = frozenset({"progress", "success"})  # joints of thousands of episodes would fill the memory


@dataclass(frozen=True)
class Found:
    """What a folder holds, in sentences, and the command for it."""

    lines: tuple[str, ...]
    command: str


def look(path: Path, *, trust_pickles: bool = False) -> Found:
    """Read the dataset at `path` once and describe it; nothing is written.

    Args:
        path: A file or folder with episodes.
        trust_pickles: Whether pickles of it may be opened.
    """
    kind = catalogue.format_of(path)
    every = catalogue.read(path, format=kind, trust_pickles=trust_pickles)
    found = [item.keeping(_TOLD) if isinstance(item, Episode) else item for item in every]
    episodes = [item for item in found if isinstance(item, Episode)]
    broken = [item for item in found if isinstance(item, Unreadable)]
    curves = sum("progress" in e.signals for e in episodes)
    subtasks = sum(any(s.kind == "subtask" for s in e.segments) for e in episodes)
    labelled = sum(e.outcome is not None or "success" in e.signals for e in episodes)
    lines = [
        f"{path} is read as {kind}: {_count(len(found), 'episode')}.",
        f"Tasks: {_most(e.task for e in found)}.",
        f"Policies: {_most(e.policy for e in found)}.",
        f"Views: {_most(view for e in episodes for view in e.views) or 'none'}.",
        f"With recorded progress: {curves}, subtasks: {subtasks}, success label: {labelled}.",
        *(f"Can't be read: {item.id}: {item.detail}" for item in broken[:5]),
    ]
    if len(broken) > 5:
        lines.append(f"... and {len(broken) - 5} more that can't be read.")
    judge = "my_module:my_function"
    if curves:
        judge = "recorded"
    elif 2 * subtasks > len(found):
        judge = "oracle"
    else:
        lines.append(
            "Too little here says how far an attempt got: name a judge of your own, a function of"
            " frames as below, or join recorded curves (--judge recorded --curves FILE)."
        )
    unnamed = {e.policy for e in found} == {Episode("", "").policy}
    source = f"{path.resolve().stem}={path}" if unnamed else str(path)
    words = ["assay", "audit", source, "--judge", judge, "--out", "report"]
    words += ["--trust-pickles"] if trust_pickles else []
    return Found(tuple(lines), shlex.join(words))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _most(names: Iterable[str]) -> str:
    """Return the commonest names with their counts, at most five."""
    counts: Counter[str] = Counter(names)
    shown = [f"{name} ({count})" for name, count in counts.most_common(5)]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
