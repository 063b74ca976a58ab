"""Results of lerobot-eval: eval_info.json and the videos beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.records import Episode, Unreadable

__all__ = ["LeRobotEval"]


class LeRobotEval:
    """Read the results of `lerobot-eval`: who succeeded, with the videos that it kept."""

    reads: ClassVar[str] = "a folder with eval_info.json of lerobot-eval and its videos/"

    def sniff(self, path: Path) -> bool:
        """Claim `eval_info.json`, and a folder with that file right in it."""
        file = path / "eval_info.json" if path.is_dir() else path
        return file.name == "eval_info.json" and file.is_file()

    def read(self, path: Path) -> Iterator[Episode | Unreadable]:
        """Yield the episodes task by task; only the first ones of each have a video."""
        from assay.episodes.evaluations.lerobot_eval import read_eval

        return read_eval(path / "eval_info.json" if path.is_dir() else path)
