"""Parts of a page that a script writes: what stands between two marks of the same name."""

from __future__ import annotations

from pathlib import Path

__all__ = ["with_part", "write_part"]


def with_part(text: str, name: str, part: str) -> str:
    """Return the page's `text` with another part `name`; the page must have its marks."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    return f"{before}{begin}\n{part.strip()}\n\n{end}{after}"


def write_part(page: Path, name: str, part: str) -> None:
    """Write a part of a page anew."""
    text = page.read_text(encoding="utf-8")
    page.write_text(with_part(text, name, part), encoding="utf-8")
