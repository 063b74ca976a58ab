"""Check that a folder of web pages needs no other machine: no remote script, style, font, image.

Links that a reader may click are fine; what a browser would fetch by itself is not.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__ = ["main", "remote_references"]

REMOTE = r"""["']?\s*(?:https?:)?//"""
FETCHED = (
    # An element that loads its source, or a <link> other than a plain relation.
    re.compile(
        rf"<(?:script|img|iframe|video|audio|source|embed)\b[^>]*\ssrc\s*=\s*{REMOTE}",
        re.IGNORECASE,
    ),
    re.compile(
        r"<link\b(?=[^>]*\brel\s*=\s*[\"']?[^\"'>]*(?:stylesheet|icon|preload|preconnect|prefetch))"
        rf"[^>]*\shref\s*=\s*{REMOTE}",
        re.IGNORECASE,
    ),
    # A style sheet that pulls in a font, a picture or another sheet.
    re.compile(rf"(?:@import\s+(?:url\()?|url\(){REMOTE}", re.IGNORECASE),
)
PAGES = {".html", ".css"}


def remote_references(folder: Path) -> list[str]:
    """Return "file: reference" for all that pages under `folder` would fetch from elsewhere."""
    found = []
    for page in sorted(p for p in folder.rglob("*") if p.suffix in PAGES):
        text = page.read_text(encoding="utf-8", errors="replace")
        for pattern in FETCHED:
            found += [
                f"{page.relative_to(folder)}: {text[m.start() : m.end() + 60]!r}"
                for m in pattern.finditer(text)
            ]
    return found


def main(folder: str) -> int:
    """Print what would be fetched; return 1 if anything would, 2 if there are no pages."""
    if not any(Path(folder).rglob("*.html")):
        sys.stderr.write(f"There are no pages in {folder}.\n")
        return 2
    found = remote_references(Path(folder))
    for line in found:
        sys.stderr.write(f"{line}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
