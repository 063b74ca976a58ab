"""The kinds of glitches: six dimensions of five types, how grave one is, and which dimension leads.

All words stand in `taxonomy.json`, for prompts, annotation, scoring and documentation alike.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from assay.errors import UnknownNameError

__all__ = ["LEAST", "MOST", "Dimension", "Taxonomy", "taxonomy"]

LEAST: Final = 1.0
MOST: Final = 5.0
"""The range of severities; half steps come from averaging two annotators."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One of the six sides from which an execution is looked at.

    Attributes:
        name: As in files, such as "visual_quality".
        title: As in reports.
        says: What is wrong when something of this dimension is.
        types: What each of its types means, by name.
    """

    name: str
    title: str
    says: str
    types: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """All that can be wrong, and how it is rated.

    Attributes:
        version: Grows when a definition changes its meaning.
        dimensions: By name, in the order of tables.
        severity: What each of the whole severities 1..5 means.
        cascade: How the primary dimension is chosen, in words.
        order: The dimensions from the one that is seen most directly to the least.
        normal: What looks odd and is no glitch.
    """

    version: int
    dimensions: Mapping[str, Dimension]
    severity: Mapping[int, str]
    cascade: str
    order: tuple[str, ...]
    normal: tuple[str, ...]

    @property
    def types(self) -> dict[str, str]:
        """Return the dimension of every type."""
        return {kind: d.name for d in self.dimensions.values() for kind in d.types}

    def dimension_of(self, kind: str) -> str:
        """Return the dimension of a type.

        Raises:
            UnknownNameError: There is no such type; says which one is near.
        """
        found = self.types.get(kind)
        if found is None:
            raise UnknownNameError("type of glitch", kind, self.types)
        return found

    def leading(self, dimensions: frozenset[str]) -> str:
        """Return which of some dimensions is the primary one, by the cascade."""
        return next(name for name in self.order if name in dimensions)


@lru_cache(maxsize=1)
def taxonomy() -> Taxonomy:
    """Return the taxonomy that ships with Assay."""
    path = Path(__file__).with_name("taxonomy.json")
    found = json.loads(path.read_text(encoding="utf-8"))
    return Taxonomy(
        version=found["version"],
        dimensions={
            name: Dimension(name, about["title"], about["says"], about["types"])
            for name, about in found["dimensions"].items()
        },
        severity={int(level): words for level, words in found["severity"].items()},
        cascade=found["cascade"],
        order=tuple(found["order"]),
        normal=tuple(found["normal"]),
    )
