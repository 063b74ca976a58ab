"""Recorded curves: what is read, in which order, and the sentence for every fault."""

from __future__ import annotations

import csv
import json
import logging
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes.formats.curves import Curves
from assay.errors import InputError
from assay.records import Episode, Segment, Unreadable

HEADER = "episode,task,policy,t,progress"


def read(path):
    return list(Curves().read(path))


def write(tmp_path, text, name="c.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def fault(path):
    with pytest.raises(InputError) as caught:
        read(path)
    return str(caught.value).removeprefix(f"{path}")


def test_rows_become_curves_in_order_of_first_appearance(tmp_path):
    path = write(
        tmp_path,
        f"{HEADER},success\n"
        "b,pick,pi0,0,0.0,0\n"
        "a,place,act,0,0.25,\n"
        "b,pick,pi0,0.5,,\n"  # not recorded: NaN, not zero
        "b,pick,pi0,1.0,0.75,1\n",
    )
    b, a = read(path)
    assert (b.id, b.task, b.policy, b.outcome, b.source) == ("b", "pick", "pi0", True, str(path))
    assert b.signals["progress"].times.tolist() == [0.0, 0.5, 1.0]
    assert b.signals["progress"].times.dtype == np.float64
    np.testing.assert_array_equal(b.signals["progress"].values, [0.0, math.nan, 0.75])
    assert b.signals["success"].times.tolist() == [0.0, 1.0]
    assert b.signals["success"].values.tolist() == [False, True]
    assert b.signals["success"].values.dtype == np.bool_
    assert (a.id, a.task, a.outcome, a.duration()) == ("a", "place", None, 0.0)
    assert list(a.signals) == ["progress"]


def test_optional_columns_fill_the_record(tmp_path):
    path = write(
        tmp_path,
        "episode,task,t,progress,scene,seed,perturbation,world,instruction\n"
        'e,pick,0,0,s1,7,dark,table,"Pick it up, gently"\n'
        "e,pick,1,1,,,,,\n",
    )
    (e,) = read(path)
    assert (e.policy, e.scene, e.seed, e.perturbation, e.world, e.instruction) == (
        "policy",
        "s1",
        7,
        "dark",
        "table",
        "Pick it up, gently",
    )


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators_byte_order_mark_blanks_and_case(tmp_path, separator):
    rows = ["Episode, Task ,policy,t,progress", " e ,pick , p,0, 0.5 ", "", "e,pick,p,1,1"]
    path = write(tmp_path, "\ufeff" + "\r\n".join(rows).replace(",", separator))
    (e,) = read(path)
    assert (e.id, e.task, e.policy) == ("e", "pick", "p")
    assert e.signals["progress"].values.tolist() == [0.5, 1.0]


def test_values_that_no_curve_has_stay_as_they_are(tmp_path):
    path = write(tmp_path, f"{HEADER}\ne,k,p,0,NaN\ne,k,p,1,inf\ne,k,p,2,1.5\ne,k,p,3,-0.1\n")
    (e,) = read(path)
    np.testing.assert_array_equal(e.signals["progress"].values, [math.nan, math.inf, 1.5, -0.1])


def test_quoted_line_breaks_do_not_shift_rows(tmp_path):
    path = write(
        tmp_path,
        f'{HEADER},instruction\n\ne,k,p,0,0,"two\nlines"\nf,k,p,1,0,x\nf,k,p,1,0,x\n',
    )
    e, f = read(path)
    assert e.instruction == "two\nlines"
    # Lines: 1 header, 2 blank, 3-4 the quoted row, 5 the first row of f, 6 the one at fault.
    assert f.detail == (
        f"{path}, row 6: the time 1.0 s does not come after 1.0 s; times must increase."
    )


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ("0 1 0.5", "row 4: the time 0.5 s does not come after 1.0 s; times must increase."),
        ("-1 0", "row 2: the time -1.0 s is before the episode's start; times count from 0."),
        ("0 inf", "row 3: the time is inf."),
        ("0 nan", "row 3: the time is missing."),
    ],
)
def test_a_faulty_clock_spoils_one_episode_only(tmp_path, times, words):
    rows = "".join(f"e,k,p,{t},0,s\n" for t in times.split())
    path = write(tmp_path, f"{HEADER},scene\n{rows}f,k,q,0,1,s\n")
    bad, good = read(path)
    assert bad == Unreadable(
        "e", f"{path}, {words}", "k", "p", "invalid_value", scene="s", source=str(path)
    )
    assert isinstance(good, Episode)


