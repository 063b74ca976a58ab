"""Which policy stands behind a label: what the record of a rollout says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay import plugins
from assay.episodes.paths import inside
from assay.errors import InputError
from assay.jobs._rundir import read_document

__all__ = ["PolicyKinds"]

_POLICIES = "assay.worlds.policies"
_RECORD = "rollout.json"


@dataclass(frozen=True)
class PolicyKinds:
    """The policies of one dataset.

    Attributes:
        recorded: Names of policies by the label that `assay rollout` was given for them; None where
            it left no record, as in a dataset that was converted.
    """

    recorded: Mapping[str, str] | None

    @classmethod
    def of(cls, path: Path) -> PolicyKinds:
        """Read the record that stands beside the episodes of `path`, if there is one."""
        if not (path / _RECORD).is_file():
            return cls(None)
        try:
            document = read_document(inside(path, _RECORD, file=path))
            told = document["settings"]["policies"].items()
            ours = document["schema"] == "assay.rollout/1"
            recorded = {label: str(policy["name"]) for label, policy in told}
        except (InputError, KeyError, TypeError, AttributeError):
            return cls(None)  # a file of others that happens to have this name
        return cls(recorded if ours else None)

    def kind(self, label: str, *, renamed: bool = False) -> str | None:
        """Return the name of the policy that episodes call `label`; None when nobody knows.

        Args:
            label: The policy of an episode.
            renamed: Whether the label is that of the source, and so of whatever acted in it.
        """
        if self.recorded is None:
            return label if label in _known() else None
        if not renamed:
            return self.recorded.get(label)
        names = set(self.recorded.values())
        return names.pop() if len(names) == 1 else None


@cache  # one look for thousands of episodes
def _known() -> frozenset[str]:
    return frozenset(plugins.names(_POLICIES))
