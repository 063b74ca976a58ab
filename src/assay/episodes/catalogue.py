"""Open any path: find the format that reads it and stream its episodes."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path

from assay import plugins
from assay.episodes.base import Format
from assay.episodes.faults import reaching
from assay.episodes.paths import inside
from assay.episodes.tables import quoted
from assay.errors import InputError, UsageError, nearest
from assay.records import Episode, Unreadable

__all__ = ["Source", "format_of", "read", "read_all", "sniff"]

_FORMATS = "assay.episodes.formats"
_RUN = "run.json"
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Source:
    """A path to read, and the policy that made it when the command line names one."""

    path: Path
    label: str | None = None

    @classmethod
    def parse(cls, text: str) -> Source:
        """Read `PATH` or `LABEL=PATH`; a path that exists as it stands wins over a label."""
        label, sign, rest = text.partition("=")
        with reaching(text):
            if not sign or Path(text).exists():
                return cls(Path(text))
        if not label or not rest:
            raise UsageError(f"{text!r} is neither a path nor LABEL=PATH.")
        return cls(Path(rest), label)

    def __str__(self) -> str:
        return str(self.path) if self.label is None else f"{self.label}={self.path}"


def sniff(path: Path) -> list[str]:
    """Return the names of the formats that claim `path`, sorted; at most one for a real dataset.

    A format that is a last resort claims only what no other does. A format that can't be
    imported, as of a package that is broken, is left out with a warning.
    """
    _check_exists(path)
    with reaching(path):
        claims = [(name, found) for name, found in _formats() if found.sniff(path)]
    first = [name for name, found in claims if not getattr(found, "last_resort", False)]
    return first or [name for name, _ in claims]


def format_of(path: Path) -> str:
    """Return the name of the one format that claims `path`."""
    claims = sniff(path)
    if not claims:
        with reaching(path):
            _check_links(path)
            raise InputError(_unclaimed(path), path)
    if len(claims) > 1:
        raise InputError(f"several formats claim it: {', '.join(claims)}.", path)
    return claims[0]


def read(
    path: Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    trust_pickles: bool = False,
) -> Iterator[Episode | Unreadable]:
    """Yield the episodes of `path`.

    Args:
        path: A file or folder.
        format: The name of a format; by default the one that claims the path.
        trust_pickles: Whether the person who asks trusts pickles of this path.
    """
    _check_exists(path)
    found = _format(format or format_of(path), trust_pickles=trust_pickles)
    return _reached(path, found.read(path))


def read_all(
    sources: Sequence[Source], *, limit: int | None = None, trust_pickles: bool = False
) -> Iterator[tuple[Source, Episode | Unreadable]]:
    """Yield the episodes of all sources, one source after the other, each with its source.

    A label replaces the policy. With more than one source the ids of a labelled one get the prefix
    `LABEL/`, so that runs whose files have equal names can be put side by side. An id that is left
    standing twice is an error.

    Args:
        sources: What to read.
        limit: How many episodes to take from each source, or None for all.
        trust_pickles: Whether the person who asks trusts pickles of these sources.
    """
    seen: dict[str, Source] = {}
    for source in sources:
        for episode in islice(read(source.path, trust_pickles=trust_pickles), limit):
            named = _relabel(episode, source, prefix=len(sources) > 1)
            if named.id in seen:
                raise InputError(_twice(named.id, seen[named.id], source), source.path)
            seen[named.id] = source
            yield source, named


def _reached(
    path: Path, episodes: Iterator[Episode | Unreadable]
) -> Iterator[Episode | Unreadable]:
    """Yield the episodes; a folder or file that can't be opened on the way is an `InputError`."""
    with reaching(path):
        yield from episodes


def _relabel(
    episode: Episode | Unreadable, source: Source, *, prefix: bool
) -> Episode | Unreadable:
    if source.label is None:
        return episode
    name = f"{source.label}/{episode.id}" if prefix else episode.id
    return replace(episode, id=name, policy=source.label)


def _twice(name: str, first: Source, second: Source) -> str:
    if first == second:
        return f"the episode {name!r} stands there twice; one id must stand for one episode."
    return (
        f"the episode {name!r} stands in {first} too; "
        "name the sources with LABEL=PATH to keep their ids apart, each with a label of its own."
    )


def _format(name: str, *, trust_pickles: bool = False) -> Format:
    """Make a format; the trust goes only to those that have pickles to open."""
    kind = plugins.find(_FORMATS, name)
    asks = is_dataclass(kind) and "trust_pickles" in {field.name for field in fields(kind)}
    found: Format = kind(trust_pickles=trust_pickles) if asks else kind()
    return found


def _formats() -> Iterator[tuple[str, Format]]:
    """Yield the formats that can be used, by name."""
    for name in plugins.names(_FORMATS):
        try:
            found = _format(name)
        except UsageError as error:
            _warn(name, str(error))
        else:
            yield name, found


@cache  # one warning, however often formats are looked for
def _warn(name: str, words: str) -> None:
    logging.getLogger("assay").warning("the format %r is left out: %s", name, words)


def _check_exists(path: Path) -> None:
    """Refuse a path that isn't there, with the names beside it that look alike."""
    with reaching(path):
        if path.is_file() or path.is_dir():
            return
        if path.exists():  # a pipe or a device, which might never end
            raise InputError("is neither a file nor a folder.", path)
        folder = path.parent
        if not folder.is_dir():
            raise InputError(f"there is no such path, nor the folder {folder}.", path)
        close = nearest(path.name, (entry.name for entry in folder.iterdir()))
    hint = f" Nearest: {quoted(str(folder / name) for name in close)}." if close else ""
    raise InputError(f"there is no such path.{hint}", path)


def _check_links(path: Path) -> None:
    """Refuse a folder of which nobody knows what it is, and in which a link leads out of it."""
    for entry in sorted(path.iterdir()) if path.is_dir() else ():
        inside(path, entry.name, file=path)


def _unclaimed(path: Path) -> str:
    """Say what was looked for and what is there."""
    verb = _verb_of(path)
    if verb:
        return (
            f"is a run of assay {verb}, which holds no episodes. Look at it with assay show "
            f"{path}, or give what assay {verb} was given."
        )
    looked = "; ".join(f"{name}: {found.reads}" for name, found in _formats())
    one = ""
    if path.is_dir():
        names = sorted(entry.name + "/" * entry.is_dir() for entry in path.iterdir())
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        there = f"holds {quoted(names[:_SHOWN])}{more}" if names else "is empty"
        paths = [path / name for name in names]
        inner = next((p for p in paths if (p.is_file() or p.is_dir()) and sniff(p)), None)
        one = "" if inner is None else f" To read {inner}, pass it by name."
    else:
        there = f"is a file of {path.stat().st_size} bytes"
    return f"no format reads it. It {there}.{one} Looked for {looked}."


def _verb_of(path: Path) -> str:
    """Return which verb has made a run directory; empty: it is none."""
    try:
        document = json.loads((path / _RUN).read_bytes())
    except (OSError, ValueError):
        return ""
    ours = isinstance(document, dict) and str(document.get("schema")).startswith("assay.run/")
    return str(document.get("verb", "")) if ours else ""
