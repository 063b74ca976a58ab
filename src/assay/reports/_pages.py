"""Put the two pages of a report together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assay.reports import _sections as sections
from assay.reports._beside import besides
from assay.reports._diagnosed import diagnostics
from assay.reports._html import page
from assay.reports._markup import Safe, join, tag
from assay.reports._summary import summary
from assay.reports.asked import asked_section
from assay.reports.opening import findings

__all__ = ["episode_page", "index_page"]


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
                asked_section(audit),
                sections.provenance(audit),
                id="main",
            ),
        ]
    )
    usage = ("usage.js",) if audit.get("asked") else ()
    return page(title, [body], ("common.js", "report.js", "episodes.js", *usage), "index")


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
    own = ("common.js", "chart.js", "player.js", "calls.js", "recording.js", "episode.js")
    return page(f"Episode · {title}", [body], (*own, "episodes.js"), "episode")


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
