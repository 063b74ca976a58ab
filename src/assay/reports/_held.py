"""How often the intervals that pages show held the truth in simulated studies, and its wording."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["HELD", "held"]

_RARE = "least at n = 20 for a rare collapse"
_CLOSE = "least at n = 20 for policies that lie close together"
_OVERLOOKED = "least at n = 20 where the judge overlooks a failure in one of ten episodes"
_LOP = "least at n = 20 for lop-sided scores"

HELD: Mapping[str, tuple[float, float, str]] = {
    "mean": (87.7, 98.2, _RARE),
    "mean, open range": (94.0, 95.8, ""),
    "share": (92.2, 97.5, "least at n = 50 for a share of 2 %"),
    "paired difference": (87.0, 98.5, f"{_RARE} against a policy near 1"),
    "unpaired difference": (85.2, 97.8, f"{_RARE} against a policy near 1"),
    "paired effect": (85.8, 100.0, _RARE),
    "unpaired effect": (83.2, 100.0, _RARE),
    "paired improvement": (93.5, 98.0, ""),
    "unpaired improvement": (92.5, 97.8, "least at n = 200 for a rare collapse"),
    "paired share difference": (94.0, 98.8, ""),
    "unpaired share difference": (94.0, 98.8, ""),
    "drop": (91.3, 97.3, "least at n = 20 for equal success"),
    "relative drop": (91.3, 98.3, "least at n = 20 for equal success"),
    "betting, kept": (96.9, 100.0, ""),
    "labels and judge": (85.2, 99.2, _OVERLOOKED),
    "labels alone": (89.0, 98.8, _OVERLOOKED),
    "labels and judge, by task": (91.3, 97.0, "least at n = 50 for a good judge"),
    "labels alone, by task": (92.3, 96.0, "least at n = 50 for a useless judge"),
    "effective": (84.5, 97.5, _OVERLOOKED),
    "pearson": (93.0, 97.0, ""),
    "spearman": (92.7, 97.7, "least at n = 200 for a correlation of 0.5"),
    "kendall": (92.3, 97.7, "least at n = 200 for a correlation of 0.5"),
    "slope": (91.7, 97.7, "least at n = 20 for clumped scores"),
    "intercept": (89.7, 96.3, _LOP),
    "gain": (91.0, 95.3, "least at n = 20 for 0.9 over 0.8"),
    "icc": (94.3, 96.4, ""),
    "cohen": (92.8, 99.7, "least at n = 20 where one in ten is a yes"),
    "weighted cohen": (94.0, 98.3, ""),
    "fleiss": (93.7, 97.7, ""),
    "alpha ordinal": (93.3, 97.0, ""),
    "alpha interval": (94.3, 98.0, ""),
    "ceiling of scores": (94.0, 97.3, ""),
    "sim and real pearson": (91.4, 100.0, _CLOSE),
    "sim and real spearman": (99.6, 100.0, ""),
    "sim and real kendall": (99.6, 100.0, ""),
    "sim and real mmrv": (95.4, 100.0, ""),
    "strength, sandwich": (93.6, 95.2, ""),
    "strength, davidson": (92.4, 94.8, "least at n = 20 for the policy held least"),
    "strength, regularised": (93.0, 95.9, ""),
    "strength, clustered": (94.0, 95.1, ""),
    "pair of strengths": (93.9, 96.1, ""),
    "ranks left open": (98.0, 100.0, ""),
    "rankings, tau": (99.0, 100.0, ""),
    "rankings, rho": (99.0, 100.0, ""),
}
"""How often an interval of nominal 95 % held the truth at n = 20, 50 and 200 [%]: least and most
over all populations of the campaigns, and where it was least if that is below 93. The intervals are
named as in tests/proof/measured, and a test holds these figures against it."""


def held(*names: str) -> str:
    """Word the coverage that was measured of some intervals together."""
    least, most = min(HELD[name][0] for name in names), max(HELD[name][1] for name in names)
    lowest = min(names, key=lambda name: HELD[name][0])
    weak = f", {HELD[lowest][2]}" if HELD[lowest][2] else ""
    return (
        f"Of nominal 95 %, {least:.1f} to {most:.1f} % held the truth from n = 20 on{weak}"
        " (docs/metrics.md, Coverage)."
    )
