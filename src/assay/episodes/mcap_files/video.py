"""Video of one topic of an MCAP file: each message is one picture, most told by what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.episodes._decoding import converter, picture
from assay.episodes.faults import PARSING, worded
from assay.episodes.mcap_files.index import Place
from assay.episodes.mcap_files.messages import video_data
from assay.episodes.mcap_files.pictures import stored_messages
from assay.errors import EpisodeError
from assay.records import Image

if TYPE_CHECKING:
    from av import VideoFrame
    from av.video.codeccontext import VideoCodecContext

__all__ = ["TopicVideo"]

_MOST_PIXELS = 64_000_000  # of one picture; a forged header can ask for gigabytes


@dataclass(frozen=True, slots=True)
class TopicVideo:
    """The messages of a topic with H.264 video, at their places in the file."""

    file: str
    topic: str
    places: tuple[Place, ...]

    def key(self) -> str:
        """Return the file and the topic in one text."""
        return f"{self.file}[{self.topic}]"

    def read(self, numbers: Sequence[int]) -> Iterator[Image]:
        """Yield the wanted pictures; each stretch is decoded from its keyframe on."""
        import av

        reformat = converter()
        try:
            for number, frame in self._frames(numbers):
                if frame is None or frame.is_corrupt:
                    raise EpisodeError(f"{self.key()}, picture {number} can't be decoded.")
                yield picture(reformat, frame)
        except (av.FFmpegError, *PARSING) as error:
            raise EpisodeError(f"{self.key()} can't be read ({worded(error)}).") from error

    def _frames(self, numbers: Sequence[int]) -> Iterator[tuple[int, VideoFrame | None]]:
        keys = np.flatnonzero([place.key for place in self.places])
        context, ready = _decoder(), -1  # `ready` is the last picture that was decoded
        for number in numbers:
            nth = int(np.searchsorted(keys, number, side="right")) - 1
            if nth < 0:
                raise EpisodeError(f"{self.key()}: no keyframe comes before picture {number}.")
            first = max(int(keys[nth]), ready + 1)
            if first > ready + 1 or ready < 0:
                context = _decoder()
            frame = None
            for data in stored_messages(self.file, self.places[first : number + 1]):
                frame = _decoded(context, video_data(data))
            ready = number
            yield number, frame


def _decoder() -> VideoCodecContext:
    import av

    context = av.CodecContext.create("h264", "r")
    context.thread_count = 1  # a second thread would hold a picture back
    context.options = {"max_pixels": str(_MOST_PIXELS), "flags": "low_delay"}
    return context


def _decoded(context: VideoCodecContext, data: bytes) -> VideoFrame | None:
    """Return the picture of one message: there are none that wait for a later one."""
    import av

    frames = context.decode(av.Packet(data))
    return frames[-1] if frames else None
