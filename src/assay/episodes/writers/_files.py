"""Files of writers that write one an episode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.episodes.names import slug
from assay.records import Episode

__all__ = ["episode_file", "placed"]


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
