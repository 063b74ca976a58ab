"""MCAP files for Foxglove."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from assay.episodes.mcap_files.reader import EPISODE
from assay.episodes.mcap_files.schemas import (
    PICTURE,
    VALUE,
    VALUE_SCHEMA,
    picture_message,
    picture_schema,
)
from assay.episodes.recorded.fields import FIELDS
from assay.episodes.writers._files import OneFileEach, episode_file, placed
from assay.errors import MissingExtraError
from assay.records import Episode, Series, View

if TYPE_CHECKING:
    from mcap.writer import Writer as Mcap

__all__ = ["McapFiles"]

_Message: TypeAlias = tuple[int, int, bytes, int]
"""Time [ns], channel, data, and how many pictures that is."""


@dataclass(frozen=True)
class McapFiles(OneFileEach):
    """Write one MCAP file an episode, which Foxglove opens: JPEG pictures, and signals as JSON.

    Attributes:
        quality: Of the pictures: FFmpeg's quantiser, 1 (best) to 31.
    """

    writes: ClassVar[str] = "one .mcap file an episode, which Foxglove opens"
    quality: int = 2

    def begun(self, first: Episode) -> Self:  # noqa: ARG002 - nothing depends on it
        """Refuse to begin without the package."""
        from assay.episodes.jpeg import JpegCoder

        JpegCoder(self.quality)
        try:
            import mcap.writer  # noqa: F401 - only whether it is there
        except ImportError as error:
            raise MissingExtraError("The writer of MCAP files", "mcap", "mcap") from error
        return self

    def write(self, episode: Episode, root: Path, number: int) -> dict[str, Any]:
        """Write the file; messages of all topics are in the order of their times."""
        from mcap.writer import Writer

        count = 0
        path = episode_file(root, number, episode, ".mcap")
        with placed(path) as partial, partial.open("wb") as file:
            writer = Writer(file)
            writer.start(profile="", library="assay")
            streams = [self._pictures(writer, *item) for item in sorted(episode.views.items())]
            streams += [_values(writer, *item) for item in sorted(episode.signals.items())]
            for stamp, channel, message, picture in heapq.merge(*streams, key=lambda m: m[:2]):
                writer.add_message(channel, stamp, message, stamp)
                count += picture
            writer.add_metadata(EPISODE, _note(episode))
            writer.finish()  # type: ignore[no-untyped-call]  # mcap's own
        return {"frames": count}

    def _pictures(self, writer: Mcap, name: str, view: View) -> Iterator[_Message]:
        from assay.episodes.jpeg import JpegCoder

        schema = writer.register_schema(PICTURE, "protobuf", picture_schema())
        channel = writer.register_channel(f"/views/{name}", "protobuf", schema)
        coder = JpegCoder(self.quality)
        clock = view.frames.clock()
        for time, picture in zip(clock.tolist(), view.frames.at(clock), strict=True):
            stamp = round(time * 1e9)
            yield stamp, channel, picture_message(stamp, name, coder.code(picture)), 1


def _values(writer: Mcap, name: str, series: Series) -> Iterator[_Message]:
    schema = writer.register_schema(VALUE, "jsonschema", VALUE_SCHEMA)
    channel = writer.register_channel(f"/signals/{name}", "json", schema)
    for time, value in zip(series.times.tolist(), series.values, strict=True):
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            continue  # JSON has no NaN: an unknown value is left out, not made up
        message = json.dumps({"value": value.tolist()}).encode()
        yield round(time * 1e9), channel, message, 0


def _note(episode: Episode) -> dict[str, str]:
    """Return the fields of an episode as texts, for our reader and for people."""
    found = {"id": episode.id, **{name: getattr(episode, name) for name in FIELDS}}
    found["outcome"] = episode.outcome
    note = {name: str(value) for name, value in found.items() if value not in (None, "")}
    if episode.segments:
        note["segments"] = json.dumps(
            [
                {"name": s.name, "start_s": s.start_s, "end_s": s.end_s, "kind": s.kind}
                for s in episode.segments
            ]
        )
    return note
