"""Write the sections of `index.html`, each from the audit document alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assay.reports import words
from assay.reports._evidence import alarms, card_facts, passport_line, passport_warnings
from assay.reports._layout import (
    NO_LABELS,
    Grid,
    scored,
    totals,
)
from assay.reports._markup import Safe, tag
from assay.reports._quality import Scatter, quality_table
from assay.reports.figures import MANY_LINES, reachability
from assay.reports.fingerprints import fingerprints

__all__ = [
    "alarm_lines",
    "episodes",
    "failures",
    "heading",
    "provenance",
    "quality_scatter",
    "reach",
    "section",
]

_NAMED_SETTINGS = ("fill", "limit")
"""Settings that change numbers and so stand in the heading whenever they are on."""

_LONG_TITLE = 90
_SOURCES = {
    "judge noise": "from the judge's noise",
    "still segment": "measured on still segments",
    "recorded": "as recorded with the episodes",
    "labels": "by the labels file",
}
"""How the document's words for the origin of a number are said."""


def section(name: str, title: str, *content: Safe | None) -> Safe:
    """Return a section with its title."""
    return tag("section", tag("h2", title), *content, id=name)


def heading(audit: Mapping[str, Any], title: str) -> Safe:
    """Return the title with the facts that every number below rests on."""
    links = [
        ("summary", "Summary"),
        ("reach", "Reachability"),
        ("quality", "Quality of successes"),
        ("failures", "Failures"),
        *([("beside", "Other judges")] if audit.get("beside") else []),
        ("episodes", "Episodes"),
    ]
    facts = [
        tag("div", tag("dt", name), tag("dd", *value), class_=name.lower())
        for name, value in _facts(audit)
    ]
    note = str((audit.get("settings") or {}).get("note") or "")
    return tag(
        "header",
        *alarm_lines(audit),
        tag("a", "Skip to the findings", href="#main", class_="skip"),
        tag("nav", *(tag("a", text, href=f"#{at}") for at, text in links), aria_label="Sections"),
        tag("p", "Assay · policy audit", class_="kicker"),
        tag("h1", title, class_="long" if len(title) > _LONG_TITLE else None),
        tag("p", note, class_="notice", role="note") if note else None,
        tag("dl", *facts, class_="facts"),
        class_="top",
    )


def alarm_lines(audit: Mapping[str, Any]) -> list[Safe]:
    """Return what stands before all else when the judge has not seen such scenes."""
    return [tag("p", sentence, class_="alarm", role="note") for sentence in alarms(audit)]


