"""Reports of glitches from files to figures, through the command line too."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.glitches.between import gap_closed
from assay.benchmarks.glitches.similarity import _PLAIN, SharedWords, _stem, from_axes
from assay.cli._app import run as command
from assay.jobs.bench_glitches import bench_glitches
from glitches_made import event, line, random_lines, rng, write

FIGURES = (
    *("f1", "precision", "recall", "miou", "f1_iou", "severity_exact"),
    *("severity_within_1", "severity_weighted_f1", "clean_accuracy"),
)
HEADLINE = (*FIGURES, "detection", "by_dimension", "by_dataset", "similarity")
ANY = st.text(max_size=40)
WORDS = st.text(st.characters(codec="ascii"), max_size=40)


def alike(a, b):
    return float(SharedWords().compare([(a, b)])[0])


@pytest.fixture
def run(capfd):
    """Return a function that runs the verb and returns exit code, stdout and stderr."""

    def ran(*arguments):
        with pytest.raises(SystemExit) as stopped:
            command(["bench", "glitches", *map(str, arguments)])
        return Ran(stopped.value.code or 0, *capfd.readouterr())

    return ran


class Ran(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


def test_three_marks_make_a_similarity():
    assert from_axes(5, 4, 3) == pytest.approx(0.8)


def test_shared_words_by_hand():
    # {red, block, float} and {block, float, table}: 2 * 2 / 6.
    assert alike("The red block floats.", "A block is floating over the table") == pytest.approx(
        2 / 3
    )


@given(ANY, ANY)
def test_only_equal_texts_are_one_and_the_order_does_not_matter(a, b):
    assert alike(a, a) == 1.0
    assert alike(a, b) == alike(b, a)
    assert 0.0 <= alike(a, b) <= 1.0
    assert (alike(a, b) == 1.0) == (a.strip() == b.strip())


@pytest.mark.parametrize(
    ("a", "b"), [("the block", "the arm"), ("", "blur"), ("it is on", "it is in")]
)
def test_without_a_common_content_word_it_is_nothing(a, b):
    assert alike(a, b) == 0.0


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        # {grösse, blau} and {grüsse, rot}: nothing; with one word in common 2 * 1 / 4.
        ("größe blau", "grüße rot", 0.0),
        ("Größe blau", "GRÖSSE rot", 1 / 2),
        (
            "gro\u0308\u00dfe blau",
            "gr\u00f6\u00dfe rot",
            1 / 2,
        ),  # written as o and two dots, or as one
        ("красный блок парит", "Красный блок исчез", 4 / 6),
        ("красный блок", "синяя рука", 0.0),
        ("빨간 블록이 뜬다", "파란 블록이", 2 / 5),
        # Vowels of Hindi are marks: cut off there, the last two texts would share the letter ह.
        ("ब्लॉक तैरता", "ब्लॉक गायब", 1 / 2),
        ("हाथ", "ब्लॉक हिला", 0.0),
        # Neighbours: 红色 色方 方块 块漂 漂浮 and 红色 色方 方块 块消 消失, 3 in common.
        ("红色方块漂浮", "红色方块消失", 6 / 10),
        ("方块", "手臂", 0.0),
        ("球。", "球 block", 2 / 3),  # a character that stands alone
        # ブロ ロッ ック in common, of 5 and of 5.
        ("赤いブロック", "ブロックが浮", 6 / 10),
        ("the robot\u2019s arm", "a robot's hand", 1 / 2),
        ("⚠️ blur", "⚠️ arm", 0.0),  # a sign is no word, and neither is what goes with it
    ],
)
def test_words_of_any_script_by_hand(a, b, wanted):
    assert alike(a, b) == pytest.approx(wanted)


@given(WORDS, WORDS)
def test_texts_in_ascii_have_the_words_that_a_plain_pattern_finds(a, b):
    def bag(text):
        words = re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.casefold())
        return Counter(_stem(word) for word in words if word not in _PLAIN)

    shared, total = (bag(a) & bag(b)).total(), (bag(a) + bag(b)).total()
    wanted = 2 * shared / total if total else 0.0
    assert a.strip() == b.strip() or alike(a, b) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("row", "share"), [((25.4, 31.1, 67.9), 0.134), ((17.6, 22.0, 56.6), 0.113)]
)
def test_the_published_shares_of_the_gap(row, share):
    """Three-sample voting between plain prompting and the whole pipeline (seed paper)."""
    assert gap_closed(*row) == pytest.approx(share, abs=5e-4)


def test_a_perfect_report_and_an_empty_one_through_the_command_line(tmp_path, run):
    truth = random_lines(rng(1), 40)
    references = write(tmp_path / "truth.jsonl", truth)
    silent = write(tmp_path / "silent.jsonl", [line(one["clip"]) for one in truth])
    found = run(
        "--reports", f"best={references}", "--reports", silent, "--references", references, "--json"
    )
    assert found.exit_code == 0
    document = json.loads(found.stdout)
    assert list(document)[:14] == [*HEADLINE, "settings"]
    for name in FIGURES:
        assert list(document[name])[:4] == ["value", "low", "high", "n"]
    assert document["f1"]["value"] == 1.0  # and not a hair less
    assert document["systems"]["silent"]["f1"]["value"] == 0.0
    assert document["systems"]["silent"]["clean_accuracy"]["value"] == 1.0
    (gap,) = document["differences"]
    assert (gap["a"], gap["b"], gap["value"]) == ("best", "silent", pytest.approx(1.0))
    assert document["similarity"] == "shared-words"


@pytest.mark.parametrize("names", [("said",), ("said", "other")])
def test_the_json_begins_with_the_figures_and_is_the_file_to_the_byte(tmp_path, run, names):
    references = write(tmp_path / "truth.jsonl", random_lines(rng(2), 12))
    given = ["--references", references, "--json"]
    for number, name in enumerate(names):
        said = write(tmp_path / f"{name}.jsonl", random_lines(rng(3 + number), 12))
        given += ["--reports", said]
    out = tmp_path / "out"
    printed = run(*given).stdout
    assert run(*given, "--out", out).stdout == printed
    assert (out / "bench.json").read_text(encoding="utf-8") == printed
    assert run(*given, "--out", out).stdout == printed  # the finished run, read again
    document = json.loads(printed)
    assert list(document)[:14] == [*HEADLINE, "settings"]
    assert list(document["systems"]) == list(names)
    assert all(list(one)[:13] == list(HEADLINE) for one in document["systems"].values())
    assert {name: document[name] for name in HEADLINE} == {
        name: document["systems"]["said"][name] for name in HEADLINE
    }
    for found in estimates(document):
        assert list(found)[:4] == ["value", "low", "high", "n"]
    assert [list(one)[:6] for one in document["differences"]] == [
        ["a", "b", "value", "low", "high", "n"]
    ] * (len(names) - 1)


def estimates(found):
    """Yield every figure of a document that has an interval, differences left out."""
    parts = found.values() if isinstance(found, dict) else found
    if isinstance(found, dict) and "low" in found and "a" not in found:
        yield found
    for part in parts:
        if isinstance(part, dict | list):
            yield from estimates(part)


def test_another_order_of_systems_is_another_run(tmp_path, run):
    given = []
    for number, name in enumerate(("truth", "other")):
        given.append(write(tmp_path / f"{name}.jsonl", random_lines(rng(number), 6)))
    ask = ["--references", given[0], "--out", tmp_path / "out"]
    assert run(*ask, "--reports", given[0], "--reports", given[1]).exit_code == 0
    found = run(*ask, "--reports", given[1], "--reports", given[0])
    assert found.exit_code == 2
    assert "another run (settings differ in systems)" in found.stderr


def test_the_table_and_the_run_directory(tmp_path, run):
    references = write(tmp_path / "truth.jsonl", random_lines(rng(2), 20))
    said = write(tmp_path / "said.jsonl", random_lines(rng(3), 20))
    out = tmp_path / "out"
    for form, wanted in (("md", "| said | all |"), ("csv", "said,all,f1,"), ("terminal", "Clean")):
        found = run("--reports", said, "--references", references, "--format", form, "--out", out)
        assert found.exit_code == 0
        assert wanted in found.stdout
    stored = json.loads((out / "bench.json").read_text())
    again = bench_glitches({"said": said}, references).document
    assert stored == json.loads(json.dumps(again))


def test_show_prints_the_scores_again_and_opens_their_page(tmp_path, run, capfd, monkeypatch):
    said = write(tmp_path / "gaze.jsonl", random_lines(rng(2), 6))
    out = tmp_path / "run"
    table = run("--reports", said, "--references", said, "--out", out).stdout
    opened = []
    monkeypatch.setattr("typer.launch", opened.append)
    for more, printed in (((), table), (("--json",), (out / "bench.json").read_text())):
        with pytest.raises(SystemExit) as stopped:
            command(["show", str(out), "--open", *more])
        told = capfd.readouterr()
        assert not stopped.value.code
        assert told.out == printed
        assert told.err == f"Report: {out / 'index.html'}\n"
    assert opened == [(out / "index.html").as_uri()] * 2


def test_what_cannot_be_meant_is_counted_and_explained(tmp_path, run):
    references = write(tmp_path / "truth.jsonl", [line("a", event()), line("b")])
    bad = [
        event("blurr"),
        event(start=2, end=1),
        event(severity=7),
        event(dimension="looks"),
        event(end=99),
        event(start=-1.0),
        "blur",
        event(dimension=["visual_quality"]),
        event(severity=10**400),
    ]
    lines = [line("a", *bad, length_s=5.0), line("z", event())]
    found = run("--reports", write(tmp_path / "said.jsonl", lines), "--references", references)
    assert found.exit_code == 1
    document = bench_glitches({"said": tmp_path / "said.jsonl"}, references).document
    assert document["counts"]["invalid"] == {
        "bad_severity": 2,
        "bad_span": 1,
        "malformed": 1,
        "outside_clip": 2,
        "unknown_dimension": 2,
        "unknown_type": 1,
    }
    assert (document["counts"]["not_reported_on"], document["counts"]["unknown_clips"]) == (1, 1)
    assert document["precision"]["value"] == 0.0
    for words in ("no report on 1 of 2 clips", "in no reference", "bad_severity 2"):
        assert words in found.stderr


ODD = [
    event("blurr"),
    event(start=2, end=1),
    event(start=50, end=99),
    event(severity=7),
    event(dimension=[1]),
]
COUNTED = "bad_severity 1, bad_span 1, outside_clip 1, unknown_dimension 1, unknown_type 1"


@pytest.mark.parametrize(
    ("reports", "more", "said", "code"),
    [
        (
            [line("a", *ODD), line("b"), line("c")],
            [],
            f"events that can't be meant count as wrong: {COUNTED}.",
            1,
        ),
        ([line("a")], [], "no report on 2 of 3 clips.", 1),
        ([line("a"), line("z")], [], "1 reported clips are in no reference.", 1),
        ([line("z")], [], "no clip of it is among the references; they begin with 'a'.", 2),
        ([line("a"), line("a")], [], "row 2: the clip 'a' stands in row 1 already.", 2),
        (
            [line("a")],
            [line("a", event(severity=7))],
            "row 1: event 1 of 'a': severity is 7; 1 to 5 is allowed.",
            2,
        ),
    ],
)
def test_bad_input_is_answered_as_the_page_says(tmp_path, run, reports, more, said, code):
    true = more or [line("a", event(), length_s=5.0), line("b", event()), line("c")]
    references = write(tmp_path / "truth.jsonl", true)
    found = run("--reports", write(tmp_path / "r.jsonl", reports), "--references", references)
    assert found.exit_code == code
    assert said in found.stderr
    page = Path(__file__).parents[2] / "docs" / "bad-input.md"
    assert any(said in row and row.endswith(f"| {code} |") for row in page.read_text().splitlines())


@pytest.mark.parametrize(
    ("told", "end", "invalid"),
    [
        ({}, 99.0, {"outside_clip": 1}),
        ({}, 5.0, {}),
        # What a report says of the length makes the clip shorter, and not longer.
        ({"length_s": 200.0}, 99.0, {"outside_clip": 1}),
        ({"length_s": 4.0}, 5.0, {"outside_clip": 1}),
    ],
)
def test_a_span_outside_the_clip_of_the_reference_is_counted(tmp_path, run, told, end, invalid):
    references = write(tmp_path / "truth.jsonl", [line("a", event(), length_s=5.0), line("b")])
    lines = [line("a", event(), event(start=end / 2, end=end), **told), line("b", event(end=99))]
    said = write(tmp_path / "said.jsonl", lines)
    found = run("--reports", said, "--references", references)
    assert found.exit_code == (1 if invalid else 0)
    assert ("events that can't be meant count as wrong: outside_clip 1" in found.stderr) == bool(
        invalid
    )
    document = bench_glitches({"said": said}, references).document
    assert document["counts"]["invalid"] == invalid
    assert document["counts"]["predicted"] == 3


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([line("a", event(severity=7))], "severity is 7; 1 to 5 is allowed"),
        ([line("a", event("blurr"))], "Did you mean 'blur'"),
        ([line("a", event(start=3, end=1))], "ends at 1 s before it starts at 3 s"),
        ([line("a"), line("a")], "row 2: the clip 'a' stands in row 1 already"),
        ([{"dataset": "x", "events": []}], "has no 'clip'"),
        ([{"clip": "a", "events": 3}], "is not a list"),
        ([], "has no clips"),
    ],
)
def test_a_wrong_truth_is_refused_with_its_row(tmp_path, run, lines, words):
    references = write(tmp_path / "truth.jsonl", lines)
    found = run("--reports", references, "--references", references)
    assert found.exit_code == 2
    assert words in found.stderr
    assert "truth.jsonl" in found.stderr


def test_reports_on_other_clips_are_refused(tmp_path, run):
    references = write(tmp_path / "truth.jsonl", [line("a", event())])
    found = run("--reports", write(tmp_path / "p.jsonl", [line("b")]), "--references", references)
    assert found.exit_code == 2
    assert "no clip of it is among the references" in found.stderr


@given(st.integers(0, 10_000))
def test_events_of_a_dimension_are_scored_among_themselves(seed):
    from assay.benchmarks.glitches.laid_out import Comparing, lay_out
    from assay.episodes.glitches.reports import ClipReport
    from assay.records import Event

    draw = np.random.default_rng(seed)

    def clips(kinds):
        return {
            str(k): ClipReport(str(k), "", tuple(Event(d, t, 0.0, 1.0, 3.0, "x") for d, t in one))
            for k, one in enumerate(kinds)
        }

    known = (("visual_quality", "blur"), ("physical_plausibility", "object_floating"))
    true = clips([[known[k] for k in draw.integers(0, 2, 2)] for _ in range(6)])
    scored = lay_out(true, true, Comparing(SharedWords()))
    parts = [scored.of_dimension(number) for number in range(6)]
    assert sum(part.true.sum() for part in parts) == scored.tally().true.sum()
    assert sum(part.matched.sum() for part in parts) == scored.tally().matched.sum()
