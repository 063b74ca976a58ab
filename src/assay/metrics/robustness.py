"""What a perturbation costs: the drop against the matched control, scene by scene.

A drop alone ranks nothing. A policy that never gets anywhere loses nothing when the lights change,
so that each row carries the control and the perturbed figure beside the drop, says when there was
no room to fall, and rows have no order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from assay.errors import UsageError
from assay.metrics.correlation import Figure
from assay.metrics.intervals import SMALLEST_SAMPLE, mean_interval
from assay.metrics.resampling import Ends, Units, bootstrap_t
from assay.metrics.results import Floats

__all__ = ["Condition", "Drop", "DropSettings", "drop_table", "paired_drop"]

_TOO_FEW = f"fewer than {SMALLEST_SAMPLE} scenes: no interval"
_NO_SCENE = "no scene in common with the control"
_FARTHEST = 1000.0  # no relative gain is larger: a control at the floor has none
_PRECISION = 1e-5  # of a relative drop's ends; tables show 1e-3


@dataclass(frozen=True, slots=True)
class DropSettings:
    """What the metric is like, and how to make intervals.

    Attributes:
        low: The smallest value the metric can take.
        high: The largest.
        up_is_good: Whether a larger value is the better one.
        floor: Nearer to the worst value than this share of the range, a policy is at the floor.
        level: The wanted coverage.
        resamples: How many resamples to draw.
        seed: The same seed gives the same intervals.
    """

    low: float = 0.0
    high: float = 1.0
    up_is_good: bool = True
    floor: float = 0.1
    level: float = 0.95
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.high > self.low or not np.isfinite(self.high - self.low):
            raise UsageError(f"A metric runs from low to high, not {self.low:g} to {self.high:g}.")
        if not 0 < self.floor < 1:
            raise UsageError(f"A floor is a share of the range above 0, not {self.floor:g}.")


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """One perturbation at one strength, and what the policy did under it.

    Attributes:
        axis: What is perturbed, such as "light".
        strength: How strongly, in the axis's own unit; None when it has none.
        values: Scene -> the metric of each scored episode there, of shape (m,).
    """

    axis: str
    strength: float | None
    values: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Drop:
    """What one perturbation at one strength costs; figures are over the scenes of both sides.

    Attributes:
        axis: What is perturbed.
        strength: How strongly.
        control: The mean without the perturbation.
        perturbed: The mean with it.
        drop: The mean of the paired differences; above 0 the policy got worse.
        relative: The drop as a share of the way from the control to the worst value; None when
            the control is at the floor.
        scenes: How many scenes are on both sides.
        only_control: How many only the control has.
        only_perturbed: How many only the perturbed side has.
        control_at_floor: The control is so near to the worst value that it can hardly drop.
        perturbed_at_floor: The perturbed figure is: a stronger perturbation can't cost more.
    """

    axis: str
    strength: float | None
    control: Figure
    perturbed: Figure
    drop: Figure
    relative: Figure
    scenes: int
    only_control: int
    only_perturbed: int
    control_at_floor: bool
    perturbed_at_floor: bool

    @property
    def caveat(self) -> str | None:
        """Return what keeps the drop from being read as robustness, or None."""
        if self.control_at_floor:
            return "the control is at the floor: it can't drop"
        return "nothing is left to lose" if self.perturbed_at_floor else None

    def as_json(self) -> dict[str, object]:
        """Return the row as it stands in result files: never the drop without the rest."""
        return {
            "axis": self.axis,
            "strength": self.strength,
            "control": self.control.as_json(),
            "perturbed": self.perturbed.as_json(),
            "drop": self.drop.as_json(),
            "relative": self.relative.as_json(),
            "scenes": self.scenes,
            "only_control": self.only_control,
            "only_perturbed": self.only_perturbed,
            "control_at_floor": self.control_at_floor,
            "perturbed_at_floor": self.perturbed_at_floor,
            "caveat": self.caveat,
        }


def drop_table(
    control: Mapping[str, Floats],
    conditions: Iterable[Condition],
    settings: DropSettings | None = None,
) -> tuple[Drop, ...]:
    """Return the drop of one policy under each condition, in the order they were given in.

    Args:
        control: Scene -> the metric of each scored episode without perturbation, of shape (m,).
        conditions: What was perturbed, how strongly, and the values under it.
        settings: What the metric is like, and how to make intervals.
    """
    return tuple(paired_drop(control, condition, settings) for condition in conditions)


def paired_drop(
    control: Mapping[str, Floats], condition: Condition, settings: DropSettings | None = None
) -> Drop:
    """Return what one perturbation costs, by scenes that the control has too.

    A scene's value is the mean of its episodes. With c_s and p_s the values of scene s without and
    with the perturbation, the drop is the mean of c_s - p_s (of p_s - c_s where down is good), and
    its interval the studentised bootstrap of paired differences, see `resampling.bootstrap_t`. With
    room r_s from c_s to the worst value, the relative drop is sum (c_s - p_s) / sum r_s: 0 nothing
    lost, 1 all lost, below 0 gained.

    Args:
        control: Scene -> the metric of each scored episode without perturbation, of shape (m,).
        condition: The perturbation.
        settings: What the metric is like, and how to make intervals.
    """
    chosen = settings or DropSettings()
    scenes = sorted(control.keys() & condition.values.keys())
    before = _by_scene(control, scenes, chosen)
    after = _by_scene(condition.values, scenes, chosen)
    lost = before - after if chosen.up_is_good else after - before
    room, left = (_room(values, chosen) for values in (before, after))
    span = chosen.high - chosen.low
    least = chosen.floor * span
    at_floor = bool(scenes) and float(room.mean()) < least
    return Drop(
        axis=condition.axis,
        strength=condition.strength,
        control=_mean(before, chosen.low, chosen.high, chosen),
        perturbed=_mean(after, chosen.low, chosen.high, chosen),
        drop=_lost(lost, (-span, span), chosen),
        relative=_relative(lost, room, left, chosen, at_floor=at_floor),
        scenes=len(scenes),
        only_control=len(control) - len(scenes),
        only_perturbed=len(condition.values) - len(scenes),
        control_at_floor=at_floor,
        perturbed_at_floor=bool(scenes) and float(left.mean()) < least,
    )


def _by_scene(values: Mapping[str, Floats], scenes: list[str], settings: DropSettings) -> Floats:
    """Return the mean of the episodes of each scene, of shape (scenes,)."""
    for scene in scenes:
        found = np.asarray(values[scene], dtype=np.float64)
        inside = (found >= settings.low) & (found <= settings.high)
        if found.ndim != 1 or not len(found) or not inside.all():
            raise UsageError(
                f"Scene {scene!r} needs a list of values in {settings.low:g}..{settings.high:g}:"
                " leave out what is unscored."
            )
    return np.array([float(np.mean(values[scene])) for scene in scenes])


def _room(values: Floats, settings: DropSettings) -> Floats:
    """Return how far each value is from the worst one."""
    return values - settings.low if settings.up_is_good else settings.high - values


def _mean(values: Floats, low: float, high: float, settings: DropSettings) -> Figure:
    """Return a mean over scenes with its interval, or why there is none."""
    n = len(values)
    if not n:
        return Figure(None, None, None, 0, why=_NO_SCENE)
    # Rounding can put the mean of a scene a hair outside.
    mean, start, end, method = mean_interval(
        np.clip(values, low, high),
        low=low,
        high=high,
        level=settings.level,
        resamples=settings.resamples,
        seed=settings.seed,
    )
    return Figure(mean, start, end, n, method, None if method else _TOO_FEW)


def _lost(lost: Floats, bounds: tuple[float, float], settings: DropSettings) -> Figure:
    """Return the mean of paired differences with its interval, or why there is none."""
    n = len(lost)
    if not n:
        return Figure(None, None, None, 0, why=_NO_SCENE)
    mean = float(np.mean(lost))
    if n < SMALLEST_SAMPLE:
        return Figure(mean, None, None, n, why=_TOO_FEW)
    found = _ends(lost, bounds, settings)
    return Figure(mean, found.low, found.high, n, found.method)


def _ends(values: Floats, bounds: tuple[float, float], settings: DropSettings) -> Ends:
    """Return the interval of a mean over scenes, no arm of it shorter than Student's.

    Losses and gains are rare on either side, and the bootstrap alone takes those at hand for all.
    """
    n = len(values)
    units = Units(np.clip(values, *bounds) / n, np.full(n, 1.0 / n), np.zeros(n, dtype=np.int64))
    return bootstrap_t(
        [units],
        bounds,
        level=settings.level,
        resamples=settings.resamples,
        seed=settings.seed,
    )


def _relative(
    lost: Floats, room: Floats, left: Floats, settings: DropSettings, *, at_floor: bool
) -> Figure:
    """Return the drop as a share of the room for it.

    A share s is in the interval when 0 is in that of the mean of lost - s room: the control is
    uncertain too, and this way its error counts where it matters. When nothing is left in any
    scene, up to p = 1 - (1 - level)^(1/n) of the scenes may have kept all unseen: the lower end is
    then 1 - p range / control.

    Cites:
        Fieller (1954), "Some problems in interval estimation".
    """
    n, span = len(lost), settings.high - settings.low
    if not n or at_floor:
        return Figure(None, None, None, n, why="the control is at the floor" if n else _NO_SCENE)
    value = float(lost.sum() / room.sum())
    if n < SMALLEST_SAMPLE:
        return Figure(value, None, None, n, why=_TOO_FEW)
    if not left.any():
        unseen = (1.0 - (1.0 - settings.level) ** (1.0 / n)) * span
        return Figure(value, 1.0 - min(1.0, unseen / float(room.mean())), 1.0, n, "bound")

    def holds(share: float) -> bool:
        # Nothing can be lost but the room, nor gained but what was missing.
        found = _ends(lost - share * room, (-span, (1.0 - share) * span), settings)
        return found.low is not None and found.high is not None and found.low <= 0.0 <= found.high

    step = 0.25
    while holds(value - step):
        step *= 2.0
        if step > _FARTHEST:
            return Figure(value, None, None, n, why="the control may be 0: no interval")
    low = _edge(holds, value, value - step)
    high = 1.0 if holds(1.0) else _edge(holds, value, 1.0)
    return Figure(value, low, high, n, "bootstrap-t")


def _edge(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return where `holds` ends between a share inside and one outside, by halving."""
    while abs(outside - inside) > _PRECISION:
        middle = (inside + outside) / 2.0
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside
