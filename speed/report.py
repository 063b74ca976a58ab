"""Time recorded curves to a finished report, and weigh the report of episodes with video.

python speed/report.py [--episodes 10000] [--videos 250]
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FPS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--videos", type=int, default=250)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        curves_to_report(root, options.episodes)
        weight_beside_videos(root, options.videos)


def curves_to_report(root: Path, episodes: int) -> None:
    """Print wall time, peak memory and size for recorded curves of 100..700 moments."""
    rng = np.random.default_rng(0)
    source = root / "curves.csv"
    with source.open("w") as file:
        file.write("episode,task,policy,t,progress,success\n")
        for i in range(episodes):
            moments = int(rng.integers(100, 701))
            values = np.clip(np.cumsum(rng.normal(0.003, 0.01, moments)), 0, 1)
            who = f"e{i:05d},task-{i % 7},policy-{i // 7 % 5}"
            done = int(values[-1] >= 1)
            file.writelines(
                f"{who},{t / FPS:g},{v:.4f},{done}\n" for t, v in enumerate(values.tolist())
            )
    seconds, peak = audited([source], root / "run")
    size = folder_size(root / "run") / 1e6
    print(
        f"{episodes:,} curves ({source.stat().st_size / 1e6:.0f} MB of csv) to a finished report: "
        f"{seconds:.1f} s, peak {peak:.2f} GB (all processes: the largest one), {size:.0f} MB"
    )


def weight_beside_videos(root: Path, videos: int) -> None:
    """Print what the report of episodes with video weighs beside the videos."""
    import av

    folder = root / "videos"
    folder.mkdir()
    with av.open(str(folder / "e000.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=FPS)
        stream.width = stream.height = 64
        for i in range(30 * FPS):
            grey = np.full((64, 64, 3), i % 256, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(grey)))
        container.mux(stream.encode(None))
    for i in range(1, videos):
        (folder / f"e{i:03d}.mp4").hardlink_to(folder / "e000.mp4")
    rows = (f"e{i:03d},{t / FPS},{t / 300}" for i in range(videos) for t in range(300))
    (folder / "progress.csv").write_text("\n".join(["episode,t,progress", *rows]) + "\n")
    seconds, _ = audited([folder], root / "with-video")
    size = folder_size(root / "with-video") / 1e6
    print(f"{videos} episodes with video: report of {size:.1f} MB beside them, {seconds:.1f} s")


def audited(sources: list[Path], out: Path) -> tuple[float, float]:
    """Return wall seconds and the largest resident set [GB] of the audit and its workers."""
    command = [sys.executable, "-m", "assay", "audit", *map(str, sources), "--out", str(out)]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6


def folder_size(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())


if __name__ == "__main__":
    main()
