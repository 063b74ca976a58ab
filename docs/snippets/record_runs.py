"""Write two folders of clips with a progress.csv each, as a robot lab might have them."""

import csv
from pathlib import Path

import av
import numpy as np

FPS = 10


def write_clip(path: Path, progress: np.ndarray) -> None:
    """Draw a white block that moves to the right with the progress."""
    with av.open(path, "w") as container:
        stream = container.add_stream("libx264", rate=FPS)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for value in progress:
            image = np.full((64, 96, 3), 40, np.uint8)
            left = int(value * 80)
            image[24:40, left : left + 16] = 255
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image)))
        container.mux(stream.encode())


def attempt(rng: np.random.Generator, reach: float) -> np.ndarray:
    """Return the progress of one attempt that slips back once; 40 frames."""
    curve = np.linspace(0, reach, 40)
    slip = rng.integers(10, 30)
    curve[slip : slip + 5] -= 0.1 * reach
    return curve.clip(0, 1)


rng = np.random.default_rng(0)
for policy, reach in {"pi0": 1.0, "act": 0.7}.items():
    folder = Path("runs", policy)
    folder.mkdir(parents=True)
    with (folder / "progress.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["episode", "task", "t", "progress"])
        for number in range(6):
            curve = attempt(rng, reach * rng.uniform(0.8, 1.0) if number % 2 else reach)
            write_clip(folder / f"clip-{number}.mp4", curve)
            for index, value in enumerate(curve):
                rows.writerow([f"clip-{number}", "slide-block", index / FPS, f"{value:.4f}"])
