"""Evaluation sessions of RoboArena: policies side by side on a DROID robot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.records import Episode, Unreadable

__all__ = ["RoboArena"]


@dataclass(frozen=True)
class RoboArena:
    """Read sessions of RoboArena: one episode a policy, with videos and the traces of its npz.

    Traces are pickled as they are published, and read only with `--trust-pickles`.
    """

    reads: ClassVar[str] = "a RoboArena session (metadata.yaml, a folder a policy), or several"

    trust_pickles: bool = False

    def sniff(self, path: Path) -> bool:
        """Claim a session, and a folder of sessions."""
        from assay.episodes.evaluations.roboarena import sessions_of

        return bool(sessions_of(path))

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield one episode a policy and session, sorted."""
        from assay.episodes.evaluations.roboarena import read_roboarena

        return read_roboarena(path, trust_pickles=self.trust_pickles)
