"""Labels of metrics beside people's scores: scales, raters, formats, and what can't be meant."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes.human import HumanScore, HumanScores, read_human
from assay.episodes.human_labels import read_labels
from assay.errors import InputError
from human_made import scores

HEADER = "episode,score,rater,mp,success_end,note"


def read(path, rows, header=HEADER, scale=None):
    return read_labels(read_human(scores(path / "s.csv", rows, header), scale))


def test_labels_are_means_over_raters_on_the_scale_of_the_scores(tmp_path):
    rows = [
        ("a", 80, "ann", 90, "yes", "x"),
        ("a", 60, "bob", 70, "no", ""),
        ("b", "", "ann", 10, "", ""),  # no score, yet a label
        ("c", 50, "ann", "", 1, ""),
    ]
    # mp of a: (.9 + .7) / 2; success of a: one of two.
    found = read(tmp_path, rows)
    assert found == {"mp": {"a": pytest.approx(0.8), "b": 0.1}, "success_end": {"a": 0.5, "c": 1}}
    assert list(found) == ["mp", "success_end"]


def test_every_format_says_the_same(tmp_path):
    rows = [{"Episode": "a", "score": 40, "MP": 50, "success_once": True}]
    lines = tmp_path / "s.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = tmp_path / "s.parquet"
    pq.write_table(pa.Table.from_pylist(rows), table)
    for path in (lines, table):
        assert read_labels(read_human(path)) == {"mp": {"a": 0.5}, "success_once": {"a": 1.0}}


def test_without_such_a_column_there_are_none(tmp_path):
    assert read(tmp_path, [("a", 80, "ok")], "episode,score,note") == {}
    assert read(tmp_path, [("a", 80, "")], "episode,score,mp") == {}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", 80, "ann", "high", 1, "")], r"row 2: mp is 'high', which is not a number"),
        ([("a", 80, "ann", 101, 1, "")], r"mp is '101', which is outside 0..100, the scale of the"),
        ([("a", 80, "ann", -1, 1, "")], "mp is '-1', which is outside"),
        ([("a", 80, "ann", "inf", 1, "")], "mp is 'inf', which is outside"),
        ([("a", 80, "ann", 50, "maybe", "")], "success_end is 'maybe'; allowed: 1, 0, true"),
        ([("a", 80, "ann", 0.5, 1, ""), ("b", 9, "ann", 1, 0, "")], "no mp is above 1, and scores"),
        (
            [("a", 80, "ann", 5, 1, ""), ("b", "", "ann", 5, 1, ""), ("b", "", "ann", 6, 1, "")],
            r"row 4: mp of the episode 'b' stands there twice by one rater",
        ),
    ],
)
def test_what_cant_be_meant(tmp_path, rows, said):
    with pytest.raises(InputError, match=said):
        read(tmp_path, rows)


def test_a_column_of_another_type_is_refused(tmp_path):
    table = tmp_path / "s.parquet"
    pq.write_table(pa.Table.from_pylist([{"episode": "a", "score": 40.0, "mp": [1, 2]}]), table)
    with pytest.raises(InputError, match=r"mp is a list; text is needed"):
        read_labels(read_human(table))


def test_labels_of_episodes_don_t_stand_among_moments(tmp_path):
    with pytest.raises(InputError, match="mp is a label of a whole episode, and this file scores"):
        read(tmp_path, [("a", 40, 1.5, 50)], "episode,score,time,mp")


@given(st.lists(st.floats(2, 100), min_size=1, max_size=8))
def test_labels_stay_in_their_range(tmp_path_factory, values):
    path = tmp_path_factory.getbasetemp() / "property.csv"
    given_scores = tuple(HumanScore(f"e{k}", 0.5, "", None, k) for k in range(len(values)))
    scores(path, [(f"e{k}", 50, value) for k, value in enumerate(values)], "episode,score,cra")
    human = HumanScores(path, given_scores, 100, told=True, empty=0, ignored=("cra",))
    found = read_labels(human)["cra"]
    assert found == {f"e{k}": pytest.approx(value / 100) for k, value in enumerate(values)}
