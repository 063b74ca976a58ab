"""Scores that people gave: three kinds of file, the scale, and what is refused."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.episodes.human import read_human
from assay.errors import InputError, UsageError
from human_made import scores


def test_three_kinds_of_file_hold_the_same(tmp_path):
    rows = [("a", 85, "ann"), ("a", 75, "bob"), ("b", 0, "ann")]
    found = [read_human(scores(tmp_path / "s.csv", rows, "Episode;Score;Rater".replace(";", ",")))]
    (tmp_path / "s.jsonl").write_text(
        "\n".join(
            json.dumps(dict(zip(("episode", "score", "rater"), r, strict=True))) for r in rows
        )
    )
    found.append(read_human(tmp_path / "s.jsonl"))
    columns = dict(
        zip(("episode", "score", "rater"), map(list, zip(*rows, strict=True)), strict=True)
    )
    pq.write_table(pa.table(columns), tmp_path / "s.parquet")
    found.append(read_human(tmp_path / "s.parquet"))
    for one in found:
        told = [(s.episode, s.score, s.rater, s.time) for s in one.scores]
        assert told == [("a", 0.85, "ann", None), ("a", 0.75, "bob", None), ("b", 0.0, "ann", None)]
        assert (one.scale, one.told, one.by_moment, one.raters) == (
            100,
            False,
            False,
            ["ann", "bob"],
        )
    assert [[s.row for s in one.scores] for one in found] == [[2, 3, 4], [1, 2, 3], [1, 2, 3]]


def test_moments_and_empty_cells(tmp_path):
    rows = [("a", 0.5, 1.5, "ok"), ("a", "", 2, ""), ("a", 0.75, 3, "")]
    found = read_human(scores(tmp_path / "s.csv", rows, "episode,score,t,comment"))
    assert [(s.score, s.time) for s in found.scores] == [(0.5, 1.5), (0.75, 3.0)]
    assert (found.scale, found.empty, found.ignored, found.by_moment) == (1, 1, ("comment",), True)


@pytest.mark.parametrize(
    ("values", "scale"), [([0, 50], 100), ([0, 1, 2], 100), ([0, 0.5, 1], 1), ([0.25], 1)]
)
def test_a_scale_that_leaves_no_doubt_is_read_off(tmp_path, values, scale):
    rows = [(f"e{k}", value) for k, value in enumerate(values)]
    assert read_human(scores(tmp_path / "s.csv", rows)).scale == scale


def test_a_scale_in_doubt_is_asked_for(tmp_path):
    path = scores(tmp_path / "s.csv", [("a", 0), ("b", 1)])
    with pytest.raises(UsageError, match="--scale 1 or --scale 100"):
        read_human(path)
    assert [s.score for s in read_human(path, 100).scores] == [0.0, 0.01]
    assert [s.score for s in read_human(path, 1).scores] == [0.0, 1.0]
    with pytest.raises(UsageError, match="--scale is 100 or 1, not 10"):
        read_human(path, 10)


@pytest.mark.parametrize(
    ("header", "rows", "scale", "said"),
    [
        ("episode,scor", [("a", 1)], None, "the column 'score' is missing. Nearest: 'scor'"),
        ("episode,score,ratr", [("a", 5, "x")], None, "the column 'ratr' is not known. Nearest:"),
        ("episode,score", [("a", 50), ("b", 101)], None, "row 3: score is 101, outside 0..100."),
        ("episode,score", [("a", 50)], 1, "row 2: score is 50, outside 0..1. For scores of 0..100"),
        ("episode,score", [("a", -0.5)], None, "row 2: score is -0.5, outside 0..1."),
        ("episode,score", [("a", "high")], None, "row 2: score is 'high', which is not a number."),
        ("episode,score", [("", 3)], None, "row 2: 'episode' is empty."),
        ("episode,score", [("a", 3), ("a", 4)], None, "row 2 already: name who scored in a column"),
        ("episode,score,rater", [("a", 3, "x"), ("a", 4, "x")], None, "by 'x' in row 2 already."),
        ("episode,score,time", [("a", 3, 1), ("a", 4, "")], None, "time is empty in row 3 and not"),
        ("episode,score,time", [("a", 3, -1)], None, "row 2: time is -1 s; an episode starts at 0"),
        ("episode,score", [("a", "")], None, "has no scores."),
        ("episode,score", [], None, "has no rows."),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path, header, rows, scale, said):
    path = scores(tmp_path / "s.csv", rows, header)
    with pytest.raises(InputError) as refused:
        read_human(path, scale)
    assert said in str(refused.value)
    assert str(refused.value).startswith(str(path))


def test_files_that_are_none(tmp_path):
    (tmp_path / "s.parquet").write_bytes(b"PAR1 no")
    (tmp_path / "s.jsonl").write_text("")
    for name, said in (("s.parquet", "can't be"), ("s.jsonl", "no rows"), ("no.csv", "No such")):
        with pytest.raises(InputError, match=said):
            read_human(tmp_path / name)
