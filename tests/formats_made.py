"""Datasets in the formats of others, each written by a library that is not ours."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from clips import numbered, write_clip
from mcap_made import HEADER, RULE, message_class

__all__ = [
    "Made",
    "bomb",
    "grey",
    "png_of",
    "write_eval_info",
    "write_foxglove",
    "write_gif",
    "write_roboarena",
    "write_ros2",
    "write_vla_eval",
    "write_zarr",
]

SCHEMA = """
CREATE TABLE eval_metadata (eval_id TEXT PRIMARY KEY, safe_name TEXT, metadata TEXT);
CREATE TABLE episode_results (
    sid TEXT, eid TEXT, eval_id TEXT, task_name TEXT, episode_id INTEGER, status TEXT,
    metrics TEXT, steps INTEGER, elapsed_sec REAL, context TEXT, jsonl_path TEXT,
    failure_reason TEXT, failure_detail TEXT, PRIMARY KEY (sid, eid));
CREATE TABLE step_rows (
    sid TEXT, eid TEXT, step_id INTEGER, fields TEXT, PRIMARY KEY (sid, eid, step_id));
"""


@dataclass(frozen=True)
class Made:
    """An episode to write: pictures of shape (T, H, W, 3), traces of T rows, samples a second."""

    frames: np.ndarray
    traces: dict = field(default_factory=dict)
    fps: float = 10.0

    @property
    def count(self):
        return len(self.frames)

    @classmethod
    def counting(cls, count, first=0, **traces):
        """Return an episode whose pictures carry their numbers."""
        frames = np.stack([numbered(first + n) for n in range(count)])
        action = np.arange(2.0 * count).reshape(count, 2) / 7 + first
        return cls(frames, {"action": action, **traces})


def write_zarr(path, episodes, *, zipped=False, chunk=2, compressors="auto", version=2, **more):
    """Write a replay buffer with the zarr library, as format 2 or 3."""
    import zarr

    store = zarr.storage.ZipStore(path, mode="w") if zipped else str(path)
    root = zarr.create_group(store, zarr_format=version)
    ends = np.cumsum([e.count for e in episodes])
    arrays = {"img": np.concatenate([e.frames for e in episodes])}
    for name in episodes[0].traces:
        arrays[name] = np.concatenate([e.traces[name] for e in episodes])
    for group, content in (("data", arrays), ("meta", {"episode_ends": ends})):
        made = root.create_group(group)
        for name, values in content.items():
            made.create_array(
                name,
                data=values,
                chunks=(chunk, *values.shape[1:]),
                compressors=compressors,
                **more,
            )
    if zipped:
        store.close()
    return Path(path)


def write_foxglove(path, episode, *, compression="zstd", start_ns=1_700_000_000_000_000_000):
    """Write an MCAP file with mcap and protobuf, as Foxglove's own libraries do."""
    from mcap.writer import CompressionType
    from mcap_protobuf.writer import Writer

    image = foxglove_image()
    with (
        Path(path).open("wb") as file,
        Writer(file, compression=CompressionType[compression.upper()], chunk_size=20_000) as writer,
    ):
        for number, picture in enumerate(episode.frames):
            stamp = start_ns + round(number / episode.fps * 1e9)
            message = image(frame_id="front", data=png_of(picture), format="png")
            message.timestamp.seconds, message.timestamp.nanos = divmod(stamp, 10**9)
            writer.write_message("/camera/front/compressed", message, stamp, stamp)
    return Path(path)


def foxglove_image():
    """Return the class of foxglove.CompressedImage."""
    fields = {"timestamp": (1, "MESSAGE"), "frame_id": (4, "STRING"), "data": (2, "BYTES")}
    return message_class("CompressedImage", {**fields, "format": (3, "STRING")})


IMAGE = f"std_msgs/Header header\nstring format\nuint8[] data\n{RULE}{HEADER}"
JOINTS = (
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
    f"float64[] effort\n{RULE}{HEADER}"
)


