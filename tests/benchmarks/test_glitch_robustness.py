"""How far scores depend on choices: values by hand, published ones, and the command line."""

import json
import re

import numpy as np
import pytest

from assay.benchmarks.glitches.between import gap_closed, gap_left
from assay.benchmarks.glitches.robustness import conditions, ranking
from assay.benchmarks.glitches.text_judge import TextJudge
from assay.cli._app import run
from assay.episodes.glitches.reports import read_reports
from assay.errors import InputError, RunError, UsageError
from assay.jobs._bench_robustness import Asked
from assay.jobs.bench_glitches import GlitchBenchSettings, bench_glitches
from assay.metrics.glitches.agreeing import agreement_by_dimension
from assay.metrics.glitches.matching import Marked
from assay.metrics.overlap import Spans
from glitches_made import event, line, write
from models_told import MODEL, listen, text_of


def clip(name, *events, dataset="one"):
    return line(name, *events, dataset=dataset)


def blur(description="the picture is blurred", **more):
    return event("blur", 0.0, 1.0, description=description, **more)


@pytest.fixture
def files(tmp_path):
    """Ten clips with a blur, five of them of another generator; base finds 2, half 6, full 10."""
    datasets = ["main"] * 5 + ["new"] * 5
    true = [clip(f"c{k}", blur(), dataset=name) for k, name in enumerate(datasets)]
    found = {"base": 1, "half": 3, "full": 5}
    made = {"true": write(tmp_path / "true.jsonl", true)}
    for name, count in found.items():
        lines = [
            clip(f"c{k}", *([blur(confidence=0.3 + k % 5 / 10)] if k % 5 < count else []))
            for k in range(10)
        ]
        made[name] = write(tmp_path / f"{name}.jsonl", lines)
    return made


def scored(files, **asked):
    reports = {name: files[name] for name in ("base", "half", "full")}
    how = GlitchBenchSettings(asked=Asked(**asked), resamples=200)
    return bench_glitches(reports, files["true"], how).document["robustness"]


def test_published_shares_of_gaps_and_retention():
    # GOLDEN: (25.4, 31.1, 67.9) 13.4 %; (17.6, 22.0, 56.6) 11.3 %; retention 39.6 / 42.5 = 93.2 %
    assert gap_closed(25.4, 31.1, 67.9) == pytest.approx(0.134, abs=5e-4)
    assert gap_closed(17.6, 22.0, 56.6) == pytest.approx(0.113, abs=5e-4)
    assert gap_left(main=42.5, held_out=39.6) == pytest.approx(0.932, abs=5e-4)
    assert gap_left(main=0.0, held_out=0.1) is None


def test_the_share_of_the_gap_that_a_baseline_closes(files):
    # F1 is the share of clips found: (0.6 - 0.2) / (1.0 - 0.2) = 0.5
    found = scored(files, base="base", full="full")["gap_closed"]["closed"]["half"]
    assert found["value"] == pytest.approx(0.5)
    assert found["low"] < 0.5 < found["high"]
    assert found["n"] == 10


def test_how_much_of_the_gap_is_left_on_another_generator(files):
    found = scored(files, base="base", full="full", held_out="new")["retention"]
    # the same clips are found in both datasets: 0.8 / 0.8
    assert (found["main"], found["held_out"]) == (pytest.approx(0.8), pytest.approx(0.8))
    assert found["value"] == pytest.approx(1.0)


def test_a_published_retention_through_the_files(tmp_path):
    # GOLDEN: 39.6 / 42.5. Base finds nothing, full 17 of 40 main clips and 396 of 1,000 others.
    datasets = ["main"] * 40 + ["new"] * 1000
    true = [clip(f"c{k}", blur(), dataset=name) for k, name in enumerate(datasets)]
    some = [one if k < 17 or 40 <= k < 436 else clip(f"c{k}") for k, one in enumerate(true)]
    reports = {
        "base": write(tmp_path / "base.jsonl", [clip(f"c{k}") for k in range(len(true))]),
        "full": write(tmp_path / "full.jsonl", some),
    }
    how = GlitchBenchSettings(asked=Asked(base="base", full="full", held_out="new"), resamples=100)
    found = bench_glitches(reports, write(tmp_path / "true.jsonl", true), how).document
    assert found["robustness"]["retention"]["value"] == pytest.approx(0.396 / 0.425)


