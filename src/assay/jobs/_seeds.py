"""Seeds as people write them: `0:50`, `3`, `0:10,20:25`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.errors import UsageError

__all__ = ["seeds_asked", "seeds_from", "seeds_in_words"]

_MOST = 100_000
_DIGITS = 15  # what every file format keeps exactly


def seeds_asked(asked: str | Sequence[int]) -> tuple[int, ...]:
    """Return seeds that were given as text or one by one."""
    return seeds_from(asked if isinstance(asked, str) else ",".join(map(str, asked)))


def seeds_from(text: str) -> tuple[int, ...]:
    """Return the seeds in the order given; `a:b` counts from a up to b, which is left out."""
    found: list[int] = []
    for part in text.split(","):
        first, colon, last = part.strip().partition(":")
        if not (first.isdecimal() and (last.isdecimal() or not colon)):
            raise UsageError(f"--seeds takes seeds and ranges such as 0:50 or 3,7, not {text!r}.")
        if max(len(first), len(last)) > _DIGITS:
            raise UsageError(f"A seed has at most {_DIGITS} digits.")
        start, end = int(first), int(last) if colon else int(first) + 1
        if end <= start:
            raise UsageError(f"--seeds {part.strip()!r} holds no seed: a:b ends before b.")
        if end - start + len(found) > _MOST:
            raise UsageError(f"--seeds {text!r} holds more than {_MOST:,} seeds.")
        found.extend(range(start, end))
    seed, count = Counter(found).most_common(1)[0]
    if count > 1:
        raise UsageError(f"--seeds {text!r} holds the seed {seed} twice.")
    return tuple(found)


def seeds_in_words(seeds: Sequence[int]) -> str:
    """Return the shortest text that `seeds_from` reads as these seeds."""
    runs: list[tuple[int, int]] = []
    for seed in seeds:
        if runs and runs[-1][1] == seed:
            runs[-1] = (runs[-1][0], seed + 1)
        else:
            runs.append((seed, seed + 1))
    return ",".join(f"{a}" if b == a + 1 else f"{a}:{b}" for a, b in runs)
