"""The taxonomy in the words of a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from assay.episodes.glitches.taxonomy import taxonomy

__all__ = ["FROM_INSTRUCTION", "defined_types", "named_types", "normal", "rubric"]

FROM_INSTRUCTION = ("task_progress", "instruction_consistency")
"""Dimensions that nothing can be said of without an instruction."""


def named_types(dimensions: Sequence[str]) -> str:
    """Return the names of all types, a line per dimension."""
    known = taxonomy().dimensions
    return "\n".join(f"{name}: {', '.join(known[name].types)}" for name in dimensions)


def defined_types(dimensions: Sequence[str]) -> str:
    """Return what every type means, and every dimension."""
    lines = []
    for name in dimensions:
        dimension = taxonomy().dimensions[name]
        lines.append(f"{name}: {dimension.says}")
        lines += [f"- {kind}: {meaning}" for kind, meaning in dimension.types.items()]
    return "\n".join(lines)


def rubric() -> str:
    """Return what every severity means, and which dimension leads."""
    levels = [f"{level}: {words}" for level, words in taxonomy().severity.items()]
    return "\n".join([*levels, taxonomy().cascade])


def normal() -> str:
    """Return what looks odd and is no glitch."""
    return "\n".join(f"- {words}" for words in taxonomy().normal)
