"""Options of the verbs that read episodes."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["TrustPickles"]

TrustPickles = Annotated[
    bool,
    typer.Option("--trust-pickles", help="Open pickles of formats that have them, such as RH20T."),
]
