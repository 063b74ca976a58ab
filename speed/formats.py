"""Measure reading an RLDS dataset, and converting one to LeRobot: CPU time and memory.

    python speed/formats.py [--rlds DIR] [--episodes 1000]

Reading: the dataset DIR, or one made here of the same size as 25 episodes of Bridge (10 steps, four
views of 64 px). Converting: 12 episodes of 60 frames of 256 px, JPEG to H.264, against the bare
decode and encode of the same frames with the same settings and nothing else: no checksums, no
traces, no statistics, no journal. The two take turns; the limit is 0.8 times the bare throughput,
all threads counted. Memory: 100 and 1,000 small episodes, each in a process of its own.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PIL import Image

from assay.episodes import catalogue
from assay.episodes._decoding import converter, picture
from assay.episodes.lerobot.writing.clip import KEPT
from assay.episodes.lerobot.writing.mp4 import Encoder
from assay.jobs.convert import ConvertSettings, convert

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parent))
from frames import draw

from rlds_made import write_rlds

FPS = 5  # Bridge's
LAYOUT = {
    "steps/action": ("float32", 7),
    "steps/is_first": ("bool",),
    "steps/language_instruction": "text",
    "steps/observation/state": ("float32", 7),
}


def jpeg(number: int, side: int) -> bytes:
    coded = io.BytesIO()
    Image.fromarray(draw(number, (side, side))).save(coded, "jpeg", quality=95)
    return coded.getvalue()


def dataset(folder: Path, episodes: int, steps: int, side: int, views: int) -> Path:
    """Write an RLDS dataset in the layout of Bridge."""
    pictures = [jpeg(number, side) for number in range(steps)]
    names = [f"steps/observation/image_{view}" for view in range(views)]
    layout = LAYOUT | dict.fromkeys(names, "uint8")
    one = {
        "steps/action": np.zeros((steps, 7), np.float32),
        "steps/is_first": np.arange(steps) == 0,
        "steps/language_instruction": [b"put the cup away"] * steps,
        "steps/observation/state": np.zeros((steps, 7), np.float32),
        **dict.fromkeys(names, pictures),
    }
    return write_rlds(folder, layout, [one] * episodes, name="bridge")


def read(folder: Path) -> None:
    times = []
    for _ in range(5):
        began = time.process_time()
        count = len(list(catalogue.read(folder)))
        times.append(time.process_time() - began)
    each = 25 * statistics.median(times) / count
    print(f"reading {count} episodes of RLDS: {statistics.median(times):.3f} cpu-s", end="")
    print(f", {each:.3f} cpu-s for 25 (limit 1 s)")


def bare(episodes: list, out: Path) -> None:
    """Decode and encode the same pictures, and do nothing else."""
    for number, blobs in enumerate(episodes):
        context = av.CodecContext.create("mjpeg", "r")
        context.thread_count = 1
        convert_one = converter()
        encoder = None
        for blob in blobs:
            packet = av.Packet(blob)
            packet.is_keyframe = True
            image = picture(convert_one, context.decode(packet)[0])
            encoder = encoder or Encoder(
                out / f"{number}.mp4", Fraction(FPS), KEPT, image.shape[:2]
            )
            encoder.add(image, first=encoder.frames == 0)
        encoder.close()


def throughput(folder: Path) -> None:
    source = dataset(folder / "large", 12, 60, 256, 1)
    blobs = []
    for episode in catalogue.read(source):
        pictures = episode.views["image_0"].frames.pictures
        blobs.append(list(pictures.read(range(60))))
    ratios = []
    for turn in range(5):
        began = time.process_time()
        bare(blobs, folder / f"bare{turn}")
        middle = time.process_time()
        convert([str(source)], ConvertSettings(out=folder / f"out{turn}", to="lerobot", jobs=1))
        ratios.append((middle - began) / (time.process_time() - middle))
    frames = sum(map(len, blobs))
    middle = statistics.median(ratios)
    print(f"converting {frames} frames of 256 px, against bare decode + encode:", end=" ")
    print(f"{middle:.2f}x the throughput, {min(ratios):.2f} to {max(ratios):.2f} (limit 0.8x)")


def memory(folder: Path, most: int) -> None:
    """Convert few and many episodes, each in a process of its own, and print their peaks."""
    peaks = {}
    for count in (most // 10, most):
        source = dataset(folder / f"{count}", count, 6, 48, 1)
        words = [sys.executable, __file__, "--convert", source, folder / f"c{count}"]
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=True)
        peaks[count] = json.loads(done.stdout.splitlines()[-1])
    print("peak memory of a conversion:", end=" ")
    print("; ".join(f"{count} episodes {peak / 1024:.0f} MB" for count, peak in peaks.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rlds", type=Path)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--convert", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.convert:
        source, out = options.convert
        convert([source], ConvertSettings(out=Path(out), to="lerobot", jobs=1))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        read(options.rlds or dataset(folder / "bridge", 25, 10, 64, 4))
        throughput(folder)
        memory(folder, options.episodes)


if __name__ == "__main__":
    main()
