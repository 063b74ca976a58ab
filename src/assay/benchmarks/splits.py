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
    "fresh": range(31_000, 31_120),  # scored once, plain scenes
    "perturbed": range(31_120, 31_240),  # scored once, one perturbation at a time
    "all-at-once": range(31_240, 31_300),  # scored once, every perturbation together
    "second-robot": range(31_300, 31_400),  # scored once, plain scenes with the desk arm
    "glitch-train": range(10_000, 10_400),  # clips that finders of glitches are made with
    "glitch-test": range(25_000, 26_400),  # clips that they are scored on
}
"""Seeds by split. 0..499 are for development and tests, 1000..1199 for the tables of the worlds.

1200..1450, 1500..1731, 1800..1999 and 20,000..20,199 held "fresh" to "second-robot" before: judges
were scored on them, and what was changed later may have been chosen on them. They are validation
since then, and so are 21,000..21,079, on which a part of the embedded judge was tried, and
22,000..22,199, on which the judge before the present one was scored. The parts of the present one
were chosen on 500..699 and 22,000..22,119.

10,400..10,899, then 10,900..11,999, then 13,000..14,099, then 15,000..16,399 and then
17,000..18,399 held glitch-test before, each with second ways to make glitches that those who choose
the thresholds of finders have seen by now: all five are validation of glitches since then. So are
23,000..24,399, with the second ways of things as they are: of these clips, the totals were seen and
the faults of the picture.
"""