def test_a_sweep_of_the_least_confidence(files):
    found = scored(files, sweep="full")["sweep"]
    # confidences are 0.3, 0.4 .. 0.7, two clips each
    assert [found[least]["f1"]["value"] for least in found] == pytest.approx(
        [1.0, 0.8, 0.6, 0.4, 0.2]
    )
    assert found["0.50"]["glitchy_recall"]["value"] == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("confidences", "begins"),
    [
        # Thresholds up to the named one give equal rows; an event under 0.40 tells two apart.
        ((0.5, 0.62, 0.9), "0.50"),
        ((0.45, 0.9), "0.40"),
        ((0.39, 0.9), None),
        ((0.3,), None),
        ((0.95,), "0.70"),
        ((), "0.70"),
    ],
)
def test_a_sweep_of_reports_that_were_cut_off_says_so(confidences, begins, tmp_path, capfd):
    true = write(tmp_path / "true.jsonl", [clip(f"c{k}", blur()) for k in range(4)])
    told = {f"c{k}": [blur(confidence=value)] for k, value in enumerate(confidences)}
    said = write(tmp_path / "gaze.jsonl", [clip(f"c{k}", *told.get(f"c{k}", ())) for k in range(4)])
    words = ["bench", "glitches", "--reports", said, "--references", true, "--sweep", "gaze"]
    with pytest.raises(SystemExit) as stopped:
        run([*map(str, words), "--json", "--out", str(tmp_path / "out")])
    assert not stopped.value.code
    printed, error = capfd.readouterr()
    found = json.loads(printed)["robustness"]
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert ("sweep_note" in found) == (begins is not None)
    assert list(found["sweep"]) == ["0.30", "0.40", "0.50", "0.60", "0.70"]
    if begins is None:
        assert "accept_at" not in page + error
        return
    note = (
        f"The reports of gaze hold no event below {begins}, so thresholds under it change nothing:"
        " make them with --set accept_at=0.30."
    )
    assert found["sweep_note"] == note
    assert note in page
    assert note in error
    equal = [own for least, own in found["sweep"].items() if float(least) <= float(begins)]
    assert all(own == equal[0] for own in equal)


def test_the_page_has_other_bonuses_and_least_overlaps(tmp_path):
    # 0..2 s fits 0..1.1 s of another dimension by S 1 x IoU 0.55, and 1..2 s of its own by S 0.9 x
    # IoU 0.5 x (1 + bonus): 0.45, 0.495, 0.5625, 0.675. F1 is 2 S / 3: 0.667 or 0.6.
    told = "one two three four five six seven eight nine"  # of ten words nine in common
    true = [
        event("object_floating", 0.0, 1.1, description=f"{told} ten"),
        event("blur", 1.0, 2.0, description=f"{told} eleven"),
    ]
    said = [event("blur", 0.0, 2.0, description=f"{told} ten")]
    references = write(tmp_path / "true.jsonl", [clip("a", *true)])
    reports = {name: write(tmp_path / f"{name}.jsonl", [clip("a", *said)]) for name in ("x", "y")}
    bench_glitches(reports, references, GlitchBenchSettings(tmp_path / "out"))
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    for system in reports:
        assert f"{system} 66.7 † 66.7 † 60.0 † 60.0 †" in rows(page, "bonus")
        # With IoU 0.5: precision 0.9, recall 0.45; nothing is left from 0.7 on.
        for least in ("0.3", "0.5"):
            assert f"{system} {least} 90.0 † 45.0 † 60.0 †" in rows(page, "least-iou")
        assert f"{system} 0.7 0.0 † 0.0 † 0.0 †" in rows(page, "least-iou")
    assert "system F1 with 0 F1 with 0.1 F1 with 0.25 F1 with 0.5" in rows(page, "bonus")
    assert "elsewhere it is 0.25." in page


def rows(page, name):
    """Return the rows of the table in a section, cells apart by blanks."""
    part = page.partition(f'<section id="{name}">')[2].partition("</section>")[0]
    return [
        " ".join(re.sub("<[^>]*>", " ", row).split())
        for row in re.findall("<tr>.*?</tr>", part, re.DOTALL)
    ]


