"""The description of a LeRobot dataset: `meta/info.json` and its path templates."""

from __future__ import annotations

import math
import os
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.episodes import jsonlines
from assay.episodes.faults import reading, shown
from assay.episodes.lerobot.layout import DATA_PATH, VIDEO_PATH
from assay.episodes.paths import inside
from assay.errors import EpisodeError, InputError, UnsafePathError, nearest

__all__ = ["Feature", "Info", "expand", "load_info"]

# What the format used before a template is given, by major version.
_DATA = {
    2: "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
    3: DATA_PATH,
}
_VIDEO = {
    2: "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
    3: VIDEO_PATH,
}
_FASTEST = 1e5  # frames per second; beyond it a rate is a slip
_LONGEST = 4096  # characters of a path
_FIELDS = {"episode_chunk", "episode_index", "chunk_index", "file_index", "video_key"}


@dataclass(frozen=True, slots=True)
class Feature:
    """One column or video of the dataset; `names` is flat whatever the file nests."""

    dtype: str
    shape: tuple[int, ...]
    names: tuple[str, ...]
    depth: bool = False


@dataclass(frozen=True, slots=True)
class Info:
    """What `meta/info.json` says, checked. `version` is the major one; `fps` is in 1/s."""

    root: Path
    file: Path
    version: int
    fps: float
    chunks_size: int
    data_path: str
    video_path: str
    features: Mapping[str, Feature]

    def of_dtype(self, dtype: str) -> list[str]:
        """Return the names of the features of one dtype, such as "video"."""
        return [name for name, feature in self.features.items() if feature.dtype == dtype]


def load_info(root: Path) -> Info:
    """Read and check `meta/info.json` of the dataset at `root`."""
    file = inside(root, "meta/info.json")
    if not file.exists():
        raise InputError("a LeRobot dataset needs this file.", root / "meta/info.json")
    raw = jsonlines.read_object(file)
    with reading(file):
        version = _version(raw, file)
        return Info(
            root=root,
            file=file,
            version=version,
            fps=_rate(raw, file),
            chunks_size=_chunks_size(raw, file),
            data_path=_template(raw, "data_path", _DATA[version], file),
            video_path=_template(raw, "video_path", _VIDEO[version], file),
            features=_features(raw, file),
        )


def expand(template: str, key: str, info: Info, fields: Mapping[str, int | str]) -> Path:
    """Fill a path template of `info.json` and return the path, which stays under the root.

    A template that leads out is the dataset's fault; a link that does is its episode's.

    Args:
        template: The template, such as "data/chunk-{chunk_index:03d}/file.parquet".
        key: Its key in info.json, for messages.
        info: The dataset.
        fields: The values at hand; a field the template names and this lacks is an error.
    """
    parts = []
    for text, field, spec, conversion in _parse(template, key, info):
        parts.append(text)
        if field is None:
            continue
        # A template is data from outside: attribute access and huge widths are not for it.
        if field not in _FIELDS or conversion or not re.fullmatch(r"(0?\d{0,2}d)?", spec or ""):
            raise InputError(
                f"{key!r} holds {{{field}}}, which is not one of {', '.join(sorted(_FIELDS))} "
                "with a plain width.",
                info.file,
            )
        if spec and field == "video_key":
            raise InputError(f"{key!r} gives {{video_key}} a number's width.", info.file)
        if field not in fields:
            raise InputError(f"{key!r} needs {field!r}, which the episode table lacks.", info.file)
        parts.append(format(fields[field], spec or ""))
    relative = "".join(parts)
    try:
        return inside(info.root, relative, file=info.file)
    except UnsafePathError as error:
        plain = os.path.normpath(relative)
        if "\0" in plain or Path(plain).is_absolute() or plain.startswith(".."):
            raise
        raise EpisodeError(str(error)) from error


def _parse(
    template: str, key: str, info: Info
) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(string.Formatter().parse(template))
    except (TypeError, ValueError) as error:
        raise InputError(f"{key!r} is not a path template ({error}).", info.file) from error


def _version(raw: Mapping[str, Any], file: Path) -> int:
    """Return the major version; a dataset that doesn't say is judged by its episode table."""
    named = str(raw.get("codebase_version", ""))
    found = re.match(r"v?(\d+)", named)
    if not found:
        return 3 if (file.parent / "episodes").is_dir() else 2
    major = next((number for number in _DATA if str(number) == found[1]), None)
    if major is None:
        raise InputError(
            f"'codebase_version' is {shown(named)!r}; v2.0, v2.1 and v3.0 can be read.", file
        )
    return major


def _rate(raw: Mapping[str, Any], file: Path) -> float:
    if "fps" not in raw:
        close = nearest("fps", raw)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(f"there is no key 'fps'.{hint}", file)
    value = _number(raw["fps"])
    if not 0 < value < _FASTEST:
        raise InputError(
            f"'fps' must be a number above 0 and below {_FASTEST:.0f}, "
            f"found {shown(repr(raw['fps']))}.",
            file,
        )
    return value


def _chunks_size(raw: Mapping[str, Any], file: Path) -> int:
    given = raw.get("chunks_size", 1000)
    value = _number(given)
    if not (value >= 1 and value.is_integer()):
        raise InputError(
            f"'chunks_size' must be a whole number above 0, found {shown(repr(given))}.", file
        )
    return int(value)


def _number(value: Any) -> float:  # noqa: ANN401 - any JSON value
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _template(raw: Mapping[str, Any], key: str, default: str, file: Path) -> str:
    value = raw.get(key) or default
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise InputError(
            f"{key!r} must be a path template of at most {_LONGEST} characters, "
            f"found {shown(repr(value))}.",
            file,
        )
    return value


def _features(raw: Mapping[str, Any], file: Path) -> dict[str, Feature]:
    found = raw.get("features")
    if not isinstance(found, dict):
        raise InputError("the key 'features' must hold an object.", file)
    return {name: _feature(name, value, file) for name, value in found.items()}


def _feature(name: str, value: object, file: Path) -> Feature:
    if not isinstance(value, dict) or not isinstance(value.get("dtype"), str):
        raise InputError(f"the feature {name!r} has no 'dtype'.", file)
    shape = value.get("shape") or []
    if not isinstance(shape, list) or not all(_number(n).is_integer() for n in shape):
        raise InputError(
            f"the feature {name!r} needs a list of whole numbers as 'shape', "
            f"found {shown(repr(shape))}.",
            file,
        )
    details = value.get("info") or value.get("video_info") or {}
    if not isinstance(details, dict):
        raise InputError(
            f"the feature {name!r} needs an object as 'info', found {shown(repr(details))}.", file
        )
    flags = [details.get("video.is_depth_map"), details.get("is_depth_map")]
    return Feature(
        dtype=value["dtype"],
        shape=tuple(int(n) for n in shape),
        names=tuple(_flat(value.get("names"))),
        depth=any(flags),
    )


def _flat(names: object) -> list[str]:
    """Return names as one list: files hold null, a list, a list of lists or an object of lists."""
    if names is None:
        return []
    if isinstance(names, dict):
        # {"motors": ["a", "b"]} lists names under a group; {"a": 0, "b": 1} has them as keys.
        grouped = [v for v in names.values() if isinstance(v, (list, dict))]
        return [n for group in grouped for n in _flat(group)] if grouped else [*map(str, names)]
    if isinstance(names, list):
        return [n for item in names for n in _flat(item)]
    return [str(names)]
