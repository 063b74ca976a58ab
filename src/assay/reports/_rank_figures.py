"""Draw a ranking: strengths with intervals and tiers, and who won against whom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from assay.reports._markup import Safe, tag
from assay.reports._palette import looks, marker
from assay.reports._rank_words import strength
from assay.reports._svg import Frame, picture, text

__all__ = ["MOST_NAMED", "dots", "matrix", "span_of"]

Row: TypeAlias = Mapping[str, Any]
Span: TypeAlias = tuple[float, float]

MOST_NAMED = 24
"""A matrix of more policies can't be read."""

_ROW = 28.0
_LONGEST = 26  # characters of a name that fit beside a figure
_CELL = 46.0


def span_of(rankings: Sequence[Sequence[Row]]) -> Span:
    """Return the range of strengths that shows all intervals and 0."""
    keys = ("beta", "low", "high")
    found = [row[k] for rows in rankings for row in rows for k in keys if row[k] is not None]
    return min([0.0, *found]), max([0.0, *found])


def dots(rows: Sequence[Row], span: Span, label: str, *, wide: bool = True) -> Safe:
    """Draw the strength of each policy with its interval, tier by tier.

    Args:
        rows: The policies by rank.
        span: The range of strengths to show.
        label: What the figure is called.
        wide: Whether it has a place of its own, and not one beside others.
    """
    ticks = _ticks(*span)
    left = 200.0 if wide else 130.0
    frame = Frame(
        width=860.0 if wide else 420.0,
        height=_ROW * len(rows) + 58.0,
        left=left,
        right=96.0 if wide else 46.0,
        x_from=ticks[0],
        x_top=ticks[-1],
    )
    foot = frame.height - 44.0
    end = frame.width - frame.right
    parts = [*_bands(rows, frame, end, wide=wide), *_axis(ticks, frame, foot)]
    for place, row in enumerate(rows):
        parts += _row(row, frame, 8.0 + _ROW * (place + 0.5), wide=wide)
    return picture(frame.width, frame.height, label, parts, "wide" if wide else "")


def _bands(rows: Sequence[Row], frame: Frame, end: float, *, wide: bool) -> list[Safe]:
    """Draw a line where a tier ends, and the tier's number at its first policy."""
    found = []
    for place, row in enumerate(rows):
        top = 8.0 + _ROW * place
        opens = not place or row["tier"] != rows[place - 1]["tier"]
        if opens and place:
            found.append(tag("line", x1=0.0, y1=top, x2=frame.width, y2=top, class_="axis"))
        if opens and row["tier"] is not None:
            name = f"tier {row['tier']}" if wide else f"T{row['tier']}"
            found.append(text(end + 14.0, top + _ROW / 2 + 4.0, name, "label"))
    return found


def _axis(ticks: Sequence[float], frame: Frame, foot: float) -> list[Safe]:
    found = []
    for value in ticks:
        x = frame.x(value)
        kind = "axis" if abs(value) < 1e-9 else "grid"
        found.append(tag("line", x1=x, y1=8.0, x2=x, y2=foot, class_=kind))
        found.append(text(x, foot + 16.0, f"{round(value, 6) + 0.0:g}", "num", "middle"))
    middle = (frame.x(ticks[0]) + frame.x(ticks[-1])) / 2
    found.append(
        text(middle, foot + 36.0, "strength (log-odds; an average policy has 0)", "label", "middle")
    )
    return found


def _row(row: Row, frame: Frame, y: float, *, wide: bool) -> list[Safe]:
    """Draw one policy: its name, its interval and its mark, or why it has none."""
    most = _LONGEST if wide else 16
    name = row["name"] if len(row["name"]) <= most else f"{row['name'][: most - 1]}…"
    rank = "" if row["rank"] is None else f"{row['rank']}  "
    parts = [tag("title", f"{row['name']}: {row.get('why') or strength(row)}")]
    parts.append(text(frame.left - 14.0, y + 4.5, f"{rank}{name}", "name", "end"))
    if row["beta"] is None:
        parts.append(
            text(frame.left + 8.0, y + 4.0, "no strength" if not wide else row["why"], "note")
        )
        return [tag("g", *parts)]
    look = looks(["strength"])["strength"]
    if row["low"] is not None:
        low, high = frame.x(row["low"]), frame.x(row["high"])
        parts.append(tag("line", x1=low, y1=y, x2=high, y2=y, class_=f"line {look.colour}"))
    mark = marker(look, frame.x(row["beta"]), y, size=5.0, hollow=row["low"] is None)
    return [tag("g", *parts, mark)]


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers that span `low` to `high`, 0 among them, with room at both ends."""
    wanted = max(high - low, 0.2)
    power = 10.0 ** math.floor(math.log10(wanted / 4))
    step = next(k * power for k in (1, 2, 2.5, 5, 10) if k * power * 6 >= wanted)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [step * k for k in range(first, max(last, first + 1) + 1)]


def matrix(found: Mapping[str, Any]) -> Safe | None:
    """Draw how often the policy of a row was preferred to that of a column, ties left out.

    None when there are too many policies to read it.
    """
    names, wins = found["names"], found["wins"]
    if len(names) > MOST_NAMED:
        return None
    left, top = 190.0, 34.0
    parts = []
    for i, name in enumerate(names):
        shown = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
        y = top + _CELL * (i + 0.5)
        parts.append(text(left - 12.0, y + 4.0, f"{i + 1}  {shown}", "name", "end"))
        parts.append(text(left + _CELL * (i + 0.5), top - 10.0, str(i + 1), "name", "middle"))
        parts += [
            _cell(names, wins, i, j, (left + _CELL * j, top + _CELL * i)) for j in range(len(names))
        ]
    size = left + _CELL * len(names) + 8.0, top + _CELL * len(names) + 8.0
    return picture(
        *size, "Wins of each policy against each other one", parts, "wide" if len(names) > 8 else ""
    )


def _cell(
    names: Sequence[str], wins: Sequence[Sequence[int]], i: int, j: int, corner: tuple[float, float]
) -> Safe:
    """Draw one cell: the more of their decisive votes i won, the fuller its colour."""
    x, y = corner
    games = wins[i][j] + wins[j][i]
    share = wins[i][j] / games if games else 0.0
    told = f"{names[i]} won {wins[i][j]} of {games} decisive votes against {names[j]}"
    box = {"x": x + 1.0, "y": y + 1.0, "width": _CELL - 2.0, "height": _CELL - 2.0}
    filled = tag("rect", **box, class_="fill c0", fill_opacity=float(share))
    number = str(wins[i][j]) if games else "·"
    middle = text(x + _CELL / 2, y + _CELL / 2 + 4.0, "" if i == j else number, "num", "middle")
    return tag("g", tag("title", told) if i != j else None, filled if games else None, middle)