def test_a_sweep_needs_confidences(files, tmp_path):
    files["base"] = write(tmp_path / "plain.jsonl", [clip("c0", blur())])
    with pytest.raises(UsageError, match="--sweep needs reports whose events all have a conf"):
        scored(files, sweep="base")


def test_tables_by_task_family_and_embodiment(files, tmp_path):
    rows = ["clip,task_family,embodiment"]
    rows += [f"c{k},{'pour' if k % 5 < 3 else 'push'},arm" for k in range(10)]
    (tmp_path / "groups.csv").write_text("\n".join([*rows, ""]))
    found = scored(files, groups=tmp_path / "groups.csv")["groups"]
    assert found["task_family"]["pour"]["clips"] == 6
    assert found["task_family"]["pour"]["half"]["f1"]["value"] == pytest.approx(1.0)
    assert found["task_family"]["push"]["half"]["f1"]["value"] == 0.0
    assert found["embodiment"]["arm"]["half"]["f1"]["value"] == pytest.approx(0.6)
    (tmp_path / "groups.csv").write_text("clip,family\nnobody,x\n")
    with pytest.raises(InputError, match=r"row 2: the clip 'nobody' is in no reference"):
        scored(files, groups=tmp_path / "groups.csv")


def test_two_regimes_and_whether_they_rank_alike():
    kept = conditions({"a@16": 0.6, "b@16": 0.4, "a@4fps": 0.62, "b@4fps": 0.38, "c": 0.1})
    assert kept["ranking_kept"]
    assert kept["largest_difference"] == pytest.approx(0.02)
    assert not conditions({"a@16": 0.6, "b@16": 0.4, "a@x": 0.3, "b@x": 0.4})["ranking_kept"]
    assert conditions({"a": 0.5, "b@x": 0.4}) is None


def test_two_judges_of_texts_by_rank():
    first = {"a": 0.6, "b": 0.5, "c": 0.1}
    found = ranking(first, {"a": 0.5, "b": 0.7, "c": 0.2})
    # ranks 3 2 1 and 2 3 1: rho = 1 - 6 x 2 / (3 x 8) = 0.5
    assert found["spearman"] == pytest.approx(0.5)
    assert found["largest_difference"] == pytest.approx(0.2)
    assert not found["ranking_kept"]


MARKS = {"event_faithfulness": 5, "specificity": 4, "causal_correctness": 3, "rationale": "r"}


def test_a_text_model_gives_three_marks(monkeypatch):
    told = listen(monkeypatch, lambda _: MARKS)
    judge = TextJudge(MODEL)
    found = judge.compare([("a block floats", "the block hovers"), ("same", " same"), ("a", "b")])
    # GOLDEN: axes 5, 4, 3 -> 0.8; equal texts are not asked about
    assert found.tolist() == pytest.approx([0.8, 1.0, 0.8])
    assert len(told.requests) == 2
    said = next(text for text in map(text_of, told.requests) if "floats" in text)
    assert "People wrote: the block hovers" in said
    assert told.requests[0].sampling.temperature == 0.0


def test_a_text_model_without_marks_is_no_zero(monkeypatch):
    listen(monkeypatch, lambda _: {**MARKS, "specificity": 9})
    with pytest.raises(RunError, match="no marks for 1 of 1 pairs"):
        TextJudge(MODEL).compare([("a", "b")])


def test_the_command_line_with_a_second_judge(files, monkeypatch, capfd):
    listen(monkeypatch, lambda _: MARKS)
    monkeypatch.setattr("assay.models.session.opened", _untouched)
    monkeypatch.setattr(TextJudge, "check", lambda self: None)
    named = [word for n in ("base", "half", "full") for word in ("--reports", f"{n}={files[n]}")]
    words = ["bench", "glitches", *named, "--references", str(files["true"]), "--json"]
    words += ["--similarity", "shared-words", "--similarity", MODEL, "--base", "base"]
    with pytest.raises(SystemExit) as stopped:
        run([*words, "--full", "full"])
    assert stopped.value.code in (0, None)
    found = json.loads(capfd.readouterr().out)["robustness"]
    assert found["second_judge"]["similarity"] == MODEL
    assert found["second_judge"]["ranking_kept"]
    with pytest.raises(SystemExit) as stopped:
        run(words)  # --base without --full
    assert stopped.value.code == 2


