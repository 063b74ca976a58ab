"""What a diagnostic is: one number of one curve, shown only when asked for by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, runtime_checkable

from assay.metrics.results import Floats

__all__ = ["Diagnostic"]


@runtime_checkable
class Diagnostic(Protocol):
    """A rejected alternative to the headline metrics. A diagnostic is one file in this folder.

    Its class is built without arguments; an option is a field with a default.

    Attributes:
        title: The full name, in one line.
        unit: What the number is counted in.
        flaw: Why it is not a headline metric, in one line.
    """

    title: ClassVar[str]
    unit: ClassVar[str]
    flaw: ClassVar[str]

    def __call__(self, values: Floats, *, epsilon: float, experts: Sequence[Floats] = ()) -> float:
        """Return the diagnostic of one curve, NaN where it is undefined.

        Args:
            values: Phi_0 .. Phi_T in 0..1, of shape (T + 1,), T >= 0.
            epsilon: The step size below which nothing has happened.
            experts: Curves of demonstrations, each of shape (T_k + 1,).
        """
        ...
