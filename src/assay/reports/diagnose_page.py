"""Write a diagnosis as a folder that opens from disk: the clips together, and a page for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from assay.episodes.glitches.taxonomy import taxonomy
from assay.reports import words
from assay.reports._asking import write_calls_script
from assay.reports._html import page
from assay.reports._markup import Safe, join, safe_json, tag
from assay.reports._parts import scroll
from assay.reports._sections import section
from assay.reports._shards import SHARD
from assay.reports.asked import asked_section
from assay.reports.audit_page import Clip
from assay.reports.diagnose_tables import notes, titled

__all__ = ["DiagnosePage", "write_diagnose_page"]

_SCRIPTS: Final = ("common.js", "player.js", "calls.js", "recording.js", "clip.js")
_RATES: Final = (
    "Share of examined clips with at least one event, scale 0 to 100, with its 95 % interval"
    " (Wilson). A dimension counts only clips in which it could be looked at."
)


@dataclass(frozen=True)
class DiagnosePage:
    """All that the pages show.

    Attributes:
        document: The document of `diagnose.json`.
        clips: The rows of `episodes.parquet` with `instruction` and `examined`, how each went.
        videos: What to play per clip.
        calls: Gives what models were asked for a clip: rows of `calls.parquet`.
    """

    document: Mapping[str, Any]
    clips: Sequence[Mapping[str, Any]]
    videos: Mapping[str, Sequence[Clip]]
    calls: Callable[[str], Sequence[Mapping[str, Any]]]

    @property
    def title(self) -> str:
        """Return the heading."""
        return f"Diagnosis of {words.some(sorted({str(row['policy']) for row in self.clips}))}"


def write_diagnose_page(shown: DiagnosePage, out: Path) -> None:
    """Write `index.html`, `episode.html` and `assets/` into `out`; same page, same bytes."""
    assets = out / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    for name in ("report.css", *_SCRIPTS):
        (assets / name).write_bytes(files("assay.reports").joinpath("static", name).read_bytes())
    listed = {
        "ids": [str(row["episode"]) for row in shown.clips],
        "shard": SHARD,
        "dimensions": [[name, one.title] for name, one in taxonomy().dimensions.items()],
    }
    _write(assets / "episodes.js", f"window.assayEpisodes({safe_json(listed)});\n")
    records = list(_records(shown))
    for number, start in enumerate(range(0, len(records), SHARD)):
        some = ",\n".join(map(safe_json, records[start : start + SHARD]))
        _write(assets / f"data-{number:03d}.js", f"window.assayData({number},[\n{some}\n]);\n")
    for place, row in enumerate(shown.clips):
        write_calls_script(assets, place, shown.calls(str(row["episode"])))
    _write(out / "index.html", _index(shown))
    _write(out / "episode.html", _clip_page(shown))


def _records(shown: DiagnosePage) -> Iterator[dict[str, Any]]:
    for row in shown.clips:
        name = str(row["episode"])
        yield {
            "instruction": row["instruction"],
            "task": row["task"],
            "policy": row["policy"],
            "examined": row["examined"],
            "clips": [
                [c.view, c.src, c.start_s, c.end_s, c.note] for c in shown.videos.get(name, ())
            ],
            "calls": len(shown.calls(name)),
        }


def _index(shown: DiagnosePage) -> str:
    document = shown.document
    heading = tag(
        "header",
        tag("a", "Skip to the findings", href="#main", class_="skip"),
        tag("p", "Assay · diagnosis", class_="kicker"),
        tag("h1", shown.title),
        *(
            tag("p", note, class_="lead" if not at else None)
            for at, note in enumerate(notes(document))
        ),
        class_="top",
    )
    main = tag(
        "main",
        _failing(document),
        section(
            "rates",
            "How many clips have a fault",
            tag("p", _RATES, class_="caption"),
            _rates(document),
        ),
        section("types", "Which faults", _types(document)),
        section("clips", "Clips", _clips(shown.clips)),
        asked_section(document),
        section("making", "How it was made", *_making(document)),
        id="main",
    )
    return page(shown.title, [heading, main])


def _failing(document: Mapping[str, Any]) -> Safe | None:
    """Return which clips break a rule; None where no rule was given."""
    if not document["failing"]:
        return None
    lines = [
        tag(
            "p",
            tag("code", one["rule"]),
            f": {len(one['clips'])} of {document['clips']} clips ",
            join([_link(name) for name in one["clips"]], ", "),
            class_="alarm" if one["clips"] else "notice",
        )
        for one in document["failing"]
    ]
    return section("failing", "Rules", *lines)


def _rates(document: Mapping[str, Any]) -> Safe:
    own = {name: one["rates"] for name, one in document["by_policy"].items()}
    groups = {"all clips": document["rates"], **(own if len(own) > 1 else {})}
    heads = ("", *groups)
    rows = [
        [
            tag("th", titled(dimension), scope="row"),
            *(_number(rates[dimension]) for rates in groups.values()),
        ]
        for dimension in document["rates"]
    ]
    return _table(heads, rows, "Shares of clips")


def _types(document: Mapping[str, Any]) -> Safe:
    if not document["by_type"]:
        return tag("p", "No event was found.")
    rows = [
        [
            tag("th", tag("code", name), scope="row"),
            tag("td", one["events"], class_="num"),
            _number(one["clips"]),
        ]
        for name, one in document["by_type"].items()
    ]
    return _table(("type", "events", "clips"), rows, "Types")


def _clips(rows: Sequence[Mapping[str, Any]]) -> Safe:
    """Return the list of clips, the gravest first."""
    ordered = sorted(rows, key=lambda r: (-(r["worst_severity"] or 0), -(r["events"] or 0)))
    made = [
        [
            tag("td", _link(str(row["episode"])), class_="name"),
            tag("td", str(row["policy"])),
            tag("td", row["status"], class_=None if row["status"] == "ok" else "not-ok"),
            tag("td", words.MISSING if row["events"] is None else str(row["events"]), class_="num"),
            tag("td", f"{row['worst_severity'] or 0:g}" if row["events"] else "", class_="num"),
            tag("td", ", ".join(dict.fromkeys(e["type"] for e in row["examined"]["events"]))),
        ]
        for row in ordered
    ]
    return _table(("clip", "generator", "status", "events", "severity", "types"), made, "Clips")


def _making(document: Mapping[str, Any]) -> list[Safe]:
    lines = []
    if bad := document["invalid"]:
        listed = ", ".join(f"{reason} {n}" for reason, n in bad.items())
        lines.append(f"Events that can't be meant, left out and kept with their clips: {listed}.")
    if left := document["unasked"]:
        listed = ", ".join(f"{name} {n}" for name, n in left.items())
        lines.append(f"Not looked for, for want of an instruction or of eyes: {listed} clips.")
    settings = document["judge"]["settings"]
    chosen = ", ".join(f"{k} {v}" for k, v in settings.items() if v not in (None, "", False))
    lines.append(f"Judge {document['judge']['name']}{f': {chosen}' if chosen else ''}.")
    return [tag("p", line) for line in (*lines, words.few_note())]


def _clip_page(shown: DiagnosePage) -> str:
    steps = tag(
        "span",
        tag("a", "← previous", id="previous", rel="prev", title="Key: p"),
        tag("span", id="place", class_="quiet"),
        tag("a", "next →", id="next", rel="next", title="Key: n"),
        class_="steps",
    )
    back = tag("a", "← ", shown.title, href="index.html#clips", id="back")
    header = tag(
        "header",
        tag("nav", back, steps, class_="bar", aria_label="Clips"),
        tag("h1", "Clip", id="name"),
        tag("p", id="instruction", class_="lead"),
        tag("p", id="facts", class_="facts"),
        class_="top",
    )
    body = [
        header,
        tag("main", id="episode", aria_live="polite"),
        tag("noscript", tag("p", "This page draws the timeline with JavaScript.")),
    ]
    return page(f"Clip · {shown.title}", body, (*_SCRIPTS, "episodes.js"), "episode")


def _link(name: str) -> Safe:
    return tag("a", name, href=f"episode.html#{quote(name, safe='')}")


def _number(estimate: words.Estimate) -> Safe:
    title = words.reason(estimate) or words.count(estimate)
    return tag("td", words.number(estimate), " ", tag("small", title), class_="num")


def _table(heads: Sequence[str], rows: Sequence[Sequence[Safe]], label: str) -> Safe:
    head = tag("tr", *(tag("th", name, scope="col") for name in heads))
    body = [tag("tr", *cells) for cells in rows]
    return scroll(tag("table", tag("thead", head), tag("tbody", *body), class_="plain"), label)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "xmlcharrefreplace"))
