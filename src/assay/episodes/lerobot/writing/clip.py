"""One view of one episode in an mp4 file of its own, encoded while the episode happens."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from assay.episodes.lerobot.layout import VIDEO_PATH
from assay.episodes.lerobot.writing.features import view_key
from assay.episodes.lerobot.writing.mp4 import CODECS, Encoder, pixels_for
from assay.episodes.lerobot.writing.places import Limits, Places
from assay.episodes.lerobot.writing.stats import PictureStats, Stats
from assay.records import Image

__all__ = ["KEPT", "LIVE", "Clip", "ClipWriter", "clip_path"]

# Pictures are encoded while the simulator waits for no one: the quickest preset takes half the time
# of the next best for a picture of the same quality. A keyframe a second makes up for its size, and
# is near enough to reach any frame. One thread: episodes run side by side.
LIVE = ("libx264", {"crf": "18", "g": "10", "bf": "0", "preset": "ultrafast", "threads": "1"})
# A conversion has time: LeRobot's own settings, smaller by a third, and any frame cheap to reach.
KEPT = (CODECS["h264"][0], {**CODECS["h264"][1], "threads": "1"})
_LOOKED_AT = 12  # pictures of an episode that its statistics are made of


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """One view of one episode, in its place already.

    Attributes:
        file: The file's number.
        length: How many frames it has.
        size: Height and width.
        stats: The statistics of its pictures.
    """

    file: int
    length: int
    size: tuple[int, int]
    stats: Stats

    @property
    def pixels(self) -> str:
        """Return the pixel format."""
        return pixels_for(self.size)


def clip_path(root: Path, view: str, number: int) -> Path:
    """Return where the dataset at `root` has the file `number` of a view."""
    places = Places(root, Limits().chunk_files)
    return places.path_of(VIDEO_PATH, video_key=view_key(view))(number)


class ClipWriter:
    """Write one view of one episode frame by frame; the file appears whole or not at all.

    Args:
        root: The dataset's folder.
        view: The view's name.
        number: The file's number.
        fps: Frames a second.
        most: The greatest number of frames that may come.
        codec: FFmpeg's name of the encoder, and its options.
    """

    def __init__(
        self,
        root: Path,
        view: str,
        number: int,
        fps: float | Fraction,
        most: int,
        codec: tuple[str, dict[str, str]] = LIVE,
    ) -> None:
        self._path = clip_path(root, view, number)
        self._partial = self._path.with_name(f".{self._path.name}.partial")
        self._number, self._codec = number, codec
        self._rate = Fraction(fps).limit_denominator(10_000)
        self._stats = PictureStats(most, _LOOKED_AT)
        self._encoder: Encoder | None = None
        self._size = (0, 0)
        self._placed = False

    def add(self, picture: Image) -> None:
        """Encode one more frame, uint8 RGB of shape (H, W, 3)."""
        if self._encoder is None:
            self._size = (int(picture.shape[0]), int(picture.shape[1]))
            self._encoder = Encoder(self._partial, self._rate, self._codec, self._size)
        self._stats.see(self._encoder.frames, picture)
        self._encoder.add(picture, first=self._encoder.frames == 0)

    def close(self) -> Clip:
        """Put the file in its place and say what it holds; at least one frame has come."""
        assert self._encoder is not None  # noqa: S101 - every episode has a first frame
        self._encoder.close()
        self._partial.replace(self._path)
        self._placed = True
        return Clip(self._number, self._encoder.frames, self._size, self._stats.result())

    def discard(self) -> None:
        """Leave nothing half done behind: a clip that is in its place stays."""
        if self._encoder is not None and not self._placed:
            with suppress(OSError):  # a full disk may be why it is not wanted any more
                self._encoder.close()
        self._partial.unlink(missing_ok=True)

    def withdraw(self) -> None:
        """Leave nothing behind at all, even when the clip is in its place."""
        self.discard()
        self._path.unlink(missing_ok=True)
