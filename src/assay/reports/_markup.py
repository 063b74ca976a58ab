"""Build HTML and SVG from pieces that are escaped unless they are known to be safe."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable

__all__ = ["Safe", "join", "safe_json", "tag"]

_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})


class Safe(str):
    """Markup made by `tag` or `join`; every other string is text and gets escaped."""

    __slots__ = ()


def tag(
    name: str, /, *children: str | float | None, **attributes: str | float | bool | None
) -> Safe:
    """Return one element.

    Args:
        name: The element's name.
        children: `Safe` markup is kept, all else is escaped; None is left out.
        attributes: `class_` gives class, `data_x` gives data-x; True gives a bare attribute,
            None and False leave it out. Floats are written with at most two decimals.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Safe(f"<{name}{written}>")
    return Safe(f"<{name}{written}>{join(children)}</{name}>")


def join(parts: Iterable[str | float | None], between: str = "") -> Safe:
    """Return the parts one after the other, each escaped unless it is `Safe`."""
    return Safe(between.join(_escaped(part) for part in parts if part is not None))


def safe_json(value: object) -> str:
    r"""Return compact JSON that can stand inside a script: pure ASCII, `<` written as \u003c.

    ASCII alone keeps U+2028 and U+2029 out, which end a line in older scripts.
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _escaped(part: str | float) -> str:
    if isinstance(part, Safe):
        return part
    return _figure(part) if isinstance(part, float) else html.escape(str(part))


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    written = _figure(value) if isinstance(value, float) else html.escape(str(value))
    return f' {name}="{written}"'


def _figure(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
