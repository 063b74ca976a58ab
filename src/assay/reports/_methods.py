"""What stands behind a figure: its method in a sentence, paper, measured coverage and function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from assay.reports._markup import Safe, tag

__all__ = ["BOUND", "Key", "Method", "listed", "methods_in"]

Key: TypeAlias = tuple[str, str]
"""The kind of a figure and the name of its method, as documents have it."""

BOUND = "A bound for values without spread: what could differ unseen in n draws"


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        what: What it is, in a sentence without its full stop.
        cites: The papers, or "" where there is none.
        coverage: What was measured of it, or why nothing needs to be.
        function: Where it is computed, below `assay`; "" if nobody wrote a line on it.
    """

    what: str
    cites: str
    coverage: str
    function: str

    @property
    def text(self) -> str:
        """Return it as text: what it is (papers, without brackets of their own). Coverage."""
        papers = self.cites.replace("(", "").replace(")", "")
        source = f" ({papers})" if papers else ""
        return f"{self.what}{source}. {self.coverage}".strip()


def methods_in(used: Iterable[Key], known: Mapping[Key, Method]) -> list[tuple[Key, Method]]:
    """Return every method that is used, once, in the order of those known; none is hidden."""
    wanted = set(used)
    unknown = Method("no line is written of it", "", "", "")
    told = [(key, method) for key, method in known.items() if key in wanted]
    return [*told, *((key, unknown) for key in sorted(wanted - known.keys()))]


def listed(found: Iterable[tuple[Key, Method]]) -> Safe:
    """Return the list of methods for a page, with the function behind each."""
    rows = []
    for (kind, name), method in found:
        code = tag("code", f"assay.{method.function}") if method.function else None
        rows.append(tag("div", tag("dt", f"{kind}: {name}"), tag("dd", method.text, " ", code)))
    return tag("dl", *rows, class_="meanings")
