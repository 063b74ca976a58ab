"""assay bench."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._models import (
    InFlight,
    LedgerPlace,
    MaxCost,
    Model,
    PerMinute,
    Plan,
    Prices,
    Timeout,
    model_settings,
    print_plan,
    print_usage,
)
from assay.cli._print import AsJson, Form, finish, only_answers, options_of, words
from assay.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from assay.benchmarks.glitches.similarity import Similarity
    from assay.jobs.bench_glitches import GlitchBenchSettings
    from assay.judges.base import Judge

__all__ = ["bench"]

_BENCHMARKS = ("glitches", "pulse")


def bench(
    benchmark: Annotated[
        str, typer.Argument(metavar="BENCHMARK", help="What to run: pulse, glitches.")
    ],
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="What `assay build` wrote.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder for the report; made if need be.", show_default=False),
    ] = None,
    reports: Annotated[
        list[str] | None,
        typer.Option(metavar="[LABEL=]FILE", help="glitches: a system's reports (jsonl)."),
    ] = None,
    references: Annotated[
        Path | None, typer.Option(help="glitches: what is there (jsonl).", show_default=False)
    ] = None,
    similarity: Annotated[
        list[str] | None,
        typer.Option(
            help="glitches: who compares descriptions: shared-words, or a text model"
            " PROVIDER:NAME[@URL]; a second one checks the first.",
            show_default="shared-words",
        ),
    ] = None,
    iou_fps: Annotated[
        float | None,
        typer.Option(
            help="glitches: overlaps in whole frames, so many a second, each end at the nearest.",
            show_default="seconds as they are",
        ),
    ] = None,
    base: Annotated[str, typer.Option(help="glitches: the weakest of the systems.")] = "",
    full: Annotated[
        str, typer.Option(help="glitches: the strongest: who closes which share of the gap.")
    ] = "",
    held_out: Annotated[
        str,
        typer.Option(help="glitches: the dataset of a held-out generator: how much gap is left."),
    ] = "",
    sweep: Annotated[
        str, typer.Option(help="glitches: a system whose least confidence is varied.")
    ] = "",
    groups: Annotated[
        Path | None,
        typer.Option(
            help="glitches: csv: clip, and groups such as task_family and embodiment.",
            show_default=False,
        ),
    ] = None,
    annotator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[LABEL=]FILE", help="glitches: what an annotator marked (jsonl): agreement."
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[LABEL=]NAME",
            help="Who answers: a name of `assay list judges`, a folder, or module:function.",
        ),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the judges, as [JUDGE.]field=value."),
    ] = None,
    goal: Annotated[
        Path | None,
        typer.Option(
            help="Goal image or demonstrations, for judges that need one.", show_default=False
        ),
    ] = None,
    model: Model = "",
    answers: Annotated[
        list[Path] | None,
        typer.Option(help="Recorded answers (csv, jsonl, parquet): item,answer."),
    ] = None,
    noise: Annotated[
        str, typer.Option(help="Also with these shares of noise in the pictures: 0,0.05,0.1.")
    ] = "0",
    limit: Annotated[int | None, typer.Option(help="Take only so many episodes.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Workers.", show_default="one a core")] = None,
    seed: Annotated[int, typer.Option(help="Decides noise and resampling.")] = 0,
    by_curve: Annotated[
        bool, typer.Option("--by-curve", help="Judges of pairs answer by their curves, too.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Ask again what is not ok in a finished run.")
    ] = False,
    plan: Plan = False,
    max_cost: MaxCost = None,
    prices: Prices = None,
    ledger: LedgerPlace = None,
    in_flight: InFlight = 16,
    per_minute: PerMinute = None,
    timeout: Timeout = 120.0,
    form: Annotated[
        Form, typer.Option("--format", help="How the table is printed.")
    ] = Form.terminal,
    json: AsJson = False,
) -> None:
    """Let judges answer a benchmark; the null judges always stand beside them.

    Example: assay bench pulse pulse --judge prm-mini --noise 0,0.05,0.1 --out bench

    Example: assay bench glitches --reports gaze=reports.jsonl --references truth.jsonl --json
    """
    how = Form.json if json else form
    if benchmark == "glitches":
        from assay.jobs._bench_robustness import Asked
        from assay.jobs.bench_glitches import GlitchBenchSettings

        judges = [_similarity(text) for text in similarity or ["shared-words"]]
        if len(judges) > 2:
            raise UsageError("--similarity is given once, and a second time to check the first.")
        asked = Asked(
            second=judges[1] if len(judges) > 1 else None,
            base=base,
            full=full,
            held_out=held_out,
            sweep=sweep,
            groups=groups,
            annotators=_labelled(annotator or []),
        )
        models = model_settings(ledger, max_cost, in_flight, per_minute, timeout, prices)
        _glitches(
            _labelled(reports or []),
            references,
            GlitchBenchSettings(out, judges[0], asked, models, seed=seed, iou_fps=iou_fps),
            how,
        )
        return
    if benchmark not in _BENCHMARKS:
        raise UnknownNameError("benchmark", benchmark, _BENCHMARKS)
    if folder is None or out is None:
        raise UsageError(
            f"`assay bench {benchmark}` needs DIR, what `assay build` wrote, and --out."
        )
    from assay.jobs.bench import BenchSettings
    from assay.jobs.bench import bench as run
    from assay.jobs.bench import plan as count

    with only_answers():  # whatever a judge prints
        settings = BenchSettings(
            out=out,
            benchmark=benchmark,
            judges=_judges(judge or [], options_of(options or []), goal, model),
            answers=tuple(answers or ()),
            noise=_shares(noise),
            limit=limit,
            jobs=jobs,
            seed=seed,
            by_curve=by_curve,
            retry=retry,
            models=model_settings(ledger, max_cost, in_flight, per_minute, timeout, prices),
        )
    if plan:
        with only_answers():
            planned = count(folder, settings)
        print_plan(planned, json=json or form is Form.json)
        return
    with only_answers():
        result = run(folder, settings)
    print_usage(result.usage, result.document)
    finish(result, how, "assay.reports.pulse_tables", "bench_")


def _glitches(
    reports: Mapping[str, Path],
    references: Path | None,
    settings: GlitchBenchSettings,
    form: Form,
) -> None:
    """Score reports of glitches."""
    from assay.jobs.bench_glitches import bench_glitches

    if references is None:
        raise UsageError("`assay bench glitches` needs --references FILE: what is there.")
    with only_answers():
        result = bench_glitches(reports, references, settings)
    for warning in result.warnings:
        typer.echo(warning, err=True)
    finish(result, form, "assay.reports.glitch_tables")


def _labelled(given: Iterable[str]) -> dict[str, Path]:
    """Return files by label, which is the file's name where none is given."""
    named: dict[str, Path] = {}
    for text in given:
        label, equals, path = ("", "", text) if Path(text).exists() else text.partition("=")
        name = label if equals else Path(text).stem
        if not name or name in named:
            raise UsageError(f"The file {text!r} needs a LABEL= of its own.")
        named[name] = Path(path if equals else text)
    return named


