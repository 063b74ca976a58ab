"""What the embedded judge costs: a frame, and an audit against the bare decode of its clips.

    python speed/judge.py [--episodes 250] [--clip FILE]

A frame: making it small, the network, and telling whether it is novel, one thread. An audit:
episodes of 640 x 480 at 30 fps and 8 s with a keyframe every 250 frames (H.264 as x264 makes it
unless told otherwise), judged at 5 moments a second. The clip is an attempt of the worlds with a
camera's noise; `--clip` cuts it from a video of yours. The reference decodes all clips with PyAV
and makes the frames that are looked at RGB; a second one is our own reader, which leaves out what
no other picture refers to. CPU time of all processes, workers and the start of Python included.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np

from assay.episodes._decoding import converter, picture
from assay.episodes.sampling import grid
from assay.episodes.video import VideoFrames
from assay.jobs.audit import AuditSettings, audit
from assay.jobs.rollout import RolloutSettings, rollout
from assay.judges.prm_mini._clips import SIZE
from assay.judges.prm_mini._judge import embedded
from assay.judges.prm_mini._running import BATCH, Graphs
from assay.judges.prm_mini._scenes import Scenes

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from clips import write_clip

FRAME_MS = 1.5
AUDIT = 1.2
SECONDS, FPS, WIDE = 8, 30, (640, 480)
CAMERA = 2.0  # noise of a camera [grey levels]
Drawn = Callable[[int, tuple[int, int]], np.ndarray]


def attempt(folder: Path) -> Drawn:
    """Return the frames of an attempt of the worlds, with a camera's noise."""
    rollout(
        RolloutSettings(
            out=folder,
            task="stack-blocks",
            policies=["hesitant"],
            seeds=[0],
            fps=20,
            views=("front",),
            size=WIDE[0],
            jobs=1,
        )
    )
    frames = shown(next(folder.rglob("*.mp4")))
    noise = np.random.default_rng(0).normal(0.0, CAMERA, (8, *frames.shape[1:]))

    def draw(number: int, _size: tuple[int, int]) -> np.ndarray:
        noisy = frames[number % len(frames)] + noise[number % len(noise)]
        return np.clip(np.round(noisy), 0, 255).astype(np.uint8)

    return draw


def recorded(path: Path) -> Drawn:
    """Return the frames of a video file."""
    frames = shown(path)
    return lambda number, _size: frames[number % len(frames)]


def shown(path: Path) -> np.ndarray:
    """Return the first frames of a file, as wide as ours and cut to our height."""
    with av.open(str(path)) as container:
        found = zip(range(SECONDS * FPS), container.decode(video=0), strict=False)
        wide, high = WIDE
        images = [
            frame.reformat(
                wide, max(frame.height * wide // frame.width, high), "rgb24"
            ).to_ndarray()
            for _, frame in found
        ]
    top = (images[0].shape[0] - high) // 2
    return np.stack([image[top : top + high] for image in images])


def clips(folder: Path, count: int, draw: Drawn) -> Path:
    """Write one clip and link it to as many names as there are episodes."""
    folder.mkdir()
    first = folder / "clip-000.mp4"
    write_clip(
        first,
        frames=SECONDS * FPS,
        fps=FPS,
        gop=250,
        bframes=3,
        size=WIDE,
        draw=draw,
        options={"preset": "medium", "crf": "23"},
    )
    for number in range(1, count):
        (folder / f"clip-{number:03d}.mp4").hardlink_to(first)
    return folder


def frame_ms(size: tuple[int, int], count: int = 20 * BATCH) -> tuple[float, float]:
    """Return cpu-ms a frame: all of it, and making it small alone."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    frame = av.VideoFrame.from_ndarray(pixels, format="rgb24").reformat(format="yuv420p")
    graphs, scenes, convert = Graphs.load(embedded()), Scenes.read(embedded()), converter()
    start = {"front": picture(convert, frame, SIZE)}
    told = graphs.tell("Lift the red block.", start, start, None)
    spent = []
    for part in ("resize", "all"):
        begun = time.process_time()
        for _ in range(count // BATCH):
            batch = np.stack([picture(convert, frame, SIZE) for _ in range(BATCH)])
            if part == "all":
                graphs.see({"front": batch}, told)
                scenes.distance(batch)
        spent.append((time.process_time() - begun) / count * 1e3)
    return spent[1], spent[0]


def cpu_s() -> float:
    """Return the CPU time of this process and of all that have ended under it [s]."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def decoded(folder: Path) -> float:
    """Return the CPU time of decoding all clips with PyAV, every sixth frame made RGB [s]."""
    begun = cpu_s()
    for path in sorted(folder.iterdir()):
        with av.open(str(path)) as container:
            container.streams.video[0].codec_context.thread_count = 1
            for number, frame in enumerate(container.decode(video=0)):
                if number % (FPS // 5) == 0:
                    frame.to_ndarray(format="rgb24")
    return cpu_s() - begun


def sampled(folder: Path) -> float:
    """Return the CPU time of reading the same frames with our reader [s]."""
    begun = cpu_s()
    for path in sorted(folder.iterdir()):
        frames = VideoFrames(str(path))
        for _ in frames.at(grid(float(frames.clock()[-1]), 5.0)):
            pass
    return cpu_s() - begun


def audited(folder: Path, out: Path) -> float:
    """Return the CPU time of the audit [s]."""
    begun = cpu_s()
    audit([folder], AuditSettings(out=out, judge="prm-mini", fps=5.0, video="none"))
    return cpu_s() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=250)
    parser.add_argument("--clip", type=Path, help="a video to cut the clip from")
    asked = parser.parse_args()
    for size in ((128, 128), (256, 256), WIDE):
        whole, resizing = frame_ms(size)
        print(
            f"{size[0]} x {size[1]}: {whole:.2f} cpu-ms a frame, of which making it small"
            f" {resizing:.2f} (limit {FRAME_MS})"
        )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        draw = recorded(asked.clip) if asked.clip else attempt(folder / "attempt")
        of = clips(folder / "clips", asked.episodes, draw)
        bare, own, full = decoded(of), sampled(of), audited(of, folder / "audit")
    print(
        f"audit of {asked.episodes} episodes of {WIDE[0]} x {WIDE[1]}: {full:.1f} cpu-s,"
        f" {full / bare:.2f}x the decode of {bare:.1f} (limit {AUDIT}x),"
        f" {full / own:.2f}x our reader's {own:.1f}"
    )


if __name__ == "__main__":
    main()
