"""MCAP files with raw pictures and with video, written by mcap, protobuf and mcap_ros2."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

__all__ = [
    "HEADER",
    "RULE",
    "message_class",
    "write_foxglove_raw",
    "write_foxglove_video",
    "write_ros2_raw",
]

START_NS = 1_700_000_000_000_000_000
RAW = {
    "timestamp": (1, "MESSAGE"),
    "frame_id": (7, "STRING"),
    "width": (2, "FIXED32"),
    "height": (3, "FIXED32"),
    "encoding": (4, "STRING"),
    "step": (5, "FIXED32"),
    "data": (6, "BYTES"),
}
VIDEO = {
    "timestamp": (1, "MESSAGE"),
    "frame_id": (2, "STRING"),
    "data": (3, "BYTES"),
    "format": (4, "STRING"),
}
HEADER = """
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
RULE = "=" * 80
ROS_IMAGE = (
    "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\n"
    "uint32 step\nuint8[] data\n"
)
PIXELS = {
    "rgb8": lambda picture: picture,
    "bgr8": lambda picture: picture[:, :, ::-1],
    "mono8": lambda picture: picture[:, :, :1],
    "16UC1": lambda picture: picture[:, :, :2],  # two bytes a pixel, such as depth
}


def message_class(name, fields):
    """Return the class of the Foxglove message `name`, from its published fields."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

    file = descriptor_pb2.FileDescriptorProto(
        name=f"foxglove/{name}.proto", package="foxglove", syntax="proto3"
    )
    file.dependency.append("google/protobuf/timestamp.proto")
    message = file.message_type.add(name=name)
    kinds = descriptor_pb2.FieldDescriptorProto
    for field, (number, kind) in fields.items():
        made = message.field.add(
            name=field,
            number=number,
            type=getattr(kinds, f"TYPE_{kind}"),
            label=kinds.LABEL_OPTIONAL,
        )
        if kind == "MESSAGE":
            made.type_name = ".google.protobuf.Timestamp"
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"foxglove.{name}"))


def write_foxglove_raw(path, episode, *, encoding="rgb8", padding=0):
    """Write an MCAP file with foxglove.RawImage; rows are padded by so many bytes."""
    kind = message_class("RawImage", RAW)
    return _write(path, episode, "/camera/raw", [
        kind(frame_id="front", encoding=encoding, **_raw(picture, encoding, padding))
        for picture in episode.frames
    ])  # fmt: skip


def write_foxglove_video(path, episode, *, form="h264", first=0, gop=4):
    """Write an MCAP file with foxglove.CompressedVideo, from picture `first` on."""
    kind = message_class("CompressedVideo", VIDEO)
    messages = [kind(frame_id="front", data=d, format=form) for d in _coded(episode, gop)]
    return _write(path, episode, "/camera/video", messages[first:])


def write_ros2_raw(path, episode, *, encoding="bgr8", padding=0):
    """Write an MCAP file with sensor_msgs/msg/Image."""
    from mcap_ros2.writer import Writer

    with Path(path).open("wb") as file:
        writer = Writer(file, chunk_size=20_000)
        image = writer.register_msgdef("sensor_msgs/msg/Image", f"{ROS_IMAGE}{RULE}{HEADER}")
        for number, picture in enumerate(episode.frames):
            stamp = START_NS + round(number / episode.fps * 1e9)
            at = {"sec": stamp // 10**9, "nanosec": stamp % 10**9}
            content = {
                "header": {"stamp": at, "frame_id": "front"},
                "encoding": encoding,
                "is_bigendian": 0,
                **_raw(picture, encoding, padding),
            }
            writer.write_message("/front/image_raw", image, content, stamp, stamp)
        writer.finish()
    return Path(path)


def _raw(picture, encoding, padding):
    """Return the sizes and the bytes of a picture in an encoding."""
    pixels = PIXELS[encoding](picture)
    rows = np.ascontiguousarray(pixels).reshape(len(pixels), -1)
    padded = np.pad(rows, ((0, 0), (0, padding)), constant_values=7)
    height, width = picture.shape[:2]
    return {"width": width, "height": height, "step": padded.shape[1], "data": padded.tobytes()}


def _coded(episode, gop):
    """Yield each picture in H.264, as cameras send it: none waits for a later one."""
    import av

    height, width = episode.frames[0].shape[:2]
    coder = av.CodecContext.create("libx264", "w")
    coder.width, coder.height, coder.pix_fmt = width, height, "yuv420p"
    coder.time_base = Fraction(1, int(episode.fps))
    coder.options = {"tune": "zerolatency", "preset": "ultrafast", "crf": "18", "g": str(gop)}
    for number, picture in enumerate(episode.frames):
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), "rgb24")
        frame.pts = number
        yield b"".join(bytes(packet) for packet in coder.encode(frame))


def _write(path, episode, topic, messages):
    from mcap_protobuf.writer import Writer

    with Path(path).open("wb") as file, Writer(file, chunk_size=20_000) as writer:
        for number, message in enumerate(messages):
            stamp = START_NS + round(number / episode.fps * 1e9)
            message.timestamp.seconds, message.timestamp.nanos = divmod(stamp, 10**9)
            writer.write_message(topic, message, stamp, stamp)
    return Path(path)
