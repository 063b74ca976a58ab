"""Files of votes: three formats, one reading, and a sentence with file and row for every fault."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes.votes import read_votes
from assay.errors import InputError, UnknownNameError

ROWS = [
    {"a": "pi0", "b": "act", "outcome": "a", "rater": "ann"},
    {"a": "act", "b": "pi0", "outcome": "tie", "rater": "bob"},
    {"a": "octo", "b": "pi0", "outcome": "b", "rater": "ann"},
]


def csv_of(rows):
    lines = [",".join(rows[0])] + [",".join(map(str, row.values())) for row in rows]
    return "\n".join(lines) + "\n"


def save(folder, kind, rows):
    path = folder / f"votes.{kind}"
    if kind == "csv":
        path.write_text(csv_of(rows))
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_three_formats_say_the_same(tmp_path, kind):
    found = read_votes(save(tmp_path, kind, ROWS), ["rater"])
    assert found.names == ("act", "octo", "pi0")
    assert (found.a.tolist(), found.b.tolist()) == ([2, 0, 1], [0, 2, 2])
    assert found.outcome.tolist() == [1, 0, -1]  # +1 is for a
    assert found.columns["rater"].names == ("ann", "bob")
    assert found.columns["rater"].codes.tolist() == [0, 1, 0]
    assert {name: rows.tolist() for name, rows in found.by("rater").items()} == {
        "ann": [0, 2],
        "bob": [1],
    }
    assert len(found) == 3


def test_blanks_capitals_marks_semicolons_and_quoted_lines(tmp_path):
    path = tmp_path / "votes.csv"
    text = '\ufeff\n\nA;B;Outcome;reason\n\n pi0 ;act;A;"smooth;\nfast"\n\nact;pi0; TIE ;\n'
    path.write_text(text, encoding="utf-8")
    found = read_votes(path)
    assert (found.names, found.outcome.tolist()) == (("act", "pi0"), [1, 0])


def test_lines_that_only_a_slow_reader_takes(tmp_path):
    # Capitals in a key, a number as a name, a list that nobody asked for.
    path = tmp_path / "votes.jsonl"
    path.write_text(
        '{"A": "x", "b": 7, "outcome": "b", "extra": [1]}\n\n{"a": "7", "b": "x", "outcome": "a"}\n'
    )
    found = read_votes(path)
    assert (found.names, found.a.tolist(), found.ignored) == (("7", "x"), [1, 0], ("extra",))


def test_parquet_of_dictionaries_and_numbers(tmp_path):
    table = pa.table(
        {
            "A": pa.array(["x", "y"]).dictionary_encode(),
            "b": pa.array([1, 2]),
            "outcome": pa.array(["a", "b"], pa.large_string()),
        }
    )
    pq.write_table(table, tmp_path / "votes.parquet")
    assert read_votes(tmp_path / "votes.parquet").names == ("1", "2", "x", "y")


names = st.text("abcxyz ,;'é", min_size=1, max_size=4).filter(lambda text: text.strip())


@given(st.lists(st.tuples(names, names, st.sampled_from(["a", "b", "tie"])), min_size=1))
def test_what_is_written_is_read(tmp_path_factory, rows):
    kept = [row for row in rows if row[0].strip() != row[1].strip()]
    if not kept:
        return
    path = tmp_path_factory.mktemp("votes") / "votes.jsonl"
    lines = [dict(zip(("a", "b", "outcome"), row, strict=True)) for row in kept]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_votes(path)
    signs = {1: "a", -1: "b", 0: "tie"}
    again = [
        (found.names[a], found.names[b], signs[outcome])
        for a, b, outcome in zip(found.a, found.b, found.outcome.tolist(), strict=True)
    ]
    assert again == [(a.strip(), b.strip(), outcome) for a, b, outcome in kept]


HEAD = "a,b,outcome\n"
BAD_CSV = [
    ("", "is empty."),
    (HEAD, "has no votes."),
    ("a,b\nx,y\n", "the column 'outcome' is missing. Columns found: a, b."),
    ("a,b,outcom\nx,y,a\n", "the column 'outcome' is missing. Nearest: 'outcom'."),
    ("a,b,outcome,ratre\nx,y,a,r\n", "the column 'ratre' is not known. Nearest: 'rater'."),
    (HEAD + "x,y,a\n\nx,x,b\n", "row 4: a and b are both 'x': a policy can't be compared"),
    (HEAD + "x,y,a\nx,y,\n", "row 3: 'outcome' is empty; allowed: a, b, tie."),
    (HEAD + "x,y,1\n", "row 2: outcome is '1'; allowed: a, b, tie."),
    (HEAD + "x,y,a\n,y,a\n", "row 3: 'a' is empty."),
    (HEAD + "x, ,a\n", "row 2: 'b' is empty."),
    (HEAD + "x,y,a\n\nx,y\n", "row 4: the row has 2 cells, the header has 3."),
]


@pytest.mark.parametrize(("text", "said"), BAD_CSV)
def test_a_fault_is_named_with_file_and_row(tmp_path, text, said):
    path = tmp_path / "votes.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_votes(path)
    assert str(caught.value).startswith(str(path))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty."),
        ("[]\n", "row 1: the line is not a JSON object."),
        ('{"a": "x", "b": "y"}\n', "the column 'outcome' is missing. Columns found: a, b."),
        (json.dumps(ROWS[0]) + '\n\n{"a": "x", "b": "y", "outcome": null}\n', "row 3: 'outcome'"),
        (json.dumps(ROWS[0]) + '\n{"a": "x"\n', "row 2: is not JSON"),
        (json.dumps(ROWS[0]) + '\n\n{"a": "x", "b": "x", "outcome": "a"}\n', "row 3: a and b"),
    ],
)
def test_a_fault_of_jsonl(tmp_path, text, said):
    path = tmp_path / "votes.jsonl"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_votes(path)
    assert said in str(caught.value)


def test_a_fault_of_parquet(tmp_path):
    path = save(tmp_path, "parquet", [*ROWS, {**ROWS[0], "outcome": None}])
    with pytest.raises(InputError, match="row 4: 'outcome' is empty"):
        read_votes(path)
    path.write_bytes(b"no parquet at all")
    with pytest.raises(InputError, match="can't be used"):
        read_votes(path)


def test_what_is_asked_for_must_be_there(tmp_path):
    path = save(tmp_path, "csv", ROWS)
    with pytest.raises(InputError, match="the column 'scene' is missing"):
        read_votes(path, ["scene"])
    with pytest.raises(UnknownNameError, match="Did you mean 'rater'"):
        read_votes(path, ["ratre"])
    save(tmp_path, "csv", [*ROWS, {**ROWS[0], "rater": ""}])
    with pytest.raises(InputError, match="row 5: 'rater' is empty"):
        read_votes(path, ["rater"])
    assert len(read_votes(path)) == 4  # nobody asked


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_bytes(b"a,b,outcome\nx,y,a\nx\xff,y,a\n")
    with pytest.raises(InputError, match="row 3: is not UTF-8"):
        read_votes(path)


def test_some_policies_only(tmp_path):
    found = read_votes(save(tmp_path, "csv", ROWS), ["rater"]).among(["pi0", "act"])
    assert (found.names, found.a.tolist(), found.outcome.tolist()) == (
        ("act", "pi0"),
        [1, 0],
        [1, 0],
    )
    assert found.columns["rater"].codes.tolist() == [0, 1]
    with pytest.raises(UnknownNameError, match=r"named .pi1.\. Did you mean .pi0."):
        found.among(["pi1", "act"])


def test_many_blocks_are_one_file(tmp_path, monkeypatch):
    # Each block has a dictionary of its own; their numbers must become one.
    monkeypatch.setattr("assay.episodes.votes._BLOCK", 200)
    rng = np.random.default_rng(0)
    rows = [{"a": f"p{i}", "b": f"q{j}", "outcome": "a"} for i, j in rng.integers(0, 30, (400, 2))]
    found = read_votes(save(tmp_path, "csv", rows))
    assert [found.names[k] for k in found.a] == [row["a"] for row in rows]
    assert [found.names[k] for k in found.b] == [row["b"] for row in rows]
