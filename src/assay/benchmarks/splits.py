"""Which seeds of the worlds are for what; no table is made from seeds that a choice was made on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["SPLITS"]

SPLITS: Final[Mapping[str, range]] = {
    "train": range(2_000, 10_000),  # the embedded judge learns from these
    "validation": range(500, 700),  # recipes, levels and thresholds are chosen on these
    "passport": range(700, 1_000),  # judges are certified on these
    "fresh": range(1_200, 1_300),  # scored once, plain scenes
    "perturbed": range(1_300, 1_400),  # scored once, one perturbation at a time
    "all-at-once": range(1_400, 1_450),  # scored once, every perturbation together
}
"""Seeds by split. 0..499 are for development and tests, 1000..1199 for the tables of the worlds."""
