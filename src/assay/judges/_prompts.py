"""Prompts are data: text with named places for words and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import TypeAlias

from assay.errors import InputError, UnknownNameError, UsageError
from assay.models.base import Part, Picture

__all__ = ["Filling", "Prompt"]

Filling: TypeAlias = str | Sequence[Part]
_MOST = 200_000  # characters; a prompt is no data set


@dataclass(frozen=True)
class Prompt:
    """A prompt with places in braces, such as {instruction} or {before}.

    A line whose places are all empty is left out, so that what is not given is not spoken of.
    Braces that are meant are doubled.

    Attributes:
        text: The prompt.
        source: Where it comes from, for messages.
    """

    text: str
    source: str

    @classmethod
    def load(cls, name: str, path: Path | None = None) -> Prompt:
        """Return the prompt `name` of this package, or the user's own at `path`."""
        if path is None:
            return _built_in(name)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"the prompt can't be read ({error.strerror}).", path) from error
        except UnicodeDecodeError as error:
            raise InputError("the prompt is not UTF-8 text.", path) from error
        if not text.strip() or len(text) > _MOST:
            raise InputError(f"a prompt has from 1 to {_MOST} characters.", path)
        return cls(text, str(path))

    def check(self, fields: Sequence[str], required: Sequence[str] = ()) -> None:
        """Raise `UsageError` for a place that nothing fills, or a required one that is missing.

        Args:
            fields: The places that there may be.
            required: The places that there must be.
        """
        try:
            found = [name for _, name, _, _ in Formatter().parse(self.text) if name is not None]
        except ValueError as error:
            raise UsageError(
                f"The prompt {self.source} has a brace too many ({error});"
                " braces that are meant are doubled: {{ and }}."
            ) from error
        for name in found:
            if name not in fields:
                raise UnknownNameError(f"field for the prompt {self.source}", name, fields)
        for name in required:
            if name not in found:
                shown = "{" + name + "}"
                raise UsageError(f"The prompt {self.source} must say where {shown} goes.")

    def filled(self, values: Mapping[str, Filling]) -> tuple[Part, ...]:
        """Return the prompt as text and pictures in order, neighbouring texts made one."""
        self.check(tuple(values))
        parts: list[Part] = []
        for line in self.text.splitlines(keepends=True):
            pieces = list(Formatter().parse(line))
            names = [name for _, name, _, _ in pieces if name is not None]
            if names and not any(values[name] for name in names):
                continue
            for literal, name, _, _ in pieces:
                _add(parts, literal)
                if name is not None:
                    _add(parts, values[name])
        return tuple(parts)


def _add(parts: list[Part], more: Filling) -> None:
    for part in [more] if isinstance(more, str) else more:
        last = parts[-1] if parts else None
        if isinstance(part, Picture) or not isinstance(last, str):
            if part:
                parts.append(part)
        else:
            parts[-1] = last + part


@cache
def _built_in(name: str) -> Prompt:
    file = files("assay.judges").joinpath("prompts", f"{name}.txt")
    return Prompt(file.read_text(encoding="utf-8"), f"{name}.txt")