def test_a_spoilt_episode_stays_in_its_groups(tmp_path):
    groups = {"world": "lab", "scene": "s", "perturbation": "dark", "seed": 7}
    header = ",".join([HEADER, *groups])
    (csv,) = read(write(tmp_path, f"{header}\ne,k,p,-1,0,lab,s,dark,7\n"))
    line = {"episode": "e", "task": "k", "policy": "p", "t": [-1], "progress": [0], **groups}
    (jsonl,) = read(write(tmp_path, json.dumps(line), "c.jsonl"))
    for bad in (csv, jsonl):
        assert {name: getattr(bad, name) for name in groups} == groups
        assert (bad.task, bad.policy, bad.status) == ("k", "p", "invalid_value")


def test_an_empty_time_is_missing(tmp_path):
    (bad,) = read(write(tmp_path, f"{HEADER}\ne,k,p,,0\n"))
    assert bad.detail.endswith("row 2: the time is missing.")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ": has no rows."),
        (HEADER, ": has no rows."),
        (f"{HEADER}\n\n", ": has no rows."),
        (
            "episode,task,t,progres\ne,k,0,0\n",
            (
                ": the column 'progress' is missing. Nearest: 'progres'. "
                "Columns found: episode, task, t, progres."
            ),
        ),
        (
            "episode,t,progress\ne,0,0\n",
            ": the column 'task' is missing. Columns found: episode, t, progress.",
        ),
        (
            "episode,task,t,t,progress\ne,k,0,0,0\n",
            ", row 1: the column 't' stands twice in the header.",
        ),
        (f"{HEADER}\ne,k,p,0,0\ne,k,p,1\n", ", row 3: the row has 4 cells, the header has 5."),
        (
            f"{HEADER}\ne,k,p,0,0\n\ne,k,p,1,good\n",
            ", row 4: progress is 'good', which is not a number.",
        ),
        (f"{HEADER}\ne,k,p,1_0,0\n", ", row 2: t is '1_0', which is not a number."),
        (f"{HEADER}\ne,k,p,0,0\n,k,p,1,0\n", ", row 3: the episode has no id."),
        (f"{HEADER}\ne,,p,0,0\n", ", row 2: the episode 'e' has no task."),
        (
            f"{HEADER}\ne,k,p,0,0\nf,k,p,0,0\ne,k,q,1,0\n",
            (
                ", row 4: the episode 'e' has the policy 'q' here and 'p' in row 2; "
                "one id must stand for one episode."
            ),
        ),
        (
            f"{HEADER},success\ne,k,p,0,0,1\ne,k,p,1,0,maybe\n",
            ", row 3: success is 'maybe'; allowed: 1, 0, true, false, yes, no, or an empty cell.",
        ),
        (
            f"{HEADER},seed\ne,k,p,0,0,1.5\n",
            ", row 2: seed is '1.5', which is not a whole number of 64 bits.",
        ),
    ],
)
def test_a_faulty_table_is_refused(tmp_path, text, words):
    assert fault(write(tmp_path, text)) == words


def test_text_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "c.csv"
    path.write_bytes(f"{HEADER}\ne,k,p,0,0\nf,caf".encode() + b"\xe9,p,0,0\n")
    assert fault(path) == ", row 3: is not UTF-8 text; save it as UTF-8."


def test_a_misspelt_optional_column_is_named(tmp_path, caplog):
    path = write(tmp_path, f"{HEADER},sucess,comment\ne,k,p,0,0,1,fine\n")
    with caplog.at_level(logging.WARNING, "assay"):
        assert read(path)[0].outcome is None
    assert caplog.messages == [f"{path}: the column 'sucess' is not read; did you mean 'success'?"]


@pytest.mark.parametrize("word", ["1", "1.0", "true", "TRUE", "Yes"])
def test_words_for_success(tmp_path, word):
    assert read(write(tmp_path, f"{HEADER},success\ne,k,p,0,0,{word}\n"))[0].outcome is True


def test_episodes_are_picklable(tmp_path):
    (e,) = read(write(tmp_path, f"{HEADER}\ne,k,p,0,0.5\n"))
    assert pickle.loads(pickle.dumps(e)).signals["progress"].values.tolist() == [0.5]


def jsonl(tmp_path, *rows):
    return write(
        tmp_path, "\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows), "c.jsonl"
    )


