"""Tell which policies can be put on one scale, and say in words why others can't.

Draw an arrow from every winner to every loser. Strengths have a finite best value exactly within a
group of policies that can all be reached from each other along the arrows. Between groups there is
either no vote at all, and nothing is known, or one side won all of them, and the likelihood grows
without end as they are moved apart.

Cites:
    Ford (1957), "Solution of a ranking problem from binary comparisons".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.metrics.preference.counts import Tally
from assay.metrics.results import Floats, Ints

__all__ = ["REMEDY", "Groups", "find_groups"]

_NAMED = 4
"""So many policies are named in a sentence; the others are counted."""

REMEDY = "Collect votes on such pairs, or ask for a regularised fit."
"""What to do about the warnings below."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The groups of policies that share a scale.

    Attributes:
        main: The places of the policies of the group with the most votes; empty when no two
            policies share a scale.
        others: The places of each further group of at least two policies.
        why: Why a policy is not in the main group, or None.
        warnings: A sentence on each thing that keeps the policies apart.
    """

    main: Ints
    others: tuple[Ints, ...]
    why: tuple[str | None, ...]
    warnings: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Tell whether all policies share one scale."""
        return len(self.main) == len(self.why)


def find_groups(tally: Tally, names: Sequence[str], *, with_ties: bool = False) -> Groups:
    """Find the groups of policies that share a scale.

    Args:
        tally: The votes.
        names: The names of the policies.
        with_ties: Whether a tie joins two policies, as it does in Davidson's model.
    """
    arrows = tally.wins + tally.ties if with_ties else tally.wins
    label = _components(arrows, strong=True)
    part = _components(arrows, strong=False)
    members = [np.flatnonzero(label == k) for k in range(int(label.max(initial=-1)) + 1)]
    inside = [float(arrows[np.ix_(own, own)].sum()) for own in members]
    order = sorted(range(len(members)), key=lambda k: (-inside[k], -len(members[k]), k))
    # Policies joined by ties alone are equal, but nothing tells how likely ties are.
    large = [own for own in (members[k] for k in order) if tally.wins[np.ix_(own, own)].any()]
    main = large[0] if large else np.empty(0, dtype=np.int64)
    why: list[str | None] = [None] * len(names)
    for own in members:
        if not np.array_equal(own, main):
            for place in own.tolist():
                why[place] = _reason(place, own, main, arrows, part, names)
    warnings = [*_islands(part, main, names), *_lopsided(members, main, arrows, part, names)]
    return Groups(main, tuple(large[1:]), tuple(why), tuple(warnings))


def _components(arrows: Floats, *, strong: bool) -> npt.NDArray[np.int32]:
    from scipy.sparse.csgraph import connected_components

    found: npt.NDArray[np.int32] = connected_components(
        arrows > 0, directed=True, connection="strong" if strong else "weak"
    )[1]
    return found


def _reason(
    place: int,
    own: Ints,
    main: Ints,
    arrows: Floats,
    part: npt.NDArray[np.int32],
    names: Sequence[str],
) -> str:
    """Say why the policy at `place` has no strength on the main scale."""
    others = np.setdiff1d(np.arange(len(names)), own)
    won, lost = float(arrows[np.ix_(own, others)].sum()), float(arrows[np.ix_(others, own)].sum())
    if not arrows[place].any() and not arrows[:, place].any():
        return "it has no decisive vote"
    if len(main) and part[place] != part[main[0]]:
        return f"no vote joins it with {_listed(main, names)}"
    who = "it" if len(own) == 1 else f"its group ({_listed(own, names)})"
    if not lost:
        return f"{who} won {_all(won)} against others: no upper limit"
    if not won:
        return f"{who} lost {_all(lost)} against others: no lower limit"
    return f"{who} always won against some and always lost against others: no limit on either side"


def _islands(part: npt.NDArray[np.int32], main: Ints, names: Sequence[str]) -> list[str]:
    """Word policies that no chain of votes joins."""
    count = int(part.max(initial=-1)) + 1
    if count < 2:
        return []
    first = int(part[main[0]]) if len(main) else 0
    order = [first, *(k for k in range(count) if k != first)]
    told = "; ".join(_listed(np.flatnonzero(part == k), names) for k in order[:_NAMED])
    more = f"; and {count - _NAMED} more" if count > _NAMED else ""
    said = f"The votes fall into {count} parts that no decisive vote joins: {told}{more}."
    return [f"{said} Nothing tells how strengths compare across parts."]


def _lopsided(
    members: Sequence[Ints],
    main: Ints,
    arrows: Floats,
    part: npt.NDArray[np.int32],
    names: Sequence[str],
) -> list[str]:
    """Word policies that are joined with others by wins in one direction only."""
    found = []
    for own in members:
        alone = np.flatnonzero(part == part[own[0]])
        if len(alone) == len(own) or np.array_equal(own, main):
            continue
        rest = np.setdiff1d(alone, own)
        won, lost = (float(arrows[np.ix_(x, y)].sum()) for x, y in ((own, rest), (rest, own)))
        who = _listed(own, names)
        if not lost:
            said = f"{who} won {_all(won)} against others: the strength has no upper limit."
        elif not won:
            said = f"{who} lost {_all(lost)} against others: the strength has no lower limit."
        else:
            said = (
                f"{who} won all votes against some and lost all against others:"
                " nothing tells how far either are."
            )
        found.append(said)
    return found


def _all(votes: float) -> str:
    return "the only decisive vote" if votes == 1 else f"all {votes:.0f} decisive votes"


def _listed(places: Ints, names: Sequence[str]) -> str:
    shown = [names[k] for k in places[:_NAMED].tolist()]
    more = len(places) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
