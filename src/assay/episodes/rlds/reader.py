"""From the examples of an RLDS dataset to `Episode` records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from assay.episodes import jsonlines, tables
from assay.episodes.encoded_frames import EncodedFrames
from assay.episodes.faults import check_file
from assay.episodes.guarding import guarded
from assay.episodes.names import slug
from assay.episodes.paths import inside
from assay.episodes.rates import steps_per_second
from assay.episodes.rlds.example import Feature, features
from assay.episodes.rlds.known import meanings, rate_of
from assay.episodes.rlds.layout import Declared, load_layout
from assay.episodes.rlds.pictures import ExamplePictures
from assay.episodes.rlds.records import Record, records
from assay.errors import EpisodeError, InputError
from assay.records import Episode, Series, Unreadable, View

__all__ = ["read_rlds", "root_of"]

_LAYOUT = "features.json"
_SHARD = re.compile(r"(?:.*-)?(?P<split>[^-.]+)\.tfrecord(?:-\d+-of-\d+)?$")
_OTHER = ".array_record"  # the other kind of file that TFDS writes
_BOOKKEEPING = {"is_first", "is_last", "is_terminal", "discount"}
_TEXTS = (
    "steps/language_instruction",
    "steps/observation/natural_language_instruction",
    "episode_metadata/language_instruction",
)
_WIDEST = 256  # numbers a step; embeddings and maps are no traces


@dataclass(frozen=True, slots=True)
class _Dataset:
    """What all episodes share."""

    root: Path
    name: str
    layout: Mapping[str, Declared]
    rate: float


def root_of(path: Path) -> Path | None:
    """Return the folder with the files of the dataset at `path`, or None when there is none.

    `path` is that folder, the folder of its only version, or one of its tfrecord files.
    """
    if path.is_file():
        return path.parent if _SHARD.match(path.name) and _has_files(path.parent) else None
    if not path.is_dir():
        return None
    if _has_files(path):
        return path
    versions = [inner for inner in path.iterdir() if re.fullmatch(r"\d+\.\d+\.\d+", inner.name)]
    with_files = [inner for inner in versions if _has_files(inner)]
    return with_files[0] if len(with_files) == 1 else None


def _has_files(folder: Path) -> bool:
    kinds = ("*.tfrecord*", f"*{_OTHER}*")
    return (folder / _LAYOUT).is_file() and any(any(folder.glob(kind)) for kind in kinds)


def read_rlds(path: Path) -> Iterator[Episode | Unreadable]:
    """Yield the episodes split by split, in the order of the files."""
    root = root_of(path)
    if root is None:
        raise InputError(f"holds no {_LAYOUT} beside tfrecord files.", path)
    if not any(root.glob("*.tfrecord*")):
        raise InputError(
            f"holds {_OTHER} files, which are not read; prepare it with file_format='tfrecord'.",
            root,
        )
    name = _name_of(root)
    layout = load_layout(inside(root, _LAYOUT, file=root))
    shared = _Dataset(root, name, layout, steps_per_second(root, rate_of(name)))
    files = [path] if path.is_file() else sorted(root.glob("*.tfrecord*"))
    counted: Counter[str] = Counter()
    for file in files:
        match = _SHARD.match(file.name)
        if match is None:
            continue
        split = match["split"]
        target = inside(root, file.name, file=root)
        check_file(target)
        for record in records(target):
            bare = Episode(f"{split}_{counted[split]:06d}", shared.name, source=str(file))
            counted[split] += 1
            yield _episode(shared, bare, file, record)


def _name_of(root: Path) -> str:
    """Return what dataset_info.json calls the dataset, else the name of its folder."""
    file = root / "dataset_info.json"
    if file.is_file():
        about = jsonlines.parse(tables.read_text(inside(root, file.name, file=root)), file)
        name = about.get("name") if isinstance(about, dict) else None
        if isinstance(name, str) and name:
            return name
    folder = root.resolve()
    return folder.parent.name if re.fullmatch(r"\d+\.\d+\.\d+", folder.name) else folder.name


def _episode(shared: _Dataset, bare: Episode, file: Path, record: Record) -> Episode | Unreadable:
    if record.fault:
        return Unreadable.of(bare, f"{file}, {bare.id}: {record.fault}.")
    where = f"{file}, {bare.id}"
    return guarded(bare, where, partial(_filled, shared, bare, file, record))


def _filled(shared: _Dataset, bare: Episode, file: Path, record: Record) -> Episode:
    found = features(record.data)
    count = _steps(found, shared, record, file, bare)
    times = np.arange(count) / shared.rate
    signals: dict[str, Series] = {}
    views: dict[str, View] = {}
    unread = []
    for key, declared in shared.layout.items():
        feature = found.get(key)
        if not key.startswith("steps/") or feature is None:
            continue
        name = key.removeprefix("steps/").removeprefix("observation/").replace("/", ".")
        if declared.kind == "image" and _is_picture(name, declared):
            start, stop = record.start + feature.start, record.start + feature.stop
            pictures = ExamplePictures(str(file), key, start, stop)
            views[name] = View(EncodedFrames(pictures, times), moves="wrist" in name)
        elif declared.kind == "numbers" and _is_trace(name, declared):
            signals[name] = Series(times, _values(feature, declared, record, count, key))
        elif declared.kind != "text" and name not in _BOOKKEEPING:
            unread.append(key)
    text = _first_text(found, record)
    metadata = _metadata(found, shared.layout, record)
    success = metadata.get("success")
    return replace(
        bare,
        task=slug(text) if text else bare.task,
        instruction=text,
        views=views,
        signals=signals | meanings(shared.name, signals),
        outcome=success if isinstance(success, bool) else None,
        extra={"unread": unread, **metadata},
    )


def _steps(
    found: Mapping[str, Feature], shared: _Dataset, record: Record, file: Path, bare: Episode
) -> int:
    """Return the number of steps: of `is_first`, which RLDS demands, else of any numbers."""
    for key in ("steps/is_first", *sorted(found)):
        declared = shared.layout.get(key)
        if key in found and key.startswith("steps/") and declared and declared.kind == "numbers":
            count = len(found[key].numbers(record.data)) // declared.size
            if count:
                return count
    raise EpisodeError(f"{file}, {bare.id}: has no steps.", "invalid_value")


def _is_picture(name: str, declared: Declared) -> bool:
    return declared.dtype in ("uint8", "") and "depth" not in name


def _is_trace(name: str, declared: Declared) -> bool:
    plain = len(declared.shape) <= 1 and declared.size <= _WIDEST
    return plain and name not in _BOOKKEEPING and "embedding" not in name


def _values(
    feature: Feature, declared: Declared, record: Record, count: int, key: str
) -> np.ndarray[Any, np.dtype[Any]]:
    """Return a trace of shape (T,) or (T, D)."""
    values = feature.numbers(record.data)
    if len(values) != count * declared.size:
        raise ValueError(f"{key} has {len(values)} numbers for {count} steps of {declared.size}")
    shaped = values.reshape(count, *declared.shape)
    return shaped.astype(np.bool_) if declared.dtype == "bool" else shaped


def _first_text(found: Mapping[str, Feature], record: Record) -> str:
    for key in _TEXTS:
        if key in found:
            texts = found[key].texts(record.data)
            if texts and texts[0].strip():
                return texts[0].decode("utf-8", "replace").strip()
    return ""


def _metadata(
    found: Mapping[str, Feature], layout: Mapping[str, Declared], record: Record
) -> dict[str, Any]:
    """Return the single values that are kept for the whole episode."""
    values: dict[str, Any] = {}
    for key, declared in layout.items():
        feature = found.get(key)
        if not key.startswith("episode_metadata/") or feature is None:
            continue
        name = key.removeprefix("episode_metadata/")
        if declared.kind == "text":
            values[name] = b"".join(feature.texts(record.data)[:1]).decode("utf-8", "replace")
        elif declared.kind == "numbers" and declared.size == 1:
            numbers = feature.numbers(record.data)[:1]
            values[name] = next(
                iter((numbers != 0 if declared.dtype == "bool" else numbers).tolist()), None
            )
    return values