def test_jsonl_with_one_episode_per_line(tmp_path):
    path = jsonl(
        tmp_path,
        {
            "episode": 7,
            "task": "pick",
            "policy": "pi0",
            "t": [0, 0.5, 1],
            "progress": [0, None, 1.0],
            "success": [False, None, True],
            "instruction": "Pick it up",
            "scene": "s",
            "seed": 3,
            "segments": [
                {"name": "reach", "start_s": 0, "end_s": 0.5},
                {"name": "wait", "start_s": 0.5, "end_s": 1, "kind": "still"},
            ],
        },
        "",
        {"episode": "b", "task": "pick", "t": [0], "progress": [0.2], "success": False},
    )
    a, b = read(path)
    assert (a.id, a.instruction, a.scene, a.seed, a.outcome) == ("7", "Pick it up", "s", 3, True)
    np.testing.assert_array_equal(a.signals["progress"].values, [0.0, math.nan, 1.0])
    assert a.signals["success"].times.tolist() == [0.0, 1.0]
    assert a.signals["success"].values.tolist() == [False, True]
    assert a.segments == (
        Segment("reach", 0.0, 0.5),
        Segment("wait", 0.5, 1.0, kind="still"),
    )
    # One flag for the whole episode tells its end only: there is no signal to make of it.
    assert (b.outcome, list(b.signals), b.policy) == (False, ["progress"], "policy")


ROW = {"episode": "e", "task": "k", "t": 0, "progress": 0}
WHOLE = {"episode": "e", "task": "k", "t": [0, 1], "progress": [0, 1]}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], ": has no rows."),
        (
            ["{"],
            ", row 1: is not JSON: Expecting property name enclosed in double quotes at column 2.",
        ),
        (["[" * 100_000], ", row 1: is JSON with a number too long or lists too deep."),
        (["3"], ", row 1: the line is not a JSON object."),
        (
            [ROW, {"episode": "e", "task": "k", "t": 1, "progres": 0}],
            (
                ", row 2: the column 'progress' is missing. Nearest: 'progres'. "
                "Columns found: episode, task, t, progres."
            ),
        ),
        ([ROW | {"progress": "0.5"}], ", row 1: progress is '0.5', which is not a number."),
        ([ROW | {"progress": True}], ", row 1: progress is true, which is not a number."),
        ([ROW | {"t": 10**400}], ", row 1: t is too large for a number."),
        ([ROW, ROW | {"t": [1]}], ", row 2: t is a list, which is not a number."),
        ([ROW | {"task": ["k"]}], ", row 1: task is a list; text is needed."),
        ([WHOLE, ROW | {"episode": "f"}], ", row 2: t must be a list, as in the first row."),
        (
            [WHOLE, WHOLE],
            ", row 2: the episode 'e' stands in row 1 already; one id must stand for one episode.",
        ),
        ([WHOLE | {"episode": ""}], ", row 1: the episode has no id."),
        ([WHOLE | {"task": None}], ", row 1: the episode 'e' has no task."),
        (
            ['{"episode": "\\ud800", "task": "k", "t": [0], "progress": [0]}'],
            ", row 1: episode is '\\ud800', which is not text.",
        ),
        (
            [WHOLE | {"seed": 2**63}],
            ", row 1: seed is '9223372036854775808', which is not a whole number of 64 bits.",
        ),
        ([WHOLE | {"seed": "x"}], ", row 1: seed is 'x', which is not a whole number of 64 bits."),
        (
            [WHOLE | {"success": "maybe"}],
            ", row 1: success is 'maybe'; allowed: 1, 0, true, false, yes, no, or an empty cell.",
        ),
        ([WHOLE | {"segments": {"a": 1}}], ", row 1: segments must be a list of JSON objects."),
        (
            [WHOLE | {"segments": [{"name": "a", "start_s": 2, "end_s": 1}]}],
            (
                ", row 1: the segment 'a' goes from 2 s to 1 s; "
                "it needs a name, start_s and end_s, with 0 <= start <= end."
            ),
        ),
    ],
)
def test_faulty_json_lines_are_refused(tmp_path, rows, words):
    assert fault(jsonl(tmp_path, *rows)) == words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"progress": [0]}, "t has 2 entries and progress has 1."),
        ({"success": [True]}, "t has 2 entries and success has 1."),
        ({"t": [], "progress": []}, "the episode has no moments."),
        ({"t": [1, 1]}, "entry 2: the time 1.0 s does not come after 1.0 s; times must increase."),
        ({"t": [None, 1]}, "entry 1: the time is missing."),
    ],
)
def test_a_faulty_line_spoils_one_episode_only(tmp_path, change, words):
    path = jsonl(tmp_path, WHOLE | change, WHOLE | {"episode": "f"})
    bad, good = read(path)
    assert (bad.detail, bad.status) == (f"{path}, row 1: {words}", "invalid_value")
    assert isinstance(good, Episode)


FORMS = {
    "c.csv": f"{HEADER},success\ne,k,p,0,0.5,1\ne,k,p,1,,\n",
    "flat.jsonl": json.dumps(ROW) + "\n" + json.dumps(ROW | {"t": 1}),
    "whole.jsonl": json.dumps(WHOLE | {"segments": [{"name": "a", "start_s": 0, "end_s": 1}]}),
}
PIECES = st.binary(max_size=4) | st.sampled_from(
    [b'"', b",", b"\n", b"\r", b";", b"[", b"}", b"null", b"nan", b"1e999", b"-1", b"\\ud800"]
)


