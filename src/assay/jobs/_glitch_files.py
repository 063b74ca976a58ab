"""The files of a built benchmark of glitches: manifests, references, and the table of clips."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from assay.jobs._rundir import write_file

__all__ = ["write_files"]

# What a judge may know of a clip; the reader of video folders takes these.
_MANIFEST: Final = ("file", "episode", "task", "instruction", "seed", "view", "moves")
_CLIPS: Final = (
    *("clip", "split", "file", "task", "seed", "instruction", "view", "moves", "length_s"),
    *("injector", "strength", "type", "severity", "start_s", "end_s", "source", "from_s"),
)


def write_files(root: Path, known: Sequence[Mapping[str, Any]]) -> None:
    """Write what tells of the clips, for each split in its own folder and for all together.

    Args:
        root: The run directory.
        known: What is known of every clip.
    """
    for split in sorted({about["split"] for about in known}):
        own = [about for about in known if about["split"] == split]
        _write(root / split, own, f"{split}/")
    _write(root, known, "")
    write_file(root / "clips.csv", _table(_CLIPS, [_about(one) for one in known]))


def _write(folder: Path, known: Sequence[Mapping[str, Any]], prefix: str) -> None:
    """Write `manifest.csv` and `references.jsonl` into a folder."""
    rows = [
        {
            **one,
            "file": one["file"].removeprefix(prefix),
            "episode": one["clip"],
            "moves": "yes" if one["moves"] else "no",
        }
        for one in known
    ]
    write_file(folder / "manifest.csv", _table(_MANIFEST, rows))
    lines = [
        {
            "clip": one["clip"],
            "dataset": one["split"],
            "length_s": one["length_s"],
            "events": one["events"],
        }
        for one in known
    ]
    texts = [json.dumps(line, ensure_ascii=False) + "\n" for line in lines]
    write_file(folder / "references.jsonl", "".join(texts))


def _about(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a clip; a clean one has no event."""
    event = next(iter(one["events"]), None)
    about = {**one, "injector": one["recipe"], "moves": "yes" if one["moves"] else "no"}
    if event is not None:
        about["type"], about["severity"] = event["type"], event["severity"]
        about["start_s"], about["end_s"] = event["span_s"]
    return about


def _table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    written = io.StringIO()
    table = csv.DictWriter(written, columns, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows({key: "" if v is None else v for key, v in row.items()} for row in rows)
    return written.getvalue()
