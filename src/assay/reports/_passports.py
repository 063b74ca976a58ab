"""Carry what the passports of several judges say into one report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.reports._evidence import passport_line, passport_warnings
from assay.reports._markup import Safe, tag
from assay.reports._sections import section

__all__ = ["passport_notes", "passports_section"]

_LEAD = "Which checks each judge passed, and what the failed ones mean for the figures here."


def passport_notes(judges: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a line on the passport of each judge, and one for each warning.

    Args:
        judges: The judges by the names that the report gives them.
    """
    return [
        sentence
        for name, judge in judges.items()
        for sentence in (f"{name}: {passport_line(judge)}.", *passport_warnings(judge))
    ]


def passports_section(judges: Mapping[str, Mapping[str, Any]]) -> Safe | None:
    """Return the section on passports; None without any judge that could have one."""
    if not judges:
        return None
    facts = [
        tag(
            "div",
            tag("dt", name),
            tag(
                "dd",
                passport_line(judge).removeprefix("passport: "),
                *(tag("small", sentence) for sentence in passport_warnings(judge)),
            ),
        )
        for name, judge in judges.items()
    ]
    lead = tag("p", _LEAD, class_="caption")
    return section("passports", "Passports", lead, tag("dl", *facts, class_="facts"))
