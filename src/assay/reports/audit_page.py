"""Write an audit as a folder that opens from disk: two pages and their assets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay.errors import UsageError
from assay.records import Curve, Event, Segment
from assay.reports import _shards
from assay.reports._agreeing import knowledge
from assay.reports._asking import usage_script, write_calls_script
from assay.reports._layout import MEANINGS, milestones
from assay.reports._pages import episode_page, index_page
from assay.reports._palette import looks

__all__ = ["AuditPage", "Clip", "write_audit_page"]

_STATIC = (
    "report.css",
    "common.js",
    "report.js",
    "chart.js",
    "player.js",
    "calls.js",
    "recording.js",
    "episode.js",
)
_SIDE_FIELDS = ("world", "scene", "perturbation", "seed", "judge", "detail")


@dataclass(frozen=True)
class Clip:
    """Where one view of an episode plays from; several episodes may share a video.

    Attributes:
        view: The camera's name.
        src: An address relative to the report's folder or a file URL; "" when there is no video.
        start_s: Where the episode starts in the video [s].
        end_s: Where it ends [s]; None for the video's own end.
        note: Why there is no video, or what to know about it.
    """

    view: str
    src: str
    start_s: float
    end_s: float | None
    note: str = ""


@dataclass(frozen=True)
class AuditPage:
    """All that a report shows.

    Attributes:
        audit: The document of `audit.json`.
        rows: The rows of `episodes.parquet`, in the order of the list; `instruction` is shown
            when a row has it.
        curves: A curve per episode id; an unreadable episode may have none.
        segments: Named stretches per episode id.
        events: Timed findings per episode id.
        clips: What to play per episode id.
        title: The heading.
        beside: The curves of further judges, by the judge's name and the episode id.
        calls: Gives what models were asked for an episode: rows of `calls.parquet`.
        usage: What `usage.json` holds; None where no model was asked.
    """

    audit: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    curves: Mapping[str, Curve]
    segments: Mapping[str, Sequence[Segment]]
    events: Mapping[str, Sequence[Event]]
    clips: Mapping[str, Sequence[Clip]]
    title: str
    beside: Mapping[str, Mapping[str, Curve]] = field(default_factory=dict)
    calls: Callable[[str], Sequence[Mapping[str, Any]]] = lambda _: ()
    usage: Mapping[str, Any] | None = None


def write_audit_page(page: AuditPage, out: Path) -> None:
    """Write `index.html`, `episode.html` and `assets/` into `out`; same page, same bytes."""
    _refuse_remote(page.clips)
    assets = out / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    for name in _STATIC:
        (assets / name).write_bytes(files("assay.reports").joinpath("static", name).read_bytes())
    _write(assets / "episodes.js", _shards.episodes_script(page.rows, page.curves, _shared(page)))
    starts = range(0, len(page.rows), _shards.SHARD)
    for number, start in enumerate(starts):
        rows = page.rows[start : start + _shards.SHARD]
        _write(assets / f"data-{number:03d}.js", _shards.shard_script(number, _records(page, rows)))
    if page.audit.get("asked"):
        for place, row in enumerate(page.rows):
            write_calls_script(assets, place, page.calls(str(row["episode"])))
        _write(assets / "usage.js", usage_script(page.usage))
    _write(out / "index.html", index_page(page.audit, page.title))
    _write(out / "episode.html", episode_page(page.audit, page.title))


def _shared(page: AuditPage) -> dict[str, Any]:
    """Return what every episode's page needs and no episode owns."""
    epsilon = page.audit.get("epsilon") or {}
    shared: dict[str, Any] = {
        "milestones": [float(q) / 100 for q in milestones(page.audit)],
        "epsilon": epsilon.get("value"),
        "epsilonSource": epsilon.get("source"),
        "meanings": MEANINGS,
    }
    if page.beside:
        main = str(page.audit["judge"]["name"])
        styles = looks([main, *page.beside])
        shared["judge"] = main
        known = {str(one["judge"]["name"]): knowledge(one) for one in page.audit["beside"]}
        shared["beside"] = [
            [name, styles[name].colour, styles[name].dash, known[name]] for name in page.beside
        ]
    return shared


def _records(page: AuditPage, rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    epsilon = (page.audit.get("epsilon") or {}).get("value")
    for row in rows:
        name = str(row["episode"])
        record: dict[str, Any] = {
            "instruction": row.get("instruction") or "",
            "success": [row.get(f"success_{when}") for when in ("once", "held", "end")],
            "about": {f: str(row[f]) for f in _SIDE_FIELDS if row.get(f) not in (None, "")},
            "segments": _shards.segment_data(page.segments.get(name, ())),
            "events": _shards.event_data(page.events.get(name, ())),
            "clips": [
                [c.view, c.src, c.start_s, c.end_s, c.note] for c in page.clips.get(name, ())
            ],
        }
        curve = page.curves.get(name)
        if curve is not None and len(curve.times):
            record["curve"] = _shards.curve_data(curve, epsilon)
        if page.audit.get("asked"):
            record["calls"] = len(page.calls(name))
        if page.beside:
            own = [curves.get(name) for curves in page.beside.values()]
            record["beside"] = [c and _shards.curve_data(c, None) for c in own]
        yield record


def _refuse_remote(clips: Mapping[str, Sequence[Clip]]) -> None:
    """Raise unless every video lies on this machine: a report never reaches for the network."""
    for episode, views in clips.items():
        for clip in views:
            parts = urlsplit(clip.src)
            if parts.scheme not in ("", "file") or (parts.netloc and parts.scheme != "file"):
                raise UsageError(
                    f"The video {clip.src!r} of episode {episode!r} is not on this machine; "
                    "a report takes a relative address or a file URL."
                )


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "xmlcharrefreplace"))
