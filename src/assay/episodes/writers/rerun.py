"""Recordings for rerun's viewer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from assay.episodes.writers._files import OneFileEach, episode_file, placed
from assay.errors import MissingExtraError
from assay.records import Episode, Series

__all__ = ["RerunFiles"]

_CLOCK = "time"


@dataclass(frozen=True)
class RerunFiles(OneFileEach):
    """Write one .rrd file an episode for rerun's viewer: JPEG pictures, signals, subtasks.

    Attributes:
        quality: Of the pictures: FFmpeg's quantiser, 1 (best) to 31.
    """

    writes: ClassVar[str] = "one .rrd file an episode, which rerun's viewer opens"
    quality: int = 2

    def begun(self, first: Episode) -> Self:  # noqa: ARG002 - nothing depends on it
        """Refuse to begin without the package."""
        from assay.episodes.jpeg import JpegCoder

        JpegCoder(self.quality)
        try:
            import rerun  # noqa: F401 - only whether it is there
        except ImportError as error:
            raise MissingExtraError("The writer of .rrd files", "rerun-sdk", "rerun") from error
        return self

    def write(self, episode: Episode, root: Path, number: int) -> dict[str, Any]:
        """Write the file: views and signals each on their own times, in seconds."""
        import rerun

        from assay.episodes.jpeg import JpegCoder

        count = 0
        with placed(episode_file(root, number, episode, ".rrd")) as partial:
            recording = rerun.RecordingStream("assay", recording_id=f"{number}-{episode.id}")
            recording.save(str(partial))
            about = f"{episode.id}: {episode.instruction or episode.task} ({episode.policy})"
            recording.log("episode", rerun.TextDocument(about), static=True)
            for name, view in sorted(episode.views.items()):
                coder, clock = JpegCoder(self.quality), view.frames.clock()
                for time, picture in zip(clock.tolist(), view.frames.at(clock), strict=True):
                    recording.set_time(_CLOCK, duration=time)
                    image = rerun.EncodedImage(
                        contents=coder.code(picture), media_type="image/jpeg"
                    )
                    recording.log(f"views/{name}", image)
                    count += 1
            for name, series in sorted(episode.signals.items()):
                _log_signal(recording, name, series)
            for segment in episode.segments:
                recording.set_time(_CLOCK, duration=segment.start_s)
                recording.log("subtasks", rerun.TextLog(segment.name))
            recording.flush()
            recording.disconnect()
        return {"frames": count}


def _log_signal(recording: Any, name: str, series: Series) -> None:  # noqa: ANN401 - of rerun, which is imported late
    """Log one signal as a whole: numbers as curves, texts where they change."""
    import rerun

    if series.values.dtype.kind == "U":
        changes = np.flatnonzero(np.r_[True, series.values[1:] != series.values[:-1]])
        for at in changes.tolist():
            recording.set_time(_CLOCK, duration=float(series.times[at]))
            recording.log(f"signals/{name}", rerun.TextLog(str(series.values[at])))
        return
    rows = series.values.reshape(len(series.times), -1).astype(np.float64)
    clock = rerun.TimeColumn(_CLOCK, duration=series.times)
    for place, column in enumerate(rows.T):
        path = f"signals/{name}" if rows.shape[1] == 1 else f"signals/{name}/{place}"
        recording.send_columns(path, indexes=[clock], columns=rerun.Scalars.columns(scalars=column))
