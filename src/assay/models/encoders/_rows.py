"""Rows of length 1, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from assay.errors import InputError
from assay.models._weights import inference
from assay.records import Floats

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["unit_rows"]

T = TypeVar("T")


def unit_rows(
    items: Sequence[T],
    encode: Callable[[Sequence[T]], Tensor],
    batch: int,
    threads: int,
) -> Floats:
    """Return what `encode` makes of `items`, each row divided by its length, of shape (N, D).

    Args:
        items: Pictures or texts; none gives shape (0, 0), since nobody asked for D.
        encode: Returns a tensor of shape (n, D) for n items.
        batch: How many items go through at once.
        threads: How many threads torch uses.

    Raises:
        InputError: A row is zero or not finite: no direction.
    """
    if not items:
        return np.empty((0, 0))
    with inference(threads):
        parts = [
            encode(items[i : i + batch]).double().cpu().numpy() for i in range(0, len(items), batch)
        ]
    rows = np.concatenate(parts)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise InputError("The encoder's weights give a row that is zero or not finite.")
    unit: Floats = rows / lengths
    return unit
