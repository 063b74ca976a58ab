"""Every number of the pulse builder and its scores, each with its reason.

Fixed before any judge was trained; a change here makes another benchmark, and `VERSION` says so.
Progress is Phi in 0..1, times are seconds.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "AT_END_S",
    "BIN_EDGES",
    "BIN_NAMES",
    "BIN_TOLERANCE",
    "CHUNK_FRAMES",
    "CLEAN_FALL",
    "CURVE_FPS",
    "DISTANCE_BINS",
    "DISTANCE_EDGES_S",
    "DROP",
    "DROP_MARGIN_S",
    "DROP_WINDOW_S",
    "GRIPPER_HALF",
    "HIT_SHARE",
    "LEAST_CHANGE",
    "LEAST_HOP",
    "LEAST_PHASE_S",
    "LEAST_REGRESSIONS",
    "LEAST_SECONDS",
    "NEAR_STATIC",
    "NEAR_STATIC_S",
    "NOISE_LEVELS",
    "OSCILLATION",
    "OSCILLATION_S",
    "PER_STRATUM",
    "REGRESSION_SHARE",
    "SHOWN_ITEMS",
    "SLACK",
    "STATE_FPS",
    "STOP_SPEED",
    "VERSION",
]

VERSION: Final = 1

# --- States and phases -----------------------------------------------------------------------

STATE_FPS: Final = 5.0
"""States of a world's episode a second: the rate at which judges are asked elsewhere too."""

CHUNK_FRAMES: Final = 30
"""C of the published construction: a phase gets m = ceil(floor(L / C) / N) states."""

SLACK: Final = 0.015
"""A phase may run against its direction by so much: hands tremble, and a world by 0.0002."""

NEAR_STATIC: Final = 0.01
"""A stretch in which Phi stays within this is still: no picture tells its ends apart."""

NEAR_STATIC_S: Final = 1.0
"""Still stretches shorter than this are the pauses of a normal grasp, and stay."""

OSCILLATION: Final = 0.03
"""A rise or fall between two turns that is smaller than this, ..."""

OSCILLATION_S: Final = 1.0
"""... and shorter than this, is a wobble: neither progress nor loss."""

AT_END_S: Final = 0.05
"""Two keyframes nearer than this are one: a frame at 20 a second."""

# --- Keyframes where nobody marked any ---------------------------------------------------------

GRIPPER_HALF: Final = 0.5
"""A gripper that passes this share of its range opens or closes: a keyframe."""

STOP_SPEED: Final = 0.1
"""Joints slower than this share of their fast speed (95 % quantile) stop: a keyframe."""

LEAST_PHASE_S: Final = 0.5
"""Keyframes found in signals are at least so far apart; a nearer one is the same event."""

# --- Pairs -------------------------------------------------------------------------------------

LEAST_SECONDS: Final = 0.4
"""Two frames at 5 a second; a nearer pair would test the video's rounding of time."""

LEAST_CHANGE: Final = 0.025
"""A smaller change of Phi is ambiguous: about 2 cm of the hand's way in the shortest task."""

LEAST_HOP: Final = 0.03
"""A smaller hop is ambiguous; next to the goal a change is a small part of what was done."""

BIN_EDGES: Final = (1 / 3, 2 / 3)
"""Small (0, 1/3], medium (1/3, 2/3], large (2/3, 1], by |hop|."""

BIN_NAMES: Final = ("small", "medium", "large")

BIN_TOLERANCE: Final = 1e-9
"""From .75 to .5 is exactly one third, which no float is."""

PER_STRATUM: Final = 4
"""Candidates of one episode in each of 3 orders x 3 bins, so that no long episode outweighs."""

DISTANCE_EDGES_S: Final = (1.0, 2.0, 4.0, 8.0)
"""Candidates are drawn from these bands of frame distance in turn, so that it varies."""

DISTANCE_BINS: Final = 10
"""In the small bin +1 and -1 are equally many in each of these quantiles of frame distance."""

REGRESSION_SHARE: Final = 0.5
"""Of the negatives, so many are real losses; the rest are pairs shown in reverse."""

LEAST_REGRESSIONS: Final = 20
"""With fewer real losses than this in a bin, keeping that share would leave no benchmark."""

# --- Scores ------------------------------------------------------------------------------------

CURVE_FPS: Final = 5.0
"""Judged moments a second for the figures of whole episodes."""

DROP: Final = 0.10
"""A fall of Phi* that counts: a let-go block, in the task with the most subgoals, loses 0.12."""

DROP_WINDOW_S: Final = 3.0
"""It happens within this time: slower than a fall, as fast as carrying something back."""

DROP_MARGIN_S: Final = 0.4
"""A judge may see it so much earlier or later: two frames at 5 a second."""

HIT_SHARE: Final = 0.5
"""A judge sees a drop when its curve falls there by at least this share of it."""

CLEAN_FALL: Final = 0.05
"""An episode is without drops when Phi* never falls by more than half of `DROP` in the window.

There, a curve that falls by `DROP` or more within the window is a false drop.
"""

NOISE_LEVELS: Final = (0.0, 0.05, 0.10)
"""Shares a of the published test with noisy pictures, I' = (1 - a) I + a eps."""

SHOWN_ITEMS: Final = 24
"""Pairs on the page with pictures."""
