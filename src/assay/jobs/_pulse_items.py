"""The file of items, and the summary that stands beside it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.benchmarks.pulse import thresholds
from assay.benchmarks.pulse.items import Built, Item
from assay.benchmarks.pulse.pairs import ORDERS, REASONS
from assay.errors import InputError
from assay.jobs._rundir import write_file

__all__ = ["read_items", "summary", "write_items"]


def write_items(path: Path, items: Sequence[Item]) -> None:
    """Write `items.parquet`, one row per item."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds: dict[str, pa.DataType] = {
        "str": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
    }
    fields: list[tuple[str, pa.DataType]] = [
        (f.name, kinds[str(f.type).removesuffix(" | None")]) for f in dataclasses.fields(Item)
    ]
    schema = pa.schema(fields, metadata={"schema": "assay.pulse/1"})
    table = pa.Table.from_pylist([dataclasses.asdict(item) for item in items], schema=schema)
    write_file(path, lambda partial: pq.write_table(table, partial, compression="zstd"))


def read_items(path: Path) -> tuple[Item, ...]:
    """Return the items of `items.parquet`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(path).to_pylist()
        return tuple(Item(**_whole(row)) for row in rows)
    except (OSError, pa.ArrowInvalid, TypeError) as error:
        raise InputError(f"holds no items of a pulse benchmark ({error}).", path) from error


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with what files of before have not: whether a policy undoes its own work."""
    if "undone" in row:
        return row
    known = row.get("wrong_object") is not None
    return {**row, "undone": row.get("policy") == "backtracker" if known else None}


def summary(built: Built, taken: Sequence[str]) -> dict[str, Any]:
    """Return what was built from the episodes `taken`, as plain data for build.json."""
    considered = sum(built.considered.values())
    by_bin = Counter((item.bin, item.order) for item in built.items)
    negatives = sum(item.y < 0 for item in built.items)
    real = sum(item.order == "anti-time" for item in built.items)
    return {
        "items": len(built.items),
        "bins": {
            name: {order: by_bin[name, order] for order in ORDERS} for name in thresholds.BIN_NAMES
        },
        "regression_share": real / negatives if negatives else None,
        "pairs": {
            "considered": considered,
            "kept": built.considered["kept"],
            "dropped": {
                reason: {
                    "n": built.considered[reason],
                    "share": built.considered[reason] / considered if considered else None,
                }
                for reason in REASONS
            },
            "candidates": built.candidates,
        },
        "episodes": {
            "taken": sorted(taken),
            "with_items": len({item.episode for item in built.items}),
            "routes": dict(sorted(built.routes.items())),
            "left_out": dict(sorted(Counter(built.left_out.values()).items())),
        },
        "tasks": dict(sorted(Counter(item.task for item in built.items).items())),
        "settings": dict(sorted(Counter(item.setting for item in built.items).items())),
        "perturbations": dict(
            sorted(Counter(item.perturbation or "none" for item in built.items).items())
        ),
        "unknown_policies": dict(sorted(built.unknown.items())),
        "thresholds": {
            name.lower(): getattr(thresholds, name) for name in sorted(thresholds.__all__)
        },
    }