def write_ros2(path, episode, *, compression="lz4", topics=("/joint_states",)):
    """Write an MCAP file with mcap_ros2: pictures, and `qpos` and `qvel` as joint states."""
    from mcap.writer import CompressionType
    from mcap_ros2.writer import Writer

    with Path(path).open("wb") as file:
        packed = CompressionType[compression.upper()]
        writer = Writer(file, chunk_size=20_000, compression=packed)
        image = writer.register_msgdef("sensor_msgs/msg/CompressedImage", IMAGE)
        joints = writer.register_msgdef("sensor_msgs/msg/JointState", JOINTS)
        for number, picture in enumerate(episode.frames):
            stamp = 5_000_000_000 + round(number / episode.fps * 1e9)
            header = {
                "stamp": {"sec": stamp // 10**9, "nanosec": stamp % 10**9}, "frame_id": "front",
            }  # fmt: skip
            content = {"header": header, "format": "png", "data": png_of(picture)}
            writer.write_message("/front/image/compressed", image, content, stamp, stamp)
            state = {
                "header": header,
                "name": [f"joint{n}" for n in range(len(episode.traces["qpos"][0]))],
                "position": episode.traces["qpos"][number].tolist(),
                "velocity": episode.traces["qvel"][number].tolist(),
                "effort": [],
            }
            for topic in topics:
                writer.write_message(topic, joints, state, stamp, stamp)
        writer.finish()
    return Path(path)


def write_vla_eval(folder, episodes, *, status="success", videos=True):
    """Write a recording of vla-eval with sqlite3, in the schema of its recording.py."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "recording-ev1.sqlite"
    about = {"benchmark": "libero", "server_info": {"model_server": "Pi0Server"}}
    with closing(sqlite3.connect(path)) as base:
        base.executescript(SCHEMA)
        base.execute("INSERT INTO eval_metadata VALUES ('ev1', 'libero', ?)", (json.dumps(about),))
        for number, episode in enumerate(episodes):
            jsonl = f"libero/task0000_ep{number:04d}_{status}.jsonl"
            row = ("s0", f"ep{number}", "ev1", "pick up the bowl", number, status, "{}", 3, 0.1)
            base.execute(
                "INSERT INTO episode_results VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (*row, "{}", jsonl, "server_unreachable" if status == "error" else None, None),
            )
            for step in range(episode.count):
                fields = {k: np.asarray(v[step]).tolist() for k, v in episode.traces.items()}
                base.execute(
                    "INSERT INTO step_rows VALUES ('s0', ?, ?, ?)",
                    (f"ep{number}", step, json.dumps(fields)),
                )
            if videos:
                _video(folder / jsonl.replace(".jsonl", ".mp4"), episode)
        base.commit()
    return path


def write_eval_info(folder, episodes, *, successes=None, kept=None):
    """Write what lerobot-eval leaves: eval_info.json, and videos of the first `kept` episodes."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, episode in enumerate(episodes[:kept]):
        inner = f"videos/libero_goal_3/eval_episode_{number}.mp4"
        _video(folder / inner, episode)
        paths.append(f"outputs/eval/2026-01-01/{inner}")
    flags = [True] * len(episodes) if successes is None else successes
    metrics = {"sum_rewards": [1.0] * len(flags), "successes": flags, "video_paths": paths}
    content = {"per_task": [{"task_group": "libero_goal", "task_id": 3, "metrics": metrics}]}
    (folder / "eval_info.json").write_text(json.dumps({**content, "overall": {}}))
    return folder


def write_roboarena(folder, episode, *, pickled=False):
    """Write a session of RoboArena: two policies, with numpy's own npz."""
    folder = Path(folder)
    about = ["language_instruction: Put the cup on the plate", "policies:"]
    for letter, name, success in (("A", "pi0", 1), ("B", "paligemma", 0)):
        inner = folder / f"{letter}_{name}"
        inner.mkdir(parents=True)
        about += [f"  {letter}:", f"    policy_name: {name}", f"    binary_success: {success}"]
        for view in ("left", "wrist"):
            _video(inner / f"{name}_2025_video_{view}.mp4", episode)
        file = inner / f"{name}_2025_npz_file.npz"
        if pickled:
            steps = [{k: v[n] for k, v in episode.traces.items()} for n in range(episode.count)]
            np.savez(file, data=np.array(steps, dtype=object))
        else:
            np.savez_compressed(file, **episode.traces)
    (folder / "metadata.yaml").write_text("\n".join(about) + "\n")
    return folder


def write_gif(path, episode):
    """Write an animated GIF with pillow; its palette holds greys, so nothing is lost."""
    pictures = [Image.fromarray(picture).convert("L") for picture in episode.frames]
    rest = {"append_images": pictures[1:], "duration": round(1000 / episode.fps), "loop": 0}
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    pictures[0].save(path, save_all=True, **rest)
    return Path(path)


def grey(frames):
    """Return the pictures as `write_gif` stores them."""
    return np.stack([Image.fromarray(f).convert("L").convert("RGB") for f in frames])


def png_of(picture):
    """Return a picture as the bytes of a PNG file."""
    coded = io.BytesIO()
    Image.fromarray(picture).save(coded, "png")
    return coded.getvalue()


def bomb(path, name, size):
    """Write a zip file with one member of `size` zeros, packed a thousand times smaller."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(size))
    return Path(path)


def _video(path, episode):
    """Write the pictures of an episode as an mp4 file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_clip(
        path,
        frames=episode.count,
        fps=int(episode.fps),
        draw=lambda number, _size: episode.frames[number],
        size=episode.frames.shape[2:0:-1],
    )
