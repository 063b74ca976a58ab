"""What verbs share that may ask models: options, the plan, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._print import print_json

if TYPE_CHECKING:
    from assay.jobs._planning import CallPlan
    from assay.models.session import ModelSettings

__all__ = [
    "InFlight",
    "LedgerPlace",
    "MaxCost",
    "Model",
    "PerMinute",
    "Plan",
    "Prices",
    "Timeout",
    "model_settings",
    "print_plan",
    "print_usage",
]

Model = Annotated[
    str,
    typer.Option(
        metavar="PROVIDER:NAME[@URL]",
        help="The model to ask, for judges that ask one; the same as --set model=...",
    ),
]
LedgerPlace = Annotated[
    Path | None,
    typer.Option(
        help="Where answers of models are kept.",
        show_default="$ASSAY_LEDGER, else in the cache folder",
    ),
]
Plan = Annotated[
    bool,
    typer.Option("--plan", help="Print calls, tokens and price; ask nothing, write nothing."),
]
MaxCost = Annotated[
    float | None,
    typer.Option(metavar="USD", help="Stop asking before this command costs more than this."),
]
InFlight = Annotated[int, typer.Option(help="Requests at once, per endpoint.")]
PerMinute = Annotated[
    float | None,
    typer.Option(help="Requests a minute at most, per endpoint.", show_default="no limit"),
]
Timeout = Annotated[float, typer.Option(metavar="S", help="Seconds that one request may take.")]
Prices = Annotated[
    Path | None,
    typer.Option(help="TOML or JSON: USD per million input and output tokens, by model."),
]


def model_settings(
    ledger: Path | None,
    max_cost: float | None,
    in_flight: int,
    per_minute: float | None,
    timeout: float,
    prices: Path | None,
) -> ModelSettings:
    """Return the settings that the options of a verb say."""
    from assay.models.session import ModelSettings

    return ModelSettings(
        ledger=ledger,
        max_cost=max_cost,
        in_flight=in_flight,
        per_minute=per_minute,
        timeout_s=timeout,
        prices=prices,
    )


def print_plan(plan: CallPlan, *, json: bool) -> None:
    """Print what a run would ask, as lines or as one document."""
    from assay.reports.asked import plan_lines

    if json:
        print_json(plan.document)
    else:
        typer.echo("\n".join(plan_lines(plan.document)))


def print_usage(usage: Mapping[str, Any] | None, document: Mapping[str, Any] | None = None) -> None:
    """Say on stderr what a command asked and who answered; nothing where no model was asked.

    Args:
        usage: What `usage.json` holds.
        document: What the run came to; its `asked` says which revisions of a model answered.
    """
    from assay.reports.asked import usage_lines

    for line in usage_lines(usage):
        typer.echo(line, err=True)
    asked: Mapping[str, Any] = (document or {}).get("asked") or {}
    for model, came_to in asked.items():
        names = [repr(name) for name in came_to.get("revisions") or {} if name]
        if names:
            typer.echo(f"{model}: answered as {', '.join(names)}.", err=True)
