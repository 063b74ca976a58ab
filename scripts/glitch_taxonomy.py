"""Write the tables of docs/glitches.md from the taxonomy.

    .venv/bin/python scripts/glitch_taxonomy.py [--check]

What stands between the two marks of the page is replaced; with `--check` nothing is written, and
the exit code is 1 if the page is not up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from marked import with_part

from assay.episodes.glitches.taxonomy import taxonomy

PAGE = Path(__file__).resolve().parent.parent / "docs" / "glitches.md"


def tables() -> str:
    """Return the taxonomy as Markdown."""
    known = taxonomy()
    lines = []
    for dimension in known.dimensions.values():
        lines += [f"### {dimension.title}", "", f"`{dimension.name}`. {dimension.says}", ""]
        lines += ["| type | means |", "|---|---|"]
        lines += [f"| `{name}` | {words} |" for name, words in dimension.types.items()]
        lines.append("")
    lines += ["### Severity", "", "| severity | means |", "|---|---|"]
    lines += [f"| {level} | {words} |" for level, words in known.severity.items()]
    lines += ["", known.cascade, "", "No glitch, though it may look odd:", ""]
    return "\n".join([*lines, *(f"- {words}" for words in known.normal), ""])


def main() -> int:
    """Write the page, or check it."""
    text = PAGE.read_text(encoding="utf-8")
    made = with_part(text, "taxonomy", tables())
    if "--check" in sys.argv[1:]:
        return int(made != text)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
