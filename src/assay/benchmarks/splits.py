"""Which seeds of the worlds are for what; no table is made from seeds that a choice was made on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["SPLITS"]

SPLITS: Final[Mapping[str, range]] = {
    "train": range(2_000, 9_000),  # the embedded judge learns from these
    "along": range(9_000, 10_000),  # its last part, when all others have learned, from these
    "validation": range(500, 700),  # recipes, levels and thresholds are chosen on these
    "passport": range(700, 1_000),  # judges are certified on these
    "fresh": range(1_500, 1_564),  # scored once, plain scenes
    "perturbed": range(1_600, 1_664),  # scored once, one perturbation at a time
    "all-at-once": range(1_700, 1_732),  # scored once, every perturbation together
    "glitch-train": range(10_000, 10_400),  # clips that finders of glitches are made with
    "glitch-test": range(10_900, 12_000),  # clips that they are scored on
}
"""Seeds by split. 0..499 are for development and tests, 1000..1199 for the tables of the worlds.

1200..1450 held the last three splits before. The judges that were scored on them missed a mark, and
what was changed for it was chosen on them: they are validation since then.

10,400..10,899 held glitch-test before, with a second way to make each glitch that those who choose
the thresholds of finders have seen by now: they are validation of glitches since then.
"""
