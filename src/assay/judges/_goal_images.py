"""Goals from image files, by their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.episodes.encoded_frames import decode
from assay.episodes.faults import check_file, reaching, shown
from assay.episodes.shrinking import shrink
from assay.errors import EpisodeError, InputError
from assay.records import Episode, Image

__all__ = ["SUFFIXES", "GoalImages"]

SUFFIXES = (".png", ".jpg", ".jpeg")
_NUMBER = re.compile(r"\.\d+$")
_NAMED = 6  # names in a message


@dataclass(frozen=True, eq=False)
class GoalImages:
    """Image files, each named after what it shows.

    Attributes:
        root: The folder that names are relative to.
        files: The images.
        size: Side of the squares that pictures are squeezed into [px].
        alone: Whether it is one image, which fits every task.
    """

    root: Path
    files: tuple[Path, ...]
    size: int
    alone: bool = False
    _kept: dict[Path, Image] = field(default_factory=dict, repr=False)

    @classmethod
    def find(cls, path: Path, size: int) -> GoalImages:
        """Return the image `path`, or all images somewhere in the folder `path`."""
        if not path.is_dir():
            return cls(path.parent, (path,), size, alone=True)
        with reaching(path):
            files = sorted(f for f in path.rglob("*") if f.suffix.lower() in SUFFIXES)
        if not files:
            raise InputError("holds neither images (png, jpg) nor a dataset.", path)
        return cls(path, tuple(files), size)

    def pictures(
        self,
        tasks: frozenset[str],
        views: Sequence[str],
        but: Episode | None,  # noqa: ARG002 - an image is no episode
    ) -> Mapping[str, Sequence[Image]]:
        """Return the pictures by view; under "" those whose name tells no view.

        Images named after the task go before those named after a view alone.
        """
        by_task: dict[str, list[Path]] = defaultdict(list)
        by_view: dict[str, list[Path]] = defaultdict(list)
        for file in self.files:
            first, *rest = file.relative_to(self.root).with_suffix("").parts
            if self.alone or _fitting(first, views):
                by_view[_fitting(first, views)].append(file)
            elif _fitting(first, tasks):
                by_task[_fitting(rest[0], views) if rest else ""].append(file)
        return {view: [self._picture(f) for f in fs] for view, fs in (by_task or by_view).items()}

    def holds(self) -> str:
        """Name the images."""
        names = [str(file.relative_to(self.root)) for file in self.files]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return ", ".join(shown(name) for name in names[:_NAMED]) + more

    def _picture(self, file: Path) -> Image:
        if file not in self._kept:
            check_file(file)
            with reaching(file):
                data = file.read_bytes()
            self._kept[file] = shrink(_decoded(data, file), self.size)
        return self._kept[file]


def _decoded(data: bytes, file: Path) -> Image:
    try:
        return decode(data, str(file))
    except EpisodeError as error:
        raise InputError(str(error)) from error


def _fitting(name: str, known: Collection[str]) -> str:
    """Return which of `known` a file's name means, with or without a number; "" for none."""
    bare = _NUMBER.sub("", name)
    return next((found for found in (name, bare) if found in known), "")
