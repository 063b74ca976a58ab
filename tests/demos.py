"""Demonstrations drawn in memory: a square that crosses the picture, as small real videos."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from clips import write_clip

FRAMES, FPS, SIDE = 16, 5, 64


def crossing(number: int, size: tuple[int, int], row: int = 20, share: float = 1.0) -> np.ndarray:
    """Draw the square at frame `number`: at the left edge first, `share` of the way at the end."""
    width, height = size
    image = np.full((height, width, 3), 60, np.uint8)
    left = round(share * (width - 12) * number / (FRAMES - 1))
    image[row : row + 12, left : left + 12] = (220, 60, 40)
    return image


def write_demos(folder: Path, count: int = 6, failures: int = 0, task: str = "cross") -> Path:
    """Write `count` successes, and `failures` that stop half way, with a manifest."""
    folder.mkdir(parents=True)
    rows = []
    for nth in range(count + failures):
        name, failed = f"{task}_{nth:02d}.mp4", nth >= count

        def draw(number: int, size: tuple[int, int], nth: int = nth, failed: bool = failed):
            return crossing(number, size, row=4 + 6 * (nth % 8), share=0.5 if failed else 1.0)

        write_clip(folder / name, frames=FRAMES, fps=FPS, size=(SIDE, SIDE), draw=draw)
        rows.append([name, "side", task, f"{task} the table", int(not failed)])
    with (folder / "manifest.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["file", "view", "task", "instruction", "success"], *rows])
    return folder
