"""Keep the paths named inside a dataset under the dataset's folder."""

from __future__ import annotations

from pathlib import Path

from assay.episodes.names import natural
from assay.errors import UnsafePathError

__all__ = ["inside", "listed"]


def inside(
    root: Path, relative: str | Path, *, file: object = None, row: int | None = None
) -> Path:
    """Return `root / relative`, or refuse it when it leads out of `root`.

    Symbolic links are followed before the check, so a link to a place outside is refused too. The
    path need not exist, and `root` itself may be a link.

    Args:
        root: The dataset's folder.
        relative: A path as a dataset names it.
        file: The file that names the path, for the message.
        row: The row of that file, counted from 1, for the message.
    """
    if "\0" in str(relative):
        raise UnsafePathError(f"the path {str(relative)!r} holds a null character.", file, row)
    base = root.resolve()
    try:
        target = (base / relative).resolve()
    except (
        OSError,
        RuntimeError,
    ) as error:  # links in a circle, or a name too long; RuntimeError before 3.13
        raise UnsafePathError(
            f"the path {str(relative)!r} can't be followed.", file, row
        ) from error
    if not target.is_relative_to(base):
        raise UnsafePathError(
            f"the path {str(relative)!r} leads out of the dataset's folder {root}; "
            "only paths under that folder are read.",
            file,
            row,
        )
    return target


def listed(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted as people count, without hidden names."""
    shown = (entry for entry in folder.iterdir() if not entry.name.startswith("."))
    return sorted(shown, key=lambda entry: natural(entry.name))
