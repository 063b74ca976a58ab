"""The fields that hold one value per episode, as cells of a file give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.errors import InputError

__all__ = ["FIELDS", "bad_seed", "from_cells", "seed_of"]

FIELDS = ("task", "policy", "instruction", "scene", "perturbation", "world", "seed")
"""Their names; an empty cell says nothing."""


def from_cells(cells: Mapping[str, str], path: object, row: int | None) -> dict[str, Any]:
    """Return the fields that `cells` give, the seed as a number.

    Args:
        cells: One cell for each of some `FIELDS`.
        path: The file, for the message.
        row: The row of that file, for the message.
    """
    fields: dict[str, Any] = {name: cell for name, cell in cells.items() if cell}
    if "seed" in fields:
        fields["seed"] = seed_of(cells["seed"])
        if fields["seed"] is None:
            raise InputError(bad_seed(cells["seed"]), path, row)
    return fields


def seed_of(cell: str) -> int | None:
    """Return a seed as a whole number of 64 bits, or None when it is not one."""
    try:
        seed = int(cell)
    except ValueError:
        return None
    return seed if -(2**63) <= seed < 2**63 else None


def bad_seed(cell: str) -> str:
    """Word a cell that should hold a seed and holds something else."""
    return f"seed is {cell!r}, which is not a whole number of 64 bits."
