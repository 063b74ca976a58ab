"""Show the judges beside the main one: the order of policies, and every figure by each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.reports import words
from assay.reports._agreeing import ORDERED, closeness, named, ranked, tau, verdict, widest
from assay.reports._evidence import card_facts, passport_line, passport_warnings, unseen
from assay.reports._layout import Cell, Column, Grid, columns, group_fields, scored
from assay.reports._markup import Safe, tag
from assay.reports._palette import Look, looks
from assay.reports._parts import head, names, scores, scroll, small, value
from assay.reports._sections import section

__all__ = ["beside_columns", "besides"]

_SCORED = Column("scored", "Scored", "Scored episodes of all episodes", lambda _: None)
_DIFFERENCE = Column(
    "difference",
    "Apart",
    "Mean absolute difference to the main judge's curve, over moments, then over episodes.",
    lambda cell: cell.get("difference"),
    up=False,
)
_SHOWN = 6


def beside_columns(audit: Mapping[str, Any]) -> list[Column]:
    """Return the metrics of a judge beside the main one: success is not its to tell."""
    kept = [c for c in columns(audit) if not c.key.startswith(("success", "str_at"))]
    return [*kept, _DIFFERENCE]


def besides(audit: Mapping[str, Any]) -> Safe | None:
    """Return the section of the judges beside the main one; None without one."""
    found = audit.get("beside") or ()
    if not found:
        return None
    lead = tag(
        "p",
        "The same episodes, judged by others. A null judge sees neither frames nor signals: what "
        f"it gets right needs no looking. {ORDERED}",
        class_="caption",
    )
    return section(
        "beside", "Beside other judges", lead, *(_judge(audit, beside) for beside in found)
    )


def _judge(audit: Mapping[str, Any], beside: Mapping[str, Any]) -> Safe:
    name = str(beside["judge"]["name"])
    said = verdict(beside)
    told = [
        *unseen(beside["judge"]),
        f"{said[0].upper()}{said[1:]}.",
        widest(audit, beside),
        closeness(audit, beside),
        "; ".join(card_facts(beside["judge"])),
        *_passport(beside["judge"]),
    ]
    return tag(
        "div",
        tag("h3", named(beside)),
        *(tag("p", sentence) for sentence in told if sentence),
        scroll(_orders(audit, beside), f"Order of policies by {name}"),
        tag(
            "details",
            tag("summary", f"All figures by {name}"),
            scroll(_figures(audit, beside), f"Figures by {name}"),
            _few(audit, beside),
        ),
        class_="judge",
    )


def _passport(judge: Mapping[str, Any]) -> list[str]:
    """Return what the passport of a judge says, nothing without one."""
    if not judge.get("passport"):
        return []
    line = passport_line(judge)
    return [f"{line[0].upper()}{line[1:]}.", *passport_warnings(judge)]


def _orders(audit: Mapping[str, Any], beside: Mapping[str, Any]) -> Safe:
    """Return the table of the orders of policies, a row per task."""
    main, other = audit["judge"]["name"], beside["judge"]["name"]
    heads = ("Task", f"Order by {main}", f"Order by {other}", "Tau-b", "Tied", "Swapped")
    rows = [
        tag(
            "tr",
            tag("th", order["task"], scope="row"),
            *(tag("td", _ranked(order, who)) for who in ("main", "beside")),
            tag("td", tau(order), " ", small(_behind(order)), class_="num"),
            tag("td", f"{len(order['tied'])} of {order['pairs']}", class_="num"),
            tag("td", f"{len(order['swapped'])} of {order['pairs']}", small(_swapped(order))),
        )
        for order in beside["orders"]
    ]
    first = [
        tag("th", name, scope="col", class_="num" if name in ("Tau-b", "Tied") else None)
        for name in heads
    ]
    return tag("table", tag("thead", tag("tr", *first)), tag("tbody", *rows), class_="plain orders")


def _ranked(order: Mapping[str, Any], who: str) -> str:
    return ranked(order, who) or f"{len(order['policies'])} policies"


def _behind(order: Mapping[str, Any]) -> str:
    """Say why there is no tau or no interval, or over how many policies it is."""
    return order["tau"].get("why") or words.counted(len(order["policies"]), "policy")


def _swapped(order: Mapping[str, Any]) -> str:
    """Name the swapped pairs, the surest first."""
    surest = sorted(order["swapped"], key=lambda swap: -(swap["share"] or 0.0))
    return words.some([_pair(swap) for swap in surest], most=_SHOWN)


def _pair(swap: Mapping[str, Any]) -> str:
    share = "" if swap["share"] is None else f" ({100 * swap['share']:.0f} % of resamples)"
    return f"{words.listing(swap['policies'])}{share}"


def _figures(audit: Mapping[str, Any], beside: Mapping[str, Any]) -> Safe:
    """Return the metrics of every cell as the judge has them."""
    fields, grid, cells = group_fields(audit), Grid.of(audit), beside["cells"]
    metrics, styles = beside_columns(audit), looks(grid.series)
    rows = [
        tag("tbody", tag("tr", *_row(cell, fields, metrics, styles[series])))
        for cell, series in zip(cells, grid.series_of_cells(), strict=True)
    ]
    return tag("table", head(fields, [_SCORED, *metrics], cells), *rows, class_="summary sortable")


def _row(
    cell: Cell, fields: Sequence[str], metrics: Sequence[Column], look: Look
) -> Iterator[Safe]:
    yield from names(cell, fields, look)
    yield scores(cell)
    for column in metrics:
        estimate = column.pick(cell)
        other = estimate is not None and estimate["n"] not in (0, scored(cell))
        yield value(column, cell, None, [small(words.count(estimate))] if other else ())


def _few(audit: Mapping[str, Any], beside: Mapping[str, Any]) -> Safe | None:
    shown = (words.number(c.pick(cell)) for cell in beside["cells"] for c in beside_columns(audit))
    return (
        tag("p", words.few_note(), class_="notes") if any(words.FEW in n for n in shown) else None
    )
