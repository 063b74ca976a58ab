"""Measure the CPU time of reading frames by time, and the memory it takes.

    python speed/frames.py --clips FOLDER

200 clips of 320 x 240 at 30 fps, 6 to 18 s long: 8 distinct files (H.264 and AV1, a keyframe every
2 or every 250 frames, two lengths), each linked to 25 names. They are made once and kept in FOLDER.

The reference is the bare decode: PyAV, one thread, one colour converter, frame numbers and
keyframes known beforehand; it seeks to the last keyframe before a wanted frame, decodes forward and
converts wanted frames only. The limit is 1.2 times its CPU time, all threads counted. The methods
take turns on every clip. The two usual alternatives are run on one clip of each kind.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import av
import numpy as np
from av.video.reformatter import VideoReformatter

from assay.episodes import video
from assay.episodes.sampling import grid, uniform
from assay.episodes.video import VideoFrames

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from clips import write_clip

CLIPS = 200
FPS = 30
SIZE = (320, 240)
LIMIT = 1.2
ENCODERS = {"h264": {"preset": "medium"}, "av1": {"preset": "10"}}
SAMPLINGS: dict[str, Callable[[float], np.ndarray]] = {
    "16 uniform": lambda duration: uniform(duration, 16),
    "4 fps, at most 32": lambda duration: grid(duration, 4.0, cap=32),
}


@cache
def backdrop(size: tuple[int, int]) -> np.ndarray:
    """Return a still scene of soft shapes and a little grain, uint8 RGB."""
    rng = np.random.default_rng(0)
    coarse = rng.integers(40, 216, (size[1] // 20 + 1, size[0] // 20 + 1, 3))
    scene = coarse.repeat(20, 0).repeat(20, 1)[: size[1], : size[0]]
    return np.clip(scene + rng.normal(0, 4, scene.shape), 0, 255).astype(np.uint8)


def draw(number: int, size: tuple[int, int]) -> np.ndarray:
    """Return a table top with two things that move over it, as a robot's camera sees it."""
    image = backdrop(size).copy()
    for phase, side in ((0.0, 48), (2.0, 32)):
        x = int((np.sin(number / 40 + phase) + 1) / 2 * (size[0] - side))
        y = int((np.cos(number / 31 + phase) + 1) / 2 * (size[1] - side))
        image[y : y + side, x : x + side] = 255 - image[y : y + side, x : x + side]
    return image


def make_clips(folder: Path) -> list[Path]:
    """Write what is not there yet; return the paths of all clips, kinds in turn."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds = []
    for codec, options in ENCODERS.items():
        for gop, seconds in ((250, 6), (2, 9), (250, 18), (2, 13)):
            path = folder / f"{codec}-g{gop}-{seconds}s.mp4"
            bframes = 3 if codec == "h264" and gop > 2 else 0
            _once(path, codec, seconds * FPS, gop, bframes=bframes, options=options)
            kinds.append(path)
    clips = []
    for number in range(CLIPS):
        source = kinds[number % len(kinds)]
        link = folder / f"clip-{number:03d}-{source.name}"
        if not link.exists():
            link.hardlink_to(source)
        clips.append(link)
    return clips


def _once(path: Path, codec: str, frames: int, gop: int, **more) -> Path:
    if not path.exists():
        part = path.with_name(f"part-{path.name}")
        write_clip(part, codec=codec, frames=frames, fps=FPS, gop=gop, size=SIZE, draw=draw, **more)
        part.rename(path)
    return path


@cache
def packets(path: Path) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Return the sorted display times and, for each keyframe, display and decode time [ticks]."""
    with av.open(str(path)) as container:
        rows = [(p.pts, p.dts, p.is_keyframe) for p in container.demux(video=0) if p.size]
    return np.sort([r[0] for r in rows]), sorted((r[0], r[1]) for r in rows if r[2])


def plan(path: Path, times: np.ndarray) -> list[tuple[int, list[int]]]:
    """Return what must be decoded: where to seek, and the frames wanted before the next seek."""
    pts, keys = packets(path)
    clock = (pts - pts[0]) / 15360
    wanted = sorted({int(pts[np.searchsorted(clock, t + 1e-3, side="right") - 1]) for t in times})
    stretches: list[tuple[int, list[int]]] = []
    for target in wanted:
        key_pts, key_dts = max(key for key in keys if key[0] <= target)
        if stretches and key_pts <= stretches[-1][1][-1]:
            stretches[-1][1].append(target)
        else:
            stretches.append((key_dts, [target]))
    return stretches


def ours(path: Path, times: np.ndarray) -> int:
    return sum(1 for _ in VideoFrames(str(path)).at(times))


def clock_then_ours(path: Path, times: np.ndarray) -> int:
    frames = VideoFrames(str(path))
    frames.clock()
    return sum(1 for _ in frames.at(times))