def _similarity(text: str) -> Similarity:
    from assay.benchmarks.glitches.similarity import FALLBACK, SharedWords
    from assay.benchmarks.glitches.text_judge import TextJudge
    from assay.models.address import parse

    if text == FALLBACK:
        return SharedWords()
    return TextJudge(str(parse(text)))


def _shares(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in words(text))
    except ValueError:
        raise UsageError(f"--noise takes numbers such as 0,0.05,0.1, not {text!r}.") from None


def _judges(
    asked: Iterable[str], options: Mapping[str, str], goal: Path | None, model: str
) -> dict[str, Judge]:
    """Return the judges by label, each with options, goal and model that are meant for it."""
    from assay.jobs._goals import with_goal
    from assay.jobs._models import with_model
    from assay.judges import make_judge

    named: dict[str, str] = {}
    for text in asked:
        there = Path(text).exists()
        label, equals, name = ("", "", text) if there else text.partition("=")
        bare = text if there else text.partition("@")[0]  # without the model of NAME@MODEL
        label, name = (label, name) if equals else (Path(bare).name or text, text)
        if not label.strip() or not name:
            raise UsageError(f"--judge takes NAME or LABEL=NAME, not {text!r}.")
        if label in named:
            raise UsageError(f"The judge {label!r} was asked for twice: give each a LABEL=.")
        named[label] = name
    own: dict[str, dict[str, str]] = {label: {} for label in named}
    for field, value in options.items():
        label, dot, rest = field.rpartition(".")
        if dot and label not in own:
            raise UsageError(f"--set {field}: no judge {label!r} was asked for.")
        for chosen in [own[label]] if dot else own.values():
            chosen[rest] = value
    if goal is not None and not named:
        raise UsageError("--goal is for a judge that compares with one: name it with --judge.")
    made = [make_judge(name, own[label], outside=True) for label, name in named.items()]
    return dict(zip(named, with_model(with_goal(made, goal), model), strict=True))