def _untouched(settings):
    from contextlib import nullcontext

    return nullcontext()


def annotated(*events):
    """Return events given as (clip, start, end, dimension)."""
    table = np.array(events, dtype=np.float64).reshape(-1, 4)
    numbers = table[:, 3].astype(np.int64)
    spans = Spans(table[:, 1:3], table[:, 0].astype(np.int64))
    return Marked(spans, numbers, numbers, np.full(len(table), 3.0))


def test_agreement_of_two_annotators_by_hand():
    # Ten clips; both mark 0..2, the first also 3, the second also 4: cells 3, 1, 1, 5.
    # Agreed 0.8, by chance (4 x 4 + 6 x 6) / 100 = 0.52: kappa = 0.28 / 0.48.
    first = annotated(*((k, 0, 2, 0) for k in range(4)))
    second = annotated(*((k, 1, 3, 0) for k in (0, 1, 2, 4)))
    found = agreement_by_dimension([first, second], 10, ["x", "y"], resamples=300)
    assert found["x"]["kappa"]["value"] == pytest.approx(0.28 / 0.48)
    assert found["x"]["kappa"]["low"] < 0.58 < found["x"]["kappa"]["high"]
    assert found["x"]["iou"]["value"] == pytest.approx(1 / 3)
    assert found["x"]["events"] == 8
    assert found["y"]["kappa"]["value"] is None  # nobody marks it: nothing to agree on


def test_agreement_over_the_pairs_of_three_and_from_files(files, tmp_path):
    found = scored(files, annotators={n: files[n] for n in ("base", "half", "full")})["agreement"]
    assert found["clips"] == 10
    assert found["by_dimension"]["visual_quality"]["pairs"] == 3
    with pytest.raises(UsageError, match="at least two annotators"):
        Asked(annotators={"one": files["base"]})


def test_two_annotators_make_a_file_of_references(tmp_path):
    marks = {
        "ann": [
            clip("a", event(start=0, end=6, severity=2, description="soft")),
            clip("b", event(start=0, end=6, severity=2), event("occlusion", 1, 2)),
            clip("only"),
        ],
        "ben": [
            clip("b", event(start=0, end=10, severity=4, description="smeared")),
            clip("a", event(start=0, end=10, severity=3, description="smeared")),
        ],
    }
    files = {name: write(tmp_path / f"{name}.jsonl", lines) for name, lines in marks.items()}
    how = GlitchBenchSettings(tmp_path / "out", asked=Asked(annotators=files), resamples=100)
    found = bench_glitches({"ann": files["ann"]}, files["ann"], how).document["robustness"]
    assert found["adjudication"] == {"merged": 2, "separate": 1, "to_rate": 1}
    path = tmp_path / "out" / "adjudicated.jsonl"
    first, second = map(json.loads, path.read_text().splitlines())  # the clips that both saw
    (blurred,) = first["events"]
    assert (blurred["span_s"], blurred["severity"], blurred["severities"]) == ([0, 10], 2.5, [2, 3])
    assert blurred["description"] == "soft / smeared"
    assert [one["severity"] for one in second["events"]] == [None, 3.0]
    assert "1 differ by more than 1" in (tmp_path / "out" / "index.html").read_text()
    # Nobody takes it for references before the severity is there.
    with pytest.raises(InputError, match="row 2: event 1 of 'b': severity is None"):
        read_reports(path, truth=True)
    path.write_text(path.read_text().replace("null", "3"))
    assert read_reports(path, truth=True)["a"].events[0].severity == 2.5


def test_three_annotators_are_not_adjudicated(files):
    found = scored(files, annotators={n: files[n] for n in ("base", "half", "full")})
    assert "adjudication" not in found


def test_calls_stand_beside_accuracy_where_a_run_tells_them(files, tmp_path):
    (tmp_path / "diagnose.json").write_text(json.dumps({"asking": {"calls": {"mean": 7.5}}}))
    found = scored(files)["calls"]
    assert found["full"] == {"calls": 7.5, "f1": pytest.approx(1.0)}
