"""Files of writers that write one an episode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.episodes.names import slug
from assay.episodes.writers.base import Refused, Written
from assay.records import Episode

__all__ = ["OneFileEach", "episode_file", "placed"]


class OneFileEach:
    """A writer whose files stand for themselves: there is nothing to share in the end."""

    def finish(
        self,
        root: Path,  # noqa: ARG002 - as the contract has it
        notes: Iterable[Mapping[str, Any]],  # noqa: ARG002
        written: Iterable[Written],  # noqa: ARG002
    ) -> Iterator[Refused]:
        """Do nothing."""
        return iter(())


def episode_file(root: Path, number: int, episode: Episode, suffix: str) -> Path:
    """Return where the file of an episode goes: sorted by number, with a readable name."""
    return root / f"{number:06d}-{slug(episode.id)}{suffix}"


@contextmanager
def placed(path: Path) -> Iterator[Path]:
    """Give a path to write to; what is there in the end appears at `path`, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
