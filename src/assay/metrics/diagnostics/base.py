"""What a diagnostic is: one number of one curve, shown only when asked for by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from assay.errors import InputError
from assay.metrics.opd import check_curve
from assay.metrics.results import Floats

__all__ = ["Context", "Diagnostic"]


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """What a diagnostic may look at beside the curve.

    Attributes:
        epsilon: The step size below which nothing has happened.
        experts: Curves of demonstrations, each of shape (T_k + 1,), complete and in 0..1.

    Raises:
        InputError: An expert is empty, or has a value that is NaN or outside 0..1. Such a curve
            can't be compared with, and must not decide which expert is the nearest.
    """

    epsilon: float
    experts: tuple[Floats, ...] = ()

    def __post_init__(self) -> None:
        for number, expert in enumerate(self.experts):
            if expert.ndim != 1 or not len(expert):
                raise InputError(f"Expert {number} must be one curve, not shape {expert.shape}.")
            frame = check_curve(expert)
            if frame is not None:
                raise InputError(
                    f"Expert {number}, frame {frame}: a demonstration must have a progress in "
                    f"0..1 at every moment, found {expert[frame]:g}."
                )


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

    def __call__(self, curve: Floats, context: Context, /) -> float:
        """Return the diagnostic of one curve, NaN where it is undefined.

        Both arguments are given by position; one that needs no context calls it `_context`.

        Args:
            curve: Phi_0 .. Phi_T in 0..1, of shape (T + 1,), T >= 0.
            context: What may be looked at beside the curve.
        """
        ...
