"""Every error Assay raises on purpose.

The tree, and why you see each:

    AssayError                  anything below; caught once, at the command line
    |-- UsageError              what was asked for can't be done as asked
    |   |-- UnknownNameError    no plug-in, column or option has that name
    |   |-- MissingExtraError   an optional package is needed and not installed
    |   `-- MissingLibraryError a library of the system is needed and not installed
    |-- InputError              a file can't be used at all (nothing was run)
    |   `-- UnsafePathError     a path inside a dataset leads out of its folder
    |-- EpisodeError            one episode can't be judged; the others go on
    |-- PolicyFault             a policy broke its contract; the other attempts go on
    |-- HarnessFault            simulator or renderer failed; the other attempts go on
    |   `-- ServerFault         the server of a policy is gone, or is none
    `-- RunError                the run directory can't be written or resumed
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Literal, TypeAlias

__all__ = [
    "AssayError",
    "EpisodeError",
    "FaultKind",
    "HarnessFault",
    "InputError",
    "MissingExtraError",
    "MissingLibraryError",
    "PolicyFault",
    "RunError",
    "ServerFault",
    "UnknownNameError",
    "UnsafePathError",
    "UsageError",
    "nearest",
]


FaultKind: TypeAlias = Literal["raised", "slow", "shape", "not_finite", "unreadable", "too_large"]


class AssayError(Exception):
    """Base of the tree; its text is one sentence a user can act on."""

    def __reduce__(self) -> tuple[object, ...]:
        """Survive a pickle as worded: some errors are made from parts that they don't keep."""
        return _again, (type(self), self.args), self.__dict__


class UsageError(AssayError):
    """What was asked for can't be done as asked."""


class UnknownNameError(UsageError):
    """A name that nothing answers to.

    Args:
        kind: What was looked for, such as "judge".
        asked: The name as it was given.
        allowed: The names that exist.
    """

    def __init__(self, kind: str, asked: str, allowed: Iterable[str]) -> None:
        names = sorted(allowed)
        close = nearest(asked, names)
        hint = f" Did you mean {' or '.join(repr(n) for n in close)}?" if close else ""
        known = ", ".join(names) if names else "none"
        super().__init__(f"There is no {kind} named {asked!r}.{hint} Known: {known}.")


class MissingExtraError(UsageError):
    """An optional package is missing; words every hint to install one.

    Args:
        feature: What needs the package, such as "The rerun writer".
        package: The missing package.
        extra: The extra of Assay that installs it.
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(f"{feature} needs the package {package!r}: pip install 'assay[{extra}]'.")


class MissingLibraryError(UsageError):
    """A library of the system is missing or broken; words every hint to install one.

    Args:
        feature: What needs it, such as "Rendering".
        library: What would do, such as "EGL or OSMesa".
        found: What was found instead, such as "libEGL is not there".
        packages: The Debian packages that bring it, apart by spaces.
    """

    def __init__(self, feature: str, library: str, found: str, packages: str) -> None:
        super().__init__(f"{feature} needs {library}, but {found}: apt install {packages}.")


class InputError(AssayError):
    """A file that can't be used; nothing was run.

    Args:
        message: What is wrong and what is allowed.
        path: The file.
        row: The row, counted as an editor counts lines, from 1.
    """

    def __init__(self, message: str, path: object = None, row: int | None = None) -> None:
        where = "" if path is None else f"{path}" + ("" if row is None else f", row {row}") + ": "
        super().__init__(where + message)


class UnsafePathError(InputError):
    """A path inside a dataset that leads out of the dataset's folder."""


class EpisodeError(AssayError):
    """One episode that can't be judged; the run goes on without it.

    Args:
        message: What is wrong, with the file.
        status: The status the episode is counted under (see `records.STATUSES`).
    """

    def __init__(self, message: str, status: str = "missing_frame") -> None:
        super().__init__(message)
        self.status = status


class PolicyFault(AssayError):  # noqa: N818 - a fault of the policy, not of Assay or its caller
    """A policy broke its contract: it raised, hung, or returned what is no action.

    Args:
        sentence: What happened.
        kind: "raised", "slow", "shape" or "not_finite"; of the answer of a server also "unreadable"
            or "too_large".
    """

    def __init__(self, sentence: str, kind: FaultKind) -> None:
        super().__init__(sentence)
        self.kind = kind


class HarnessFault(AssayError):  # noqa: N818 - the counterpart of PolicyFault
    """Simulator or renderer failed: nothing can be said about the policy."""


class ServerFault(HarnessFault):
    """The server of a policy is gone, or is none: nothing can be said about the policy either."""


class RunError(AssayError):
    """A run directory that can't be written, resumed or read."""


def nearest(asked: str, allowed: Iterable[str], count: int = 2) -> list[str]:
    """Return up to `count` names of `allowed` that look like `asked`, best first."""
    by_folded = {name.casefold(): name for name in allowed}
    close = difflib.get_close_matches(asked.casefold(), by_folded, n=count, cutoff=0.6)
    return [by_folded[name] for name in close]


def _again(kind: type[AssayError], args: tuple[object, ...]) -> AssayError:
    return kind.__new__(kind, *args)
