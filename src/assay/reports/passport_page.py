"""Write a passport as a page that opens from disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.reports import words
from assay.reports._evidence import card_levels, card_origin
from assay.reports._html import write_still_page
from assay.reports._markup import Safe, tag
from assay.reports._parts import scroll
from assay.reports._passport_figures import curve_panels, reliability
from assay.reports._sections import section
from assay.reports.passport import HEADS, amount, by_domain, cells, extent, notes

__all__ = ["write_passport_page"]

_ABOUT = {
    "your episodes": "Checks that need no known truth, on the episodes that were given. What they"
    " say holds for scenes like these.",
    "simulated worlds": "Checks on scenes whose true progress, Phi*, is known exactly. They say how"
    " the judge behaves there; real scenes may be harder.",
}

_SMALL = (
    "Small print gives further numbers on the same scale: means over episodes or scenes; “least”"
    " and “greatest” are those of a single one."
)
_VERDICTS = {
    "stated": "“stated” has no limit to keep to.",
    "not run": "“not run” is a check that is not for this judge.",
    "not measured": "“not measured” is a check that was tried and gave no value.",
}
"""What must be said of a verdict that is neither a pass nor a failure."""

_EXAMPLE = (
    "One episode, as it was recorded and shown in other ways. A judge of what is seen stays level"
    " on a still video, comes down on a reversed one, and ends a loop where it began."
)
_RELIABLE = (
    "Mean Phi* of the moments in each tenth of the score, all attempts together. On the diagonal a"
    " score is the share of the task that is done."
)


def write_passport_page(document: Mapping[str, Any], out: Path) -> None:
    """Write `index.html` and its style into `out`; the same document gives the same bytes.

    Args:
        document: What `certify.json` holds.
        out: The folder.
    """
    title = f"Passport of {document['judge']['name']}"
    write_still_page(title, [_heading(document, title), _main(document)], out)


def _main(document: Mapping[str, Any]) -> Safe:
    domains = by_domain(document)
    return tag(
        "main",
        *(
            part
            for domain, lines in domains.items()
            for part in (_domain(document, domain, lines), _curves(domain, lines))
        ),
        _limits(document["checks"]),
        id="main",
    )


def _heading(document: Mapping[str, Any], title: str) -> Safe:
    judge = document["judge"]
    options = ", ".join(f"{k} {v}" for k, v in judge["settings"].items() if v not in (None, ""))
    files = ", ".join(f"{name} {str(held)[:12]}" for name, held in judge["files"].items())
    facts = {
        "Judge": judge["name"],
        "Options": options or "none",
        **_card(judge),
        "Files, with the start of their SHA-256": files or "none",
        "Look of the worlds": f"version {document['look']}",
        "Assay": f"version {document['versions']['assay']}",
    }
    shown = [tag("div", tag("dt", name), tag("dd", text)) for name, text in facts.items()]
    counts = [tag("p", line, class_="lead") for line in _counted(document)]
    return tag(
        "header",
        tag("a", "Skip to the checks", href="#main", class_="skip"),
        tag("p", "Assay · judge's passport", class_="kicker"),
        tag("h1", title),
        *counts,
        tag("dl", *shown, class_="facts"),
        class_="top",
    )


def _card(judge: Mapping[str, Any]) -> dict[str, str]:
    """Return what is known of a learned judge, or the noise of any other."""
    if judge["card"]:
        return {"Card": "; ".join([*card_levels(judge), *card_origin(judge)]) or "says nothing"}
    noise = "not measured" if judge["noise"] is None else f"sigma {judge['noise']:.3g}"
    return {"Card": "none: it was not trained", "Noise": noise}


def _counted(document: Mapping[str, Any]) -> list[str]:
    """Say how many checks passed and failed on each domain; there is no grade over both."""
    told = []
    for domain, lines in by_domain(document).items():
        failed = [line["title"] for line in lines if line["verdict"] == "fail"]
        passed = sum(line["verdict"] == "pass" for line in lines)
        which = f" ({words.listing(failed)})" if failed else ""
        silent = sum(line["value"] is None for line in lines)
        rest = f", {silent} without a value" if silent else ""
        told.append(
            f"On {domain}: {words.counted(passed, 'check')} passed, {len(failed)} failed{which}"
            f"{rest}."
        )
    return told


def _domain(document: Mapping[str, Any], domain: str, lines: Sequence[Mapping[str, Any]]) -> Safe:
    note = document["domains"].get(domain, {}).get("note")
    return section(
        domain.replace(" ", "-"),
        f"On {domain}",
        tag("p", note, class_="notice", role="note") if note else None,
        tag("p", f"{_ABOUT.get(domain, '')} {extent(document, domain)}."),
        _table(domain, lines),
    )


def _curves(domain: str, lines: Sequence[Mapping[str, Any]]) -> Safe | None:
    """Return example curves and the reliability diagram of a domain, None without any."""
    panels = curve_panels(lines)
    bins = next((line["drawn"]["bins"] for line in lines if "bins" in line["drawn"]), None)
    if panels is None and bins is None:
        return None
    return section(
        f"curves-{domain.replace(' ', '-')}",
        f"Curves on {domain}",
        None if panels is None else _figure(panels, _EXAMPLE),
        None if bins is None else _figure(reliability(bins), _RELIABLE),
    )


def _figure(drawing: Safe, caption: str) -> Safe:
    return tag("figure", drawing, tag("figcaption", caption))


def _table(domain: str, lines: Sequence[Mapping[str, Any]]) -> Safe:
    rows = []
    for line in lines:
        title, verdict, value, limit, n, told = cells(line)
        failed = "not-ok" if line["verdict"] == "fail" else None
        rows.append(
            tag(
                "tr",
                tag("th", title, tag("small", line["quantity"]), scope="row"),
                tag("td", verdict, class_=failed),
                tag("td", value, class_="num"),
                tag("td", limit),
                tag("td", n, class_="num"),
                tag("td", told, *_more(line)),
            )
        )
    head = tag("thead", tag("tr", *(tag("th", _head(text), scope="col") for text in HEADS)))
    table = tag(
        "table",
        tag("caption", " ".join([*notes(lines), _SMALL, *_verdicts(lines)])),
        head,
        tag("tbody", *rows),
        class_="plain",
    )
    return scroll(table, f"Checks on {domain}")


def _verdicts(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Explain the verdicts that are there and don't explain themselves."""
    there = {line["verdict"] for line in lines}
    return [told for verdict, told in _VERDICTS.items() if verdict in there]


def _head(text: str) -> str:
    return text if len(text) == 1 else text.capitalize()


def _more(line: Mapping[str, Any]) -> list[Safe]:
    """Return the further numbers of a line."""
    numbers = ", ".join(f"{name} {amount(line, value)}" for name, value in line["more"].items())
    return [tag("small", numbers)] if numbers else []


def _limits(lines: Sequence[Mapping[str, Any]]) -> Safe:
    """Say where the limits come from."""
    sources: dict[str, list[str]] = {}
    for line in lines:
        if line["limit"] is not None:
            titles = sources.setdefault(line["limit"]["source"], [])
            if line["title"] not in titles:
                titles.append(line["title"])
    items = [
        tag("li", tag("b", f"{source}: "), words.listing(titles))
        for source, titles in sources.items()
    ]
    return section("limits", "Where the limits come from", tag("ul", *items))
