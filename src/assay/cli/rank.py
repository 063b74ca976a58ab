"""assay rank."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from assay.cli._print import AsJson, Form, finish, only_answers, words

if TYPE_CHECKING:
    from assay.metrics.bradley_terry import Ties

__all__ = ["rank"]


def rank(
    votes: Annotated[
        Path,
        typer.Argument(metavar="VOTES", help="Votes (csv, jsonl, parquet): a,b,outcome[,rater..]."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="The folder for the report; made if need be.", show_default="no report"),
    ] = None,
    policies: Annotated[
        str, typer.Option(help="Rank these policies only, such as pi0,act.", show_default="all")
    ] = "",
    by: Annotated[
        str | None,
        typer.Option(help="Also rank each task, scene, rater or source by itself."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Votes of one rater, or scene, go together; their intervals are wider."),
    ] = None,
    ties: Annotated[
        str, typer.Option(help="exclude leaves ties out of the fit, davidson counts them.")
    ] = "exclude",
    regularise: Annotated[
        bool,
        typer.Option(
            "--regularise", help="Give each policy an imagined win and loss: all get a strength."
        ),
    ] = False,
    level: Annotated[float, typer.Option(help="The coverage of intervals.")] = 0.95,
    against: Annotated[
        Path | None,
        typer.Option(help="Another ranking: votes, or a run of assay rank or assay audit."),
    ] = None,
    metric: Annotated[
        str, typer.Option(help="What the policies of an audit are ranked by.")
    ] = "mp",
    resamples: Annotated[int, typer.Option(help="How often votes are drawn again.")] = 1000,
    seed: Annotated[int, typer.Option(help="Decides the resampling.")] = 0,
    form: Annotated[
        Form, typer.Option("--format", help="How the table is printed.")
    ] = Form.terminal,
    json: AsJson = False,
) -> None:
    """Rank policies by blind votes: strengths with intervals, tiers, and the next pair to ask.

    Example: assay rank votes.csv --cluster rater --by task --out ranking
    """
    from assay.jobs.rank import RankSettings
    from assay.jobs.rank import rank as run

    settings = RankSettings(
        out=out,
        policies=words(policies),
        by=by,
        cluster=cluster,
        ties=cast("Ties", ties),  # the settings refuse what is neither
        regularise=regularise,
        level=level,
        against=against,
        metric=metric,
        resamples=resamples,
        seed=seed,
    )
    with only_answers():
        result = run(votes, settings)
    finish(result, Form.json if json else form, "assay.reports.rank_tables")
