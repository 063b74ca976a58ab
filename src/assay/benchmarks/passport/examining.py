"""Examine a judge on one subject after the other, then draw the lines of its passport."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

import numpy as np

from assay import plugins
from assay.benchmarks.passport.checks.base import Check, Finding
from assay.benchmarks.passport.lines import EPISODES, WORLDS, Domain, Line
from assay.benchmarks.passport.material import Kind, Material, recorded
from assay.benchmarks.passport.probing import Probe
from assay.benchmarks.passport.scenes import Attempt, Goals, Looks, Scene, make_material
from assay.benchmarks.passport.stage import Stage
from assay.errors import AssayError, EpisodeError, RunError
from assay.judges.base import ProgressJudge
from assay.records import Episode, Unreadable

__all__ = [
    "LOST",
    "UNANSWERED",
    "Examiner",
    "Subject",
    "checks",
    "lines_of",
    "missing",
    "novel_share",
    "unanswered",
]

Subject: TypeAlias = Episode | Scene

LOST: Final = frozenset({"transport"})
"""Statuses of answers that never came: nothing was learnt of the judge."""

UNANSWERED: Final = LOST | {"unparsed", "refused", "truncated", "invalid_value"}
"""Statuses of answers that are none, and that another try may mend."""

_BLIND = "It looks at no pictures, so nothing in them can sway it."
_FOLDER = "assay.benchmarks.passport.checks"


def checks() -> dict[str, Check]:
    """Return all checks by name, in the order of tables."""
    found = {name: plugins.find(_FOLDER, name)() for name in plugins.names(_FOLDER)}
    return dict(sorted(found.items(), key=lambda item: (item[1].rank, item[0])))


def missing(subject: Subject | Unreadable, why: str, status: str = "") -> dict[str, Any]:
    """Return the result of a subject that can't be had: every check that asks for it says why.

    Args:
        subject: The subject.
        why: Why it can't be had.
        status: What that counts as, if another try may mend it (see `UNANSWERED`).
    """
    domain: Domain = EPISODES if isinstance(subject, Episode | Unreadable) else WORLDS
    wanted = _wanted(checks(), _kind(subject), domain)
    told = {"why": why, **({"status": status} if status else {})}
    return {"domain": domain, "findings": dict.fromkeys(wanted, told), "novel": None}


class Examiner:
    """Put every check to one judge, subject by subject; what worlds need is made once.

    Args:
        judge: The judge.
    """

    def __init__(self, judge: ProgressJudge) -> None:
        self._judge = judge
        self._checks = checks()
        self._stage: Stage | None = None

    def __call__(self, subject: Subject) -> bytes:
        """Return what the checks found, as JSON."""
        try:
            material = self._material(subject)
        except AssayError as error:
            return _encoded(missing(subject, str(error)))
        return _encoded(self.examine(material))

    def examine(self, material: Material) -> dict[str, Any]:
        """Return what the checks found on one piece of material, as plain data."""
        probe = Probe(self._judge)
        wanted = _wanted(self._checks, material.kind, material.domain)
        found = {name: _finding(check, probe.by(name), material) for name, check in wanted.items()}
        return {"domain": material.domain, "findings": found, "novel": _novel(probe)}

    def _material(self, subject: Subject) -> Material:
        if isinstance(subject, Episode):
            return recorded(subject)
        self._stage = self._stage or Stage()
        return make_material(subject, self._stage)


def lines_of(
    judge: ProgressJudge, results: Sequence[Mapping[str, Any]], domain: Domain
) -> list[dict[str, Any]]:
    """Return the lines of one domain, as they stand in result files.

    Args:
        judge: The judge.
        results: What `Examiner` returned for each subject, read from JSON, in order.
        domain: The domain.
    """
    own = [result["findings"] for result in results if result["domain"] == domain]
    lines: list[Line] = []
    for name, check in checks().items():
        if domain == WORLDS or not check.truth:
            found = [findings[name] for findings in own if name in findings]
            made = check.conclude(name, found, check.unfit(Probe(judge)))
            blind = check.pictures and "frames" not in judge.needs
            lines += [replace(x, meaning=_BLIND) if blind and x.meaning else x for x in made]
    return [line.as_json(domain) for line in lines]


def novel_share(results: Sequence[Mapping[str, Any]], domain: Domain) -> float | None:
    """Return the mean share of moments unlike what the judge was made from; None if unknown."""
    shares = [r["novel"] for r in results if r["domain"] == domain and r["novel"] is not None]
    return float(np.mean(shares)) if shares else None


def unanswered(result: Mapping[str, Any], statuses: Collection[str] = UNANSWERED) -> str:
    """Return why a check of one subject lacks an answer of the judge; empty when none does.

    Args:
        result: What `Examiner` returned for the subject, read from JSON.
        statuses: Which statuses count; by default those that another try may mend.
    """
    found = result["findings"].values()
    return next((str(one["why"]) for one in found if one.get("status") in statuses), "")


def _finding(check: Check, probe: Probe, material: Material) -> Finding:
    """Put one check; whatever goes wrong is what it found."""
    # Successes and failures may have lines of their own, in which what is missing counts, too.
    about = {"success": bool(material.episode.outcome)} if check.truth else {}
    if check.unfit(probe):
        return {"why": check.unfit(probe), **about}
    try:
        return check.measure(probe, material)
    except EpisodeError as error:
        # What the material lacks, no other try will bring.
        told = {"status": error.status} if error.status in UNANSWERED else {}
        return {"why": str(error), **told, **about}
    except RunError:  # an answer that was paid for can't be stored: that ends the run
        raise
    except AssayError as error:
        return {"why": str(error), **about}
    except Exception as error:  # noqa: BLE001 - a judge that breaks on one video must not take the other checks with it
        why = f"the judge failed: {type(error).__name__}: {error}"
        return {"why": why, "status": "invalid_value", **about}


def _wanted(known: Mapping[str, Check], kind: Kind, domain: Domain) -> dict[str, Check]:
    """Return the checks that are made on such material."""
    return {
        name: check
        for name, check in known.items()
        if check.kind == kind and (domain == WORLDS or not check.truth)
    }


def _kind(subject: Subject | Unreadable) -> Kind:
    if isinstance(subject, Episode | Unreadable | Attempt):
        return "episode"
    if isinstance(subject, Looks):
        return "looks"
    return "goals" if isinstance(subject, Goals) else "hidden"


def _novel(probe: Probe) -> float | None:
    plain = probe.known.get("plain")
    novel = None if plain is None else plain.curve.novel
    return None if novel is None else float(np.mean(novel))


def _encoded(result: Mapping[str, Any]) -> bytes:
    return json.dumps(result, allow_nan=False, default=float).encode()
