"""Short names made from free text."""

from __future__ import annotations

import hashlib
import re
import unicodedata

__all__ = ["natural", "slug"]

_LONGEST = 60


def slug(text: str) -> str:
    """Return lower-case ASCII words of `text` joined by "-": never empty, at most 60 characters.

    Accents are dropped ("é" gives "e"). Text without any ASCII letter or digit gives "text-" and
    a short hash, so that instructions in other scripts still get distinct names. Two texts may
    share a slug; telling them apart is the caller's matter.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    if not words:
        digest = hashlib.blake2s(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        return f"text-{digest}"
    joined = "-".join(words)
    if len(joined) <= _LONGEST:
        return joined
    cut = joined[: _LONGEST + 1].rpartition("-")[0]
    return cut or joined[:_LONGEST]


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return what sorts `name` as people count: "ep_2" before "ep_10"."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return tuple((int(p), "") if p.isascii() and p.isdecimal() else (-1, p) for p in parts)
