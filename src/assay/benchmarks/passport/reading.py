"""Find the passport of a judge and say what it means for a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from assay import __version__
from assay.benchmarks.passport.identity import (
    KEPT,
    difference,
    folder_of,
    has_other_goal,
    identify,
)
from assay.benchmarks.passport.lines import PAIRS, WORLDS
from assay.errors import InputError
from assay.judges.base import Judge
from assay.worlds.look import LOOK

__all__ = ["SCHEMA", "WITH_GOAL", "Passport", "find_passport", "read_passport", "warnings_for"]

SCHEMA = "assay.certify/1"
WITH_GOAL: Final = "-with-goal"
"""What the name of a shipped passport ends in that was made with a goal, where both ship."""

_USES: Final[Mapping[str, frozenset[str]]] = {
    "audit": frozenset({"mp", "ppl", "cra", "str", "success"}),
    "bench": frozenset({"mp", "ppl", "cra", "success", PAIRS}),
}
"""What each report shows of a judge: "pairs" are its answers to pairs of pictures."""


@dataclass(frozen=True)
class Passport:
    """What checks found about a judge.

    Attributes:
        path: The file it was read from.
        document: What the file holds; see `docs/certify.md`.
        stale: Why it may not speak for the judge at hand; empty when it does.
        aside: What was otherwise when it was made, though it speaks for the judge; empty for
            nothing.
    """

    path: Path
    document: Mapping[str, Any]
    stale: str = ""
    aside: str = ""

    @property
    def judge(self) -> str:
        """Return the name of the judge that was checked."""
        return str(self.document["judge"]["name"])

    def lines(self, verdict: str = "") -> list[Mapping[str, Any]]:
        """Return the lines with that verdict, such as "fail", or all."""
        found: Sequence[Mapping[str, Any]] = self.document["checks"]
        return [line for line in found if verdict in ("", line["verdict"])]

    def summary(self) -> str:
        """Say how many checks passed and which failed, by domain; never one grade for all."""
        domains = dict.fromkeys(str(line["domain"]) for line in self.lines())
        return "; ".join(self._summary(domain) for domain in domains)

    def _summary(self, domain: str) -> str:
        own = [line for line in self.lines() if line["domain"] == domain]
        passed = sum(line["verdict"] == "pass" for line in own)
        failed = [str(line["title"]) for line in own if line["verdict"] == "fail"]
        which = f" ({', '.join(failed)})" if failed else ""
        noun = "check" if passed == 1 else "checks"
        return f"{domain}: {passed} {noun} passed, {len(failed)} failed{which}"


def find_passport(judge: Judge, path: Path | None = None) -> Passport | None:
    """Return the passport of a judge, or None when there is none.

    Looks at `path` when it is given; else for `passport.json` in the folder of a trained judge,
    and for any other judge among those shipped with Assay: of a judge with a goal first for the
    one that was made with a goal.

    Raises:
        InputError: The file at `path` is no passport, or one of another judge.
    """
    now = identify(judge)
    for place in _places(judge, now["name"], path):
        if place.is_file() or place == path:
            found = read_passport(place)
            if found.judge == now["name"]:
                return _held_against(found, now)
            if place == path:
                raise InputError(
                    f"is the passport of the judge {found.judge}, not of {now['name']}.", place
                )
    return None


def read_passport(path: Path) -> Passport:
    """Return the passport in the file `path`.

    Raises:
        InputError: The file can't be read, or is no passport of this version.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"can't be read as JSON ({error}).", path) from error
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise InputError(f"is no passport: its schema is {schema!r}, and {SCHEMA!r} is read.", path)
    if not _is_whole(document):
        raise InputError("is no whole passport: it lacks the judge or its checks.", path)
    return Passport(path, document)


def warnings_for(passport: Passport, use: str = "audit") -> list[str]:
    """Return a sentence for each failed check that matters; first how the passport itself differs.

    A check that puts nothing of the report in doubt gives none: an audit, which rests on curves,
    says nothing of answers to pairs, unless the judge makes its curves of them.

    Args:
        passport: The passport.
        use: "audit" or "bench" for all that such a report shows, or one part of it: "mp", "ppl",
            "cra", "str", "success" or "pairs".
    """
    shown = _USES.get(use, frozenset({use}))
    found = [f"The passport may not hold: it was made for {passport.stale}."] * bool(passport.stale)
    found += [f"{passport.aside}."] * bool(passport.aside)
    for line in passport.lines("fail"):
        if line.get("warning") and shown.intersection(line.get("matters") or ()):
            found.append(f"{line['warning']} ({line['title']}, {line['domain']})")
    return found


def _places(judge: Judge, name: str, path: Path | None) -> list[Path]:
    """Return where the passport of a judge may be, the likeliest place first."""
    folder = folder_of(judge)
    if path is not None:
        return [path]
    if folder is not None:
        return [folder / KEPT]
    shipped = Path(str(files("assay.judges"))) / "passports"
    aimed = getattr(judge, "goal", None) is not None
    names = [f"{name}{WITH_GOAL}", name] if aimed else [name]
    return [shipped / f"{one}.json" for one in names]


def _held_against(found: Passport, now: Mapping[str, Any]) -> Passport:
    """Return a passport with what sets the judge that it was made for apart from the one `now`."""
    other = has_other_goal(found.document.get("identity") or {}, now)
    aside = "The passport was made with other goal pictures" if other else ""
    return replace(found, stale=_stale(found.document, now), aside=aside)


def _stale(document: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Say why a passport may not speak for the judge `now`."""
    changed = difference(document.get("identity") or {}, now, goals=False)
    if changed:
        return changed
    made = (document.get("versions") or {}).get("assay")
    if made != __version__:  # judges of ours and the checks themselves are known by it
        return f"another version of Assay ({made}, now {__version__})"
    seen = any(line["domain"] == WORLDS for line in document["checks"])
    if seen and document.get("look") != LOOK:
        return f"worlds of another look (version {document.get('look')}, now {LOOK})"
    return ""


def _is_whole(document: Mapping[str, Any]) -> bool:
    judge, checks = document.get("judge"), document.get("checks")
    if not (isinstance(judge, dict) and judge.get("name") and isinstance(checks, list)):
        return False
    wanted = {"check", "title", "domain", "verdict"}
    return all(isinstance(line, dict) and wanted <= line.keys() for line in checks)
