"""What the embedded judge costs: a frame, and an audit against the bare decode of its clips.

    python speed/judge.py [--episodes 250]

A frame: resizing and the network, one thread, for pictures of the worlds and of a usual camera. An
audit: episodes of 640 x 480 at 30 fps and 8 s with a keyframe every 250 frames (H.264), judged at 5
moments a second. The reference decodes the same frames with the same reader and throws them away.
CPU time of all processes, workers included, the start of Python too.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from assay.episodes.sampling import grid
from assay.episodes.video import VideoFrames
from assay.jobs.audit import AuditSettings, audit
from assay.judges._pictures import shrink
from assay.judges.prm_mini._clips import SIZE
from assay.judges.prm_mini._judge import embedded
from assay.judges.prm_mini._running import BATCH, Graphs
from assay.judges.prm_mini._scenes import Scenes

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))
from frames import draw

from clips import write_clip

FRAME_MS = 1.5
AUDIT = 1.2
SECONDS, FPS, WIDE = 8, 30, (640, 480)


def frame_ms(height: int, width: int, count: int = 20 * BATCH) -> tuple[float, float]:
    """Return cpu-ms a frame: all of it, and resizing alone."""
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    graphs, scenes = Graphs.load(embedded()), Scenes.read(embedded())
    told = graphs.tell("Lift the red block.", {"front": shrink(picture, SIZE)}, None)
    spent = []
    for part in ("resize", "all"):
        begun = time.process_time()
        for _ in range(count // BATCH):
            batch = np.stack([shrink(picture, SIZE) for _ in range(BATCH)])
            if part == "all":
                graphs.see({"front": batch}, told)
                scenes.distance(batch)
        spent.append((time.process_time() - begun) / count * 1e3)
    return spent[1], spent[0]


def clips(folder: Path, count: int) -> Path:
    """Write one clip and link it to as many names as there are episodes."""
    folder.mkdir()
    first = folder / "clip-000.mp4"
    write_clip(first, codec="h264", frames=SECONDS * FPS, fps=FPS, gop=250, size=WIDE, draw=draw)
    for number in range(1, count):
        (folder / f"clip-{number:03d}.mp4").hardlink_to(first)
    return folder


def cpu_s() -> float:
    """Return the CPU time of this process and of all that have ended under it [s]."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def decoded(folder: Path) -> float:
    """Return the CPU time of reading the frames that an audit at 5 a second looks at [s]."""
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
    count = parser.parse_args().episodes
    for height, width in ((128, 128), (256, 256), (480, 640)):
        whole, resizing = frame_ms(height, width)
        print(
            f"{width} x {height}: {whole:.2f} cpu-ms a frame, of which resizing {resizing:.2f}"
            f" (limit {FRAME_MS})"
        )
    with tempfile.TemporaryDirectory() as folder:
        made = clips(Path(folder, "clips"), count)
        bare, full = decoded(made), audited(made, Path(folder, "audit"))
    print(
        f"audit of {count} episodes of {WIDE[0]} x {WIDE[1]}: {full:.1f} cpu-s,"
        f" {full / bare:.2f}x the decode of {bare:.1f} (limit {AUDIT}x)"
    )


if __name__ == "__main__":
    main()
