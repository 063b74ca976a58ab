"""Finished audits of made-up curves, and scores that people might have given them."""

from __future__ import annotations

from pathlib import Path

from assay.jobs.audit import AuditSettings, audit
from curve_files import write_csv

# The last value of each episode; the curve holds it over its last 4 of 10 moments.
ENDS = {"a": 0.0, "b": 0.2, "c": 0.4, "d": 0.6, "e": 0.8, "f": 1.0}


def curve(end: float) -> list[float]:
    """Return ten moments that rise to `end` and stay there for four."""
    return [round(end * min(k, 6) / 6, 6) for k in range(10)]


def audited(folder: Path, name: str = "run", *, ends=None, missing=(), **settings) -> Path:
    """Audit recorded curves, with a gap at the end of the `missing` ones; return the run."""
    curves = {}
    for episode, end in (ENDS if ends is None else ends).items():
        values: list[float | None] = [*curve(end)]
        if episode in missing:
            values[-1] = None
        curves[episode, "lift", "act"] = values
    source = write_csv(folder / f"{name}.csv", curves)
    out = folder / name
    audit([source], AuditSettings(out=out, jobs=1, video="none", **settings))
    return out


def scores(path: Path, rows, header: str = "episode,score") -> Path:
    """Write rows of cells below a header."""
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
