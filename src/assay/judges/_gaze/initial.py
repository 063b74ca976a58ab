"""The initial image of a clip, where it comes apart from the video."""

from __future__ import annotations

from pathlib import Path

from assay.episodes.encoded_frames import decode
from assay.episodes.faults import check_file, reaching
from assay.errors import EpisodeError
from assay.judges._asking import prepared
from assay.models.base import Picture

__all__ = ["initial_picture"]

_SUFFIXES = (".png", ".jpg", ".jpeg")


def initial_picture(folder: Path, clip: str, side: int) -> Picture:
    """Return the image of a folder that is named after the clip.

    Args:
        folder: Where the images are; a clip `a/b` has `a/b.png` in it.
        clip: The clip's id.
        side: The longest side [px].

    Raises:
        EpisodeError: There is none.
    """
    for suffix in _SUFFIXES:
        path = folder / f"{clip}{suffix}"
        if path.resolve().is_relative_to(folder.resolve()) and path.is_file():
            check_file(path)
            with reaching(path):
                image = decode(path.read_bytes(), str(path))
            return prepared({"initial": image}, side)["initial"]
    tried = ", ".join(f"{clip}{suffix}" for suffix in _SUFFIXES)
    raise EpisodeError(f"{folder} holds no initial image of the clip: {tried}.", "no_reference")
