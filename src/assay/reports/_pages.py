"""Put the two pages of a report together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assay.reports import _sections as sections
from assay.reports._beside import besides
from assay.reports._diagnosed import diagnostics
from assay.reports._markup import Safe, join, tag
from assay.reports._summary import summary
from assay.reports.opening import findings

__all__ = ["episode_page", "index_page"]

# Everything comes from this folder; 'self' alone would not cover pages opened from disk.
_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; "
    "img-src 'self' file: data:; media-src 'self' file:; base-uri 'none'; form-action 'none'"
)

_SET_BACK = re.compile(r"( ?\[[\d.]+, [\d.]+\](?: \(n = \d+\))?)")


def index_page(audit: Mapping[str, Any], title: str) -> str:
    """Return `index.html`."""
    body = join(
        [
            sections.heading(audit, title),
            tag(
                "main",
                _findings(audit),
                summary(audit),
                sections.reach(audit),
                sections.quality_scatter(audit),
                sections.failures(audit),
                besides(audit),
                diagnostics(audit),
                sections.episodes(),
                sections.provenance(audit),
                id="main",
            ),
        ]
    )
    return _page(title, body, ("common.js", "report.js", "episodes.js"), "index")


def episode_page(audit: Mapping[str, Any], title: str) -> str:
    """Return `episode.html`, which shows the episode named behind the #."""
    body = join(
        [
            tag(
                "header",
                *sections.alarm_lines(audit),
                tag(
                    "nav",
                    tag("a", "← ", title, href="index.html#episodes", id="back"),
                    tag(
                        "span",
                        tag("a", "← previous", id="previous", rel="prev", title="Key: p"),
                        tag("span", id="place", class_="quiet"),
                        tag("a", "next →", id="next", rel="next", title="Key: n"),
                        class_="steps",
                    ),
                    class_="bar",
                    aria_label="Episodes",
                ),
                tag("h1", "Episode", id="name"),
                tag("p", id="instruction", class_="lead"),
                tag("p", id="facts", class_="facts"),
                class_="top",
            ),
            tag("main", id="episode", aria_live="polite"),
            tag("noscript", tag("p", "This page draws the curve with JavaScript.")),
        ]
    )
    scripts = ("common.js", "chart.js", "player.js", "episode.js", "episodes.js")
    return _page(f"Episode · {title}", body, scripts, "episode")


def _findings(audit: Mapping[str, Any]) -> Safe:
    """Return the opening in words, a topic beside what is said on it."""
    rows = [
        tag("div", tag("h3", found.topic), tag("div", *map(_sentence, found.sentences)))
        for found in findings(audit)
    ]
    return sections.section("findings", "In words", *rows)


def _sentence(sentence: str) -> Safe:
    """Return a sentence with its intervals and counts set back, so that the words stand out."""
    pieces = _SET_BACK.split(sentence)
    return tag(
        "p",
        *(tag("span", piece, class_="ci") if at % 2 else piece for at, piece in enumerate(pieces)),
    )


def _page(title: str, body: Safe, scripts: tuple[str, ...], kind: str) -> str:
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href="assets/report.css"),
    )
    loads = join(tag("script", src=f"assets/{name}") for name in scripts)
    page = tag("html", head, tag("body", body, loads, class_=kind), lang="en")
    return f"<!doctype html>\n{page}\n"