def bare(path: Path, times: np.ndarray) -> int:
    convert = VideoReformatter()
    return _bare(path, times, lambda f: convert.reformat(f, format="rgb24", threads=1), threads=1)


def bare_as_it_comes(path: Path, times: np.ndarray) -> int:
    return _bare(path, times, lambda f: f.reformat(format="rgb24"), threads=0)


def _bare(path: Path, times: np.ndarray, convert: Callable, threads: int) -> int:
    count = 0
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = threads
        for seek, targets in PLANS[path, len(times)]:
            container.seek(seek, stream=stream)
            left = set(targets)
            for frame in container.decode(stream):
                if frame.pts in left:
                    convert(frame).to_ndarray()
                    count += 1
                    left.discard(frame.pts)
                    if not left:
                        break
    return count


def everything(path: Path, times: np.ndarray) -> int:
    with av.open(str(path)) as container:
        frames = [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]
    pts, _ = packets(path)
    found = np.searchsorted((pts - pts[0]) / 15360, times + 1e-3, side="right") - 1
    return len([frames[i] for i in np.unique(found)])


def seek_each(path: Path, times: np.ndarray) -> int:
    count = 0
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        for seek, targets in PLANS[path, len(times)]:
            for target in targets:
                container.seek(seek, stream=stream)
                for frame in container.decode(stream):
                    if frame.pts == target:
                        frame.to_ndarray(format="rgb24")
                        count += 1
                        break
    return count


PLANS: dict[tuple[Path, int], list[tuple[int, list[int]]]] = {}
METHODS = {
    "assay": ours,
    "assay, asked for its clock first": clock_then_ours,
    "bare decode": bare,
    "bare decode, PyAV's defaults": bare_as_it_comes,
}
ALTERNATIVES = {"decode all into memory": everything, "seek for every frame": seek_each}


def cpu_times(methods: dict[str, Callable], clips: list[Path], times: dict) -> dict[str, list]:
    """Return the CPU seconds of each method on each clip; the methods take turns."""
    spent: dict[str, list[float]] = {name: [] for name in methods}
    for clip in clips:
        counts = set()
        for name, method in methods.items():
            video._place.cache_clear()  # noqa: SLF001  # no method knows the file beforehand
            start = time.process_time()
            counts.add(method(clip, times[clip]))
            spent[name].append(time.process_time() - start)
        if len(counts) != 1:
            raise SystemExit(f"{clip}: the methods gave {counts} frames")
    return spent


def measure(clips: list[Path], sampling: Callable[[float], np.ndarray]) -> None:
    times = {clip: sampling(float(VideoFrames(str(clip)).clock()[-1])) for clip in clips}
    PLANS.update({(clip, len(times[clip])): plan(clip, times[clip]) for clip in clips})
    spent = cpu_times(METHODS, clips, times)
    few = clips[:8]  # one of each kind
    spent |= cpu_times(ALTERNATIVES, few, times)
    print(f"{'CPU ms a clip':34}{'all':>8}{'x bare':>8}", end="")
    kinds = ("h264-g250", "h264-g2-", "av1-g250", "av1-g2-")
    print("".join(f"{kind.rstrip('-'):>12}{'x bare':>8}" for kind in kinds))
    for name, seconds in spent.items():
        print(f"{name:34}", end="")
        for kind in ("", *kinds):
            chosen = [s for s, clip in zip(seconds, clips, strict=False) if kind in clip.name]
            reference = spent["bare decode"][: len(seconds)]
            base = [s for s, clip in zip(reference, clips, strict=False) if kind in clip.name]
            width = 12 if kind else 8
            print(f"{np.mean(chosen) * 1e3:{width}.1f}{sum(chosen) / sum(base):8.2f}", end="")
        print()


def peak_memory(clip: Path) -> float:
    """Return the peak resident memory of a fresh process that samples `clip` [MB]."""
    command = [sys.executable, __file__, "--sample", str(clip)]
    return int(subprocess.run(command, capture_output=True, check=True).stdout) / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clips", type=Path, help="where clips are kept (default: nowhere)")
    parser.add_argument("--sample", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.sample:
        ours(given.sample, grid(float(VideoFrames(str(given.sample)).clock()[-1]), 4.0, cap=32))
        # Not `ru_maxrss`, which counts the process that this one was made from too.
        print(*re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text()))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.clips or Path(temporary)
        clips = make_clips(folder)
        for name, sampling in SAMPLINGS.items():
            print(f"\n{name}, {len(clips)} clips (limit {LIMIT} x bare decode)")
            measure(clips, sampling)
        print("\npeak memory of one process, 4 fps, at most 32")
        for codec, options in ENCODERS.items():
            for seconds in (10, 300):
                path = folder / f"{codec}-{seconds}s.mp4"
                _once(path, codec, seconds * FPS, gop=250, options=options)
                print(f"{codec}, {seconds:3d} s clip: {peak_memory(path):6.1f} MB")


if __name__ == "__main__":
    main()