@given(st.sampled_from(sorted(FORMS)), st.lists(st.tuples(st.floats(0, 1), PIECES), max_size=4))
def test_no_bytes_break_the_reader(tmp_path_factory, name, edits):
    """Whatever the file holds, it is read or refused in our own words."""
    data = FORMS[name].encode()
    for place, piece in edits:
        at = int(place * len(data))
        data = data[:at] + piece + data[at + 1 :]
    path = tmp_path_factory.mktemp("bytes") / name
    path.write_bytes(data)
    try:
        found = read(path)
    except InputError as error:
        found = [Unreadable("e", str(error))]
    assert all(isinstance(e, Episode) or e.detail.startswith(str(path)) for e in found)


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).filter(
    lambda text: text == text.strip()
)
VALUES = st.none() | st.floats(width=64, allow_nan=False)


@st.composite
def recordings(draw):
    """Draw episodes and an order of their rows; within an episode times increase."""
    found = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)):
        times = sorted(draw(st.sets(st.floats(0, 1e6), min_size=1, max_size=5)))
        found[name] = {
            "task": draw(NAMES),
            "policy": draw(NAMES),
            "scene": draw(st.none() | NAMES),
            "rows": [(t, draw(VALUES), draw(st.none() | st.booleans())) for t in times],
        }
    names = [name for name, episode in found.items() for _ in episode["rows"]]
    return found, draw(st.permutations(names))


def flat(recording):
    episodes, order = recording
    upcoming = {name: iter(episode["rows"]) for name, episode in episodes.items()}
    for name in order:
        t, progress, success = next(upcoming[name])
        rest = {key: episodes[name][key] for key in ("task", "policy", "scene")}
        yield {"episode": name, **rest, "t": t, "progress": progress, "success": success}


def plain(episode):
    """Return an episode as comparable data; NaN as None."""
    success = episode.signals.get("success")
    progress = [None if math.isnan(v) else v for v in episode.signals["progress"].values.tolist()]
    return (
        (episode.id, episode.task, episode.policy, episode.scene, episode.outcome),
        episode.signals["progress"].times.tolist(),
        progress,
        None if success is None else (success.times.tolist(), success.values.tolist()),
    )


def expected(recording):
    episodes, order = recording
    for name in dict.fromkeys(order):
        episode = episodes[name]
        times, progress, success = (list(column) for column in zip(*episode["rows"], strict=True))
        labelled = [(t, s) for t, s in zip(times, success, strict=True) if s is not None]
        fields = (name, episode["task"], episode["policy"], episode["scene"])
        yield (
            (*fields, labelled[-1][1] if labelled else None),
            times,
            progress,
            tuple(list(column) for column in zip(*labelled, strict=True)) if labelled else None,
        )


@given(recordings())
def test_csv_and_both_forms_of_jsonl_hold_the_same_episodes(tmp_path_factory, recording):
    folder = tmp_path_factory.mktemp("round")
    rows = list(flat(recording))
    with (folder / "a.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    (folder / "b.jsonl").write_text("\n".join(map(json.dumps, rows)))
    episodes, order = recording
    whole = [
        {"episode": name, **{k: episodes[name][k] for k in ("task", "policy", "scene")}}
        | dict(
            zip(
                ("t", "progress", "success"), zip(*episodes[name]["rows"], strict=True), strict=True
            )
        )
        for name in dict.fromkeys(order)
    ]
    (folder / "c.jsonl").write_text("\n".join(map(json.dumps, whole)))
    wanted = list(expected(recording))
    for name in ("a.csv", "b.jsonl", "c.jsonl"):
        assert [plain(episode) for episode in read(folder / name)] == wanted


def test_a_table_of_many_blocks_keeps_order_and_rows(tmp_path):
    """The csv reader works block by block (1 MB); episodes that span blocks stay whole."""
    count, length = 400, 150
    lines = [
        f"episode-{i * 7919 % count:04d},a task with a long name,a policy,{t},{t / length}"
        for t in range(length)
        for i in range(count)
    ]
    path = write(tmp_path, "\n".join([HEADER, *lines]))
    assert path.stat().st_size > 3 << 20
    found = read(path)
    assert [e.id for e in found] == [f"episode-{i * 7919 % count:04d}" for i in range(count)]
    for episode in found:
        np.testing.assert_array_equal(episode.signals["progress"].times, np.arange(length))
        np.testing.assert_array_equal(
            episode.signals["progress"].values, np.arange(length) / length
        )
