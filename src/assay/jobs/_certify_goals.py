"""Goal pictures of the simulated worlds, for judges that compare with a goal."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from assay.benchmarks.passport.scenes import SEEDS, VIEWS
from assay.benchmarks.passport.stage import Stage
from assay.jobs._rundir import write_file
from assay.records import Image

__all__ = ["write_goals"]

_ENDS = 2
"""Ends of each task: they come from the last seeds, and scenes from the first."""


def write_goals(folder: Path, tasks: Sequence[str]) -> None:
    """Film how experts leave the scene, as `<task>/<view>.<number>.png`; what is there stays."""
    stage = Stage()
    for task in tasks:
        for number in range(_ENDS):
            paths = {view: folder / task / f"{view}.{number}.png" for view in VIEWS}
            if all(path.is_file() for path in paths.values()):
                continue
            shot = stage.act(task, "expert", SEEDS[-1 - number])
            if shot.episode.outcome:
                seen = stage.film(shot, shot.poses[-1:], VIEWS, times=shot.times[-1:])
                for view, path in paths.items():
                    write_file(path, _png(next(seen[view].frames.at(shot.times[-1:]))))


def _png(image: Image) -> bytes:
    """Return the picture, uint8 (H, W, 3), as a PNG file."""
    import av

    coder = av.CodecContext.create("png", "w")
    coder.height, coder.width = image.shape[:2]
    coder.pix_fmt, coder.time_base = "rgb24", Fraction(1)
    frame = av.VideoFrame.from_ndarray(image, format="rgb24")
    return b"".join(bytes(packet) for packet in [*coder.encode(frame), *coder.encode(None)])
