"""The episode table of a written LeRobot dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from assay.episodes.lerobot.layout import EPISODES_PATH
from assay.episodes.lerobot.writing.mp4 import Stretch
from assay.episodes.lerobot.writing.parquet import RollingParquet
from assay.episodes.lerobot.writing.places import Places
from assay.episodes.lerobot.writing.stats import STATS, Stats, Total

__all__ = ["EpisodeTable"]

_BATCH = 100  # rows that wait in memory
_GROUP = "meta/episodes"
_ANNOTATIONS = {
    f"{grain}_subtask_{name}": pa.list_(kind)
    for grain in ("sparse", "dense")
    for name, kind in (
        ("names", pa.string()),
        ("start_times", pa.float64()),
        ("end_times", pa.float64()),
        ("start_frames", pa.int64()),
        ("end_frames", pa.int64()),
    )
}


class EpisodeTable:
    """`meta/episodes`: one row an episode, with places, video times and statistics.

    Attributes:
        total: The statistics of all episodes together.

    Args:
        places: The dataset's folder.
        limit: Size of one file [bytes].
    """

    def __init__(self, places: Places, limit: int) -> None:
        self.total = Total()
        self._places = places
        self._files = RollingParquet(places.path_of(EPISODES_PATH), limit)
        self._rows: list[dict[str, Any]] = []
        self._schema: pa.Schema | None = None

    def add(
        self,
        fields: Mapping[str, Any],
        stretches: Mapping[str, Stretch],
        stats: Mapping[str, Stats | None],
    ) -> None:
        """Add the row of one episode.

        Args:
            fields: The columns every dataset has.
            stretches: Where the frames are, by video key.
            stats: The statistics by feature; None where no value is finite.
        """
        if self._schema is None:
            annotated = [name for name in _ANNOTATIONS if name in fields]
            self._schema = _schema(tuple(stretches), tuple(stats), annotated)
        row = dict(fields)
        for key, stretch in stretches.items():
            row |= self._places.columns(f"videos/{key}", stretch.file)
            row[f"videos/{key}/from_timestamp"] = stretch.start_s
            row[f"videos/{key}/to_timestamp"] = stretch.end_s
        for feature, values in stats.items():
            for name, value in (values or {}).items():
                row[f"stats/{feature}/{name}"] = value.tolist()
        self.total.add(stats)
        self._rows.append(row)
        if len(self._rows) >= _BATCH:
            self._flush()

    def close(self) -> None:
        """Write what waits and finish the file."""
        self._flush()
        self._files.close()

    def _flush(self) -> None:
        if not self._rows:
            return
        table = pa.Table.from_pylist(self._rows, schema=self._schema)
        number = self._files.place(table.nbytes)
        for name, value in self._places.columns(_GROUP, number).items():
            values = pa.array([value] * len(self._rows), pa.int64())
            table = table.set_column(table.schema.get_field_index(name), name, values)
        self._files.write(table)
        self._rows.clear()


def _schema(
    videos: tuple[str, ...], features: tuple[str, ...], annotated: Iterable[str]
) -> pa.Schema:
    """Return the columns in LeRobot's order; statistics of pictures have shape (3, 1, 1)."""
    whole, numbers = pa.int64(), pa.list_(pa.float64())
    fields: list[tuple[str, Any]] = [
        ("episode_index", whole),
        ("tasks", pa.list_(pa.string())),
        ("length", whole),
        ("data/chunk_index", whole),
        ("data/file_index", whole),
        ("dataset_from_index", whole),
        ("dataset_to_index", whole),
    ]
    for key in videos:
        fields += [(f"videos/{key}/{name}", whole) for name in ("chunk_index", "file_index")]
        fields += [(f"videos/{key}/{end}_timestamp", pa.float64()) for end in ("from", "to")]
    for feature in features:
        shape: Any = pa.list_(pa.list_(numbers)) if feature in videos else numbers
        fields += [
            (f"stats/{feature}/{name}", pa.list_(whole) if name == "count" else shape)
            for name in STATS
        ]
    fields += [(name, _ANNOTATIONS[name]) for name in annotated]
    fields += [(f"{_GROUP}/{name}", whole) for name in ("chunk_index", "file_index")]
    return pa.schema(fields)
