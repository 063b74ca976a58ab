"""Write the table of injectors into docs/glitch-clips.md.

    .venv/bin/python scripts/glitch_injectors.py [--check]

What stands between the two marks of the page is replaced; with `--check` nothing is written, and
the exit code is 1 if the page is not up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from marked import with_part

from assay import plugins
from assay.benchmarks.glitches.injecting.orders import INJECTORS, injectors
from assay.episodes.glitches.taxonomy import taxonomy

PAGE = Path(__file__).resolve().parent.parent / "docs" / "glitch-clips.md"


def table() -> str:
    """Return all injectors as Markdown, by the types of the taxonomy."""
    found = injectors()
    lines = ["| type | injector | way | edits | severities | does |", "|---|---|---|---|---|---|"]
    for kind in taxonomy().types:
        for name, one in found.items():
            if one.type == kind:
                grave = ", ".join(map(str, one.severities))
                does = plugins.describe(INJECTORS, name)
                lines.append(
                    f"| `{kind}` | `{name}` | {one.which} | {one.needs} | {grave} | {does} |"
                )
    return "\n".join([*lines, ""])


def main() -> int:
    """Write the page, or check it."""
    text = PAGE.read_text(encoding="utf-8")
    made = with_part(text, "injectors", table())
    if "--check" in sys.argv[1:]:
        return int(made != text)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