def _facts(audit: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    counts = totals(audit["cells"])
    judge = audit.get("judge") or {}
    named = (audit.get("settings") or {}).items()
    changed = [f"{key}: {_said(v)}" for key, v in named if key in _NAMED_SETTINGS and _is_on(v)]
    facts = [
        ("Judge", [str(judge.get("name") or "not named"), *_judge_settings(judge)]),
        ("Passport", _passport(judge)),
        ("Epsilon", _epsilon(audit.get("epsilon") or {})),
        ("Success", [_sourced(audit.get("success_source")) or NO_LABELS]),
        ("Episodes", [f"{sum(counts.values())} in all: {words.statuses(counts) or 'none'}"]),
    ]
    if audit.get("beside"):
        names = [str(beside["judge"]["name"]) for beside in audit["beside"]]
        facts.insert(2, ("Beside", [words.listing(names)]))
    if changed:
        facts.append(("Changed on request", [", ".join(changed)]))
    return [*facts, ("Input", _inputs(audit.get("inputs") or []))]


def _judge_settings(judge: Mapping[str, Any]) -> list[Safe]:
    parts = [
        f"{key} {_said(value)}"
        for key, value in (judge.get("settings") or {}).items()
        if _is_on(value)
    ]
    facts = card_facts(judge)
    if judge.get("noise") is not None and not judge.get("card"):
        parts.append(f"noise {judge['noise']:.3g}")
    return [tag("small", text) for text in (", ".join(parts), "; ".join(facts)) if text]


def _passport(judge: Mapping[str, Any]) -> list[str]:
    line = passport_line(judge).removeprefix("passport: ")
    return [line, *(tag("small", sentence) for sentence in passport_warnings(judge))]


def _epsilon(epsilon: Mapping[str, Any]) -> list[str]:
    if epsilon.get("value") is None:
        return ["none"]
    source = _sourced(epsilon.get("source"))
    sigma = epsilon.get("sigma")
    said: list[str] = [f"{epsilon['value']:.3g}, "]
    said.append(tag("em", "assumed", class_="assumed") if source == "assumed" else source)
    if source == "assumed":
        said.append(tag("small", "STR at 0.003 and 0.03 stands beside it"))
    elif sigma is not None:
        said.append(tag("small", f"noise sigma {sigma:.3g}"))
    return said


def _inputs(inputs: list[Mapping[str, Any]]) -> list[str]:
    lines = [
        tag(
            "li",
            *([tag("b", str(found["label"])), " "] if found.get("label") else []),
            tag("code", str(found["path"])),
            f" {found.get('format') or ''}, {words.counted(found.get('episodes') or 0, 'episode')}",
        )
        for found in inputs
    ]
    return [tag("ul", *lines)] if lines else ["not named"]


def reach(audit: Mapping[str, Any]) -> Safe:
    """Return the reachability figure."""
    title = "How far episodes get"
    if not any(map(scored, audit["cells"])):
        return section("reach", title, tag("p", "Not shown: no scored episode."))
    grid = Grid.of(audit)
    lines = max(sum(scored(cell) > 0 for _, cell in grid.row(panel)) for panel in grid.panels)
    bars = (
        ", with the 95 % interval of their share; they are moved aside a little so that they don't "
        "hide each other."
        if lines <= MANY_LINES
        else f"; a panel with more than {MANY_LINES} lines leaves out their intervals, which the "
        "summary table has."
    )
    caption = (
        "For each progress on the horizontal axis, the share of scored episodes that reach it. "
        f"Markers stand at the milestones{bars} {_counted(audit)}"
    )
    return section("reach", title, _figure(1, reachability(audit), caption, grid))


def quality_scatter(audit: Mapping[str, Any]) -> Safe:
    """Return the scatters of the quality of successes and their numbers, or why there are none."""
    title = "Quality of successes"
    found = [cell.get("conditioned") or {} for cell in audit["cells"]]
    if not any("n" in quality_of for quality_of in found):
        reasons = sorted({str(f["why"]) for f in found if f.get("why")})
        why = words.listing(reasons) or NO_LABELS
        return section("quality", title, tag("p", f"Not shown: {why}."))
    on = next(str(f["on"]) for f in found if "on" in f)
    figures = []
    for number, against, what in ((2, "cra", "regret"), (3, "str", "stagnation")):
        scatter = Scatter.of(audit, against)
        caption = (
            f"Directness (PPL) against {what} ({against.upper()}) of successes (by success at the "
            f"{on}): means over {words.counted(scatter.n, 'episode')}. Bars are 95 % intervals; a "
            "hollow marker has too few successes for one. The lower right corner is best."
            f"{_axis_note(scatter)}"
        )
        figures.append(_figure(number, scatter.draw(), caption, scatter.grid))
    return section("quality", title, *figures, quality_table(audit))


def _axis_note(scatter: Scatter) -> str:
    first = words.points(scatter.x_ticks[0])
    return f" The PPL axis starts at {first}, not at 0." if scatter.x_ticks[0] > 0 else ""


def failures(audit: Mapping[str, Any]) -> Safe:
    """Return the failure fingerprints, or say why there are none."""
    title = "How failures fail"
    if not audit.get("fingerprints"):
        why = "there are no failures to compare" if audit.get("success_source") else NO_LABELS
        return section("failures", title, tag("p", f"Not shown: {why}."))
    caption = (
        "Failures only. Bars are z-scores within a task across policies, 0 being their mean; CRA "
        "and STR are flipped, so a bar to the right is always better. The number beside a bar is "
        "the raw mean on the scale of 0 to 100; n is the number of failures. A z-score compares "
        "with the other policies of the task and says nothing of the size of a difference."
    )
    return section("failures", title, _figure(4, fingerprints(audit), caption, Grid.of(audit)))


def episodes() -> Safe:
    """Return the place where the script puts the list of episodes."""
    return section(
        "episodes",
        "Episodes",
        tag("div", id="list"),
        tag("noscript", tag("p", "The list needs JavaScript; all that stands above does not.")),
        tag("p", "The list of single episodes is left out in print.", class_="print-only quiet"),
    )


def provenance(audit: Mapping[str, Any]) -> Safe:
    """Return the settings of the run, folded away."""
    kept = {key: audit.get(key) for key in ("schema", "judge", "epsilon", "settings")}
    written = json.dumps(kept, indent=2, sort_keys=True, ensure_ascii=False, default=str)
    return tag("details", tag("summary", "All settings of this run"), tag("pre", written))


def _figure(number: int, drawing: Safe, caption: str, grid: Grid) -> Safe:
    lead = tag("b", f"Figure {number}. ")
    kind = "many" if len(grid.panels) > 1 else "single"
    return tag("figure", drawing, tag("figcaption", lead, caption), class_=kind)


def _counted(audit: Mapping[str, Any]) -> str:
    """Word how many episodes a drawn line has; a cell without a scored one has no line."""
    counts = sorted({scored(cell) for cell in audit["cells"] if scored(cell)})
    if len(counts) == 1:
        return f"n = {words.counted(counts[0], 'scored episode')} a line."
    return f"n = {counts[0]} to {words.counted(counts[-1], 'scored episode')} a line."


def _sourced(source: object) -> str:
    return "" if source is None else _SOURCES.get(str(source), str(source))


def _is_on(value: object) -> bool:
    return value not in (None, False, "", "none", "off")


def _said(value: object) -> str:
    return "on" if value is True else str(value)
