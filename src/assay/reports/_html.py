"""The frame of every page: head, policy, style, and how it gets onto the disk."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from assay.reports._markup import Safe, join, tag

__all__ = ["page", "write_still_page"]

# Everything comes from the page's own folder; 'self' alone would not cover pages opened from disk.
_STYLE = "style-src 'self' file:; img-src 'self' file: data:; "
_SCRIPT = "script-src 'self' file:; "
_MEDIA = "media-src 'self' file:; "
_CLOSED = "base-uri 'none'; form-action 'none'"


def page(title: str, body: Sequence[Safe], scripts: Sequence[str] = (), kind: str = "index") -> str:
    """Return a page; one without scripts runs none, whatever a name in the data says."""
    allowed = f"{_SCRIPT}{_STYLE}{_MEDIA}" if scripts else _STYLE
    policy = f"default-src 'none'; {allowed}{_CLOSED}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href="assets/report.css"),
    )
    loads = join(tag("script", src=f"assets/{name}") for name in scripts)
    html = tag("html", head, tag("body", *body, loads, class_=kind), lang="en")
    return f"<!doctype html>\n{html}\n"


def write_still_page(title: str, body: Sequence[Safe], out: Path) -> None:
    """Write `index.html`, without scripts, and its style into `out`; same body, same bytes."""
    assets = out / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    style = files("assay.reports").joinpath("static", "report.css").read_bytes()
    (assets / "report.css").write_bytes(style)
    (out / "index.html").write_bytes(page(title, body).encode("utf-8", "xmlcharrefreplace"))
