"""What a check is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

from assay.benchmarks.passport.lines import Line
from assay.benchmarks.passport.material import Kind, Material
from assay.benchmarks.passport.probing import Probe

__all__ = ["Check", "Finding"]

Finding: TypeAlias = Mapping[str, Any]
"""What one piece of material showed, as plain data: numbers, or a "why" there are none."""


class Check(Protocol):
    """A question to a judge. A frozen dataclass without options; its file's name is its name.

    Attributes:
        kind: The material it is made on.
        truth: Whether it needs Phi*, which only simulated worlds know.
        rank: Its place in tables, small first.
        pictures: Whether only the pictures change in it: a judge that looks at none passes it
            for nothing, and its line says so.
    """

    kind: ClassVar[Kind]
    truth: ClassVar[bool]
    rank: ClassVar[int]
    pictures: ClassVar[bool]

    def unfit(self, probe: Probe) -> str:
        """Say why this judge can't be asked; empty when it can."""
        ...

    def measure(self, probe: Probe, material: Material) -> Finding:
        """Return what one piece of material shows.

        Raises:
            EpisodeError: It shows nothing.
        """
        ...

    def conclude(self, name: str, found: Sequence[Finding], unfit: str) -> tuple[Line, ...]:
        """Return the lines of the passport.

        Args:
            name: The check's name.
            found: What all pieces of material of one domain showed, in order.
            unfit: Why the judge could not be asked, or empty.
        """
        ...
