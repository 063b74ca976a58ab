"""Progress files that lerobot writes beside a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.records import Episode, Unreadable

__all__ = ["LeRobotProgress"]


class LeRobotProgress:
    """Progress of a reward model over a LeRobot dataset: `*_progress.parquet` in its folder.

    The frame rate, the tasks and the ids are the dataset's, so a dataset and its progress file
    speak of the same episodes. Episodes come in the order in which they first appear in the file.
    NaN means not scored. lerobot interpolates between the frames that the model has seen.
    """

    reads: ClassVar[str] = "a *_progress.parquet file of lerobot, inside its dataset's folder"

    def sniff(self, path: Path) -> bool:
        """Claim files whose name ends in `_progress.parquet`."""
        return path.name.endswith("_progress.parquet") and path.is_file()

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes; `progress` is the dense score if the file has any, else the sparse.

        Both scores stay available under their own names.
        """
        from assay.episodes.lerobot.progress import progress_episodes

        return progress_episodes(path)
