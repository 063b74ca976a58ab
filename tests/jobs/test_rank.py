"""Ranking by votes: the document to the letter, other rankings, parts, and what is refused."""

from __future__ import annotations

import html
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from assay.errors import InputError, RunError, UnknownNameError, UsageError
from assay.jobs.audit import AuditSettings, audit
from assay.jobs.rank import RankSettings, rank
from assay.reports.rank_tables import to_markdown
from curve_files import write_csv
from votes_made import counted, draw, write

NAMES = ("act", "octo", "pi0", "smol")
BETA = np.array([0.4, 0.0, 1.0, -1.0])
KEYS = ["name", "beta", "low", "high", "rank", "tier", "wins", "losses", "ties"]


def many(path, n=600, seed=0):
    """Write votes of four policies on three tasks by ten raters."""
    a, b, outcome = draw(BETA, n, seed, nu=0.4)
    said = {1: "a", -1: "b", 0: "tie"}
    rows = [
        (NAMES[i], NAMES[j], said[o], f"t{k % 3}", f"r{k % 10}")
        for k, (i, j, o) in enumerate(zip(a, b, outcome.tolist(), strict=True))
    ]
    return write(path, rows, "a,b,outcome,task,rater")


def test_thirty_wins_to_ten(tmp_path):
    path = write(tmp_path / "v.csv", counted({("x", "y"): (30, 10, 5)}))
    document = rank(path).document
    first = document["policies"][0]
    assert [first[key] for key in ("name", "rank", "tier", "wins", "losses", "ties")] == [
        *("x", 1, 1, 30, 10, 5)
    ]
    assert first["beta"] == pytest.approx(0.549306, abs=1e-6)
    assert first["high"] - first["beta"] == pytest.approx(0.357839, abs=1e-6)
    wanted = {"schema": "assay.rank/1", "votes": 45, "decisive": 40, "level": 0.95}
    assert {key: document[key] for key in wanted} == wanted
    assert (document["interval"], document["warnings"]) == ("sandwich", [])


def test_the_document_has_what_was_promised(tmp_path):
    result = rank(many(tmp_path / "v.csv"), RankSettings(tmp_path / "out"))
    document = json.loads((tmp_path / "out" / "rank.json").read_text())
    assert document == result.document == json.loads(result.text)
    assert result.ok
    assert all(set(KEYS) <= set(one) for one in document["policies"])
    assert [one["rank"] for one in document["policies"]] == [1, 2, 3, 4]
    assert [one["name"] for one in document["policies"]] == ["pi0", "act", "octo", "smol"]
    assert sum(one["first"] for one in document["policies"]) == pytest.approx(1.0)
    assert len(document["pairs"]) == 6
    wins = np.array(document["matrix"]["wins"])
    assert wins.sum() == document["decisive"]
    assert wins.sum(axis=1).tolist() == [one["wins"] for one in document["policies"]]


def test_without_a_folder_nothing_is_written_and_the_same_is_found(tmp_path, monkeypatch):
    path = many(tmp_path / "v.csv")
    monkeypatch.chdir(tmp_path)
    loose = rank(path)
    assert [p.name for p in tmp_path.iterdir()] == ["v.csv"]
    assert loose.out is None
    assert loose.text == rank(path, RankSettings(tmp_path / "out")).text


def test_the_same_votes_give_the_same_bytes_and_a_finished_run_is_left_alone(tmp_path):
    path = many(tmp_path / "v.csv")
    for name in ("one", "two"):
        rank(path, RankSettings(tmp_path / name, by="task", cluster="rater"))
    for file in ("rank.json", "index.html", "counts.parquet"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    stamp = (tmp_path / "one" / "rank.json").stat().st_mtime_ns
    rank(path, RankSettings(tmp_path / "one", by="task", cluster="rater"))
    assert (tmp_path / "one" / "rank.json").stat().st_mtime_ns == stamp
    with pytest.raises(RunError, match="another run"):
        rank(path, RankSettings(tmp_path / "one", by="task"))


def test_counts_are_kept(tmp_path):
    path = write(tmp_path / "v.csv", counted({("x", "y"): (3, 1, 2), ("y", "z"): (1, 1, 0)}))
    rank(path, RankSettings(tmp_path / "out"))
    table = pq.read_table(tmp_path / "out" / "counts.parquet").to_pylist()
    assert table == [
        {"a": "x", "b": "y", "a_wins": 3, "b_wins": 1, "ties": 2},
        {"a": "y", "b": "z", "a_wins": 1, "b_wins": 1, "ties": 0},
    ]


def test_each_task_is_ranked_by_itself(tmp_path):
    # In t1 the order is turned round; t2 has ties only, t3 one vote.
    rows = [(*row, "t0") for row in counted({("x", "y"): (30, 10, 0)})]
    rows += [(*row, "t1") for row in counted({("x", "y"): (5, 25, 0), ("y", "z"): (6, 4, 0)})]
    rows += [("x", "z", "tie", "t2"), ("x", "z", "tie", "t2"), ("x", "y", "a", "t3")]
    path = write(tmp_path / "v.csv", rows, "a,b,outcome,task")
    found = rank(path, RankSettings(tmp_path / "out", by="task")).document
    assert found["votes"] == 83
    assert found["by"]["column"] == "task"
    parts = {part["name"]: part for part in found["by"]["rankings"]}
    assert list(parts) == ["t0", "t1", "t2", "t3"]
    assert parts["t0"]["policies"][0]["beta"] == pytest.approx(0.549306, abs=1e-6)
    assert [one["name"] for one in parts["t1"]["policies"]] == ["y", "z", "x"]
    assert parts["t2"]["why"] == "All 2 votes are ties: nothing tells the policies apart."
    assert parts["t3"]["why"] == "A ranking needs at least 2 votes, not 1."
    page = (tmp_path / "out" / "index.html").read_text()
    assert "All 2 votes are ties" in page


def test_raters_who_repeat_themselves_widen_the_interval(tmp_path):
    # 20 raters say one thing six times over.
    a, b, outcome = draw(BETA, 20, seed=3)
    rows = [
        (NAMES[i], NAMES[j], "a" if o > 0 else "b", f"r{k}")
        for k, (i, j, o) in enumerate(zip(a, b, outcome.tolist(), strict=True))
        for _ in range(6)
    ]
    path = write(tmp_path / "v.csv", rows, "a,b,outcome,rater")
    settings = {"policies": ("act", "pi0", "octo")}
    apart = rank(path, RankSettings(**settings)).document
    together = rank(path, RankSettings(cluster="rater", **settings)).document
    assert together["interval"].startswith("sandwich over ")
    assert together["interval"].endswith(" clusters by rater")
    for one, other in zip(apart["policies"], together["policies"], strict=True):
        assert other["beta"] == one["beta"]
        if one["low"] is not None and other["low"] is not None:
            assert other["high"] - other["low"] > 2 * (one["high"] - one["low"])


def test_ties_count_on_request(tmp_path):
    path = write(tmp_path / "v.csv", counted({("x", "y"): (30, 10, 20)}))
    found = rank(path, RankSettings(ties="davidson")).document
    assert found["nu"] == pytest.approx(20 / 300**0.5)
    assert found["policies"][0]["beta"] == pytest.approx(0.549306, abs=1e-6)
    assert rank(path).document["nu"] is None


def test_a_higher_level_is_wider(tmp_path):
    # z of 99 % is 2.575829: .549306 + 2.575829 / sqrt(30).
    path = write(tmp_path / "v.csv", counted({("x", "y"): (30, 10, 0)}))
    found = rank(path, RankSettings(level=0.99)).document
    assert found["policies"][0]["high"] == pytest.approx(0.549306 + 2.575829 / 30**0.5, abs=1e-6)


GAMES = {("x", "y"): (9, 5, 0), ("y", "z"): (8, 8, 0), ("z", "x"): (3, 6, 0)}
ODD = {**GAMES, ("king", "x"): (7, 0, 0), ("q", "r"): (5, 4, 0)}


def test_what_has_no_scale_has_no_number(tmp_path):
    path = write(tmp_path / "v.csv", counted(ODD))
    result = rank(path, RankSettings(tmp_path / "out"))
    policies = {one["name"]: one for one in result.document["policies"]}
    assert [name for name, one in policies.items() if one["beta"] is None] == ["king", "q", "r"]
    assert policies["king"]["why"] == "it won all 7 decisive votes against others: no upper limit"
    assert policies["q"]["rank"] is policies["q"]["low"] is policies["q"]["tier"] is None
    # The others are ranked as if the king had never been there.
    alone = rank(write(tmp_path / "w.csv", counted(GAMES))).document
    for one in alone["policies"]:
        assert policies[one["name"]]["beta"] == pytest.approx(one["beta"])
    assert [one["name"] for one in result.document["groups"][0]] == ["q", "r"]
    assert not result.ok
    assert any("2 parts that no decisive vote joins" in line for line in result.problems())
    assert {result.document["next"][0][side] for side in "ab"} & {"q", "r", "king"}


def test_perfect_separation_of_two(tmp_path):
    path = write(tmp_path / "v.csv", counted({("x", "y"): (10, 0, 0)}))
    result = rank(path, RankSettings(tmp_path / "out"))
    assert [one["beta"] for one in result.document["policies"]] == [None, None]
    assert "x won all 10 decisive votes" in " ".join(result.problems())
    whole = rank(path, RankSettings(regularise=True))
    assert whole.ok
    assert whole.document["policies"][0]["name"] == "x"
    assert whole.document["interval"] == "curvature of the regularised fit"


def test_against_the_same_votes_and_turned_ones(tmp_path):
    path = many(tmp_path / "v.csv", 2000)
    same = rank(path, RankSettings(against=path)).document["against"]
    assert (same["kendall"]["value"], same["kendall"]["n"]) == (1.0, 4)
    assert same["kendall"]["low"] <= 1.0 == same["kendall"]["high"]
    flip = {"a": "b", "b": "a", "tie": "tie"}
    rows = [line.split(",")[:3] for line in path.read_text().splitlines()[1:]]
    turned = write(tmp_path / "w.csv", [(a, b, flip[o]) for a, b, o in rows])
    other = rank(path, RankSettings(against=turned)).document["against"]
    assert (other["kendall"]["value"], other["spearman"]["value"]) == (-1.0, -1.0)
    assert len(other["swapped"]) == 6


def test_against_a_finished_ranking(tmp_path):
    path = many(tmp_path / "v.csv")
    rank(path, RankSettings(tmp_path / "out"))
    from_run = rank(path, RankSettings(against=tmp_path / "out")).document["against"]
    from_file = rank(path, RankSettings(against=path)).document["against"]
    assert (from_run["kind"], from_file["kind"]) == ("rank", "votes")
    assert from_run["kendall"] == from_file["kendall"]
    assert from_run["scores"] == pytest.approx(from_file["scores"])


def test_against_an_audit(tmp_path):
    # The judge puts octo over act, people act over octo; pi0 > .. > smol as people do.
    ends = {"pi0": 0.9, "octo": 0.7, "act": 0.5, "smol": 0.1}
    curves = {
        (f"{name}-{k}", "lift", name): [0.0, end / 2, min(1.0, end + 0.01 * k)]
        for name, end in ends.items()
        for k in range(5)
    }
    source = write_csv(tmp_path / "curves.csv", curves)
    audit([source], AuditSettings(out=tmp_path / "audit", jobs=1, video="none"))
    path = many(tmp_path / "v.csv", 3000)
    settings = RankSettings(tmp_path / "out", against=tmp_path / "audit")
    found = rank(path, settings).document["against"]
    # 5 of 6 pairs agree: tau = (5 - 1) / 6.
    assert (found["kind"], found["metric"], found["judge"]) == ("audit", "mp", "recorded")
    assert found["kendall"]["value"] == pytest.approx(4 / 6)
    assert found["swapped"] == [["act", "octo"]]
    assert found["kendall"]["low"] is not None
    worse = rank(path, RankSettings(against=tmp_path / "audit", metric="cra"))
    assert worse.document["against"]["kendall"]["value"] is None  # no regret anywhere
    assert "tells no two policies apart" in worse.document["against"]["kendall"]["why"]


def test_the_passport_of_the_other_ranking_s_judge_is_carried(tmp_path):
    curves = {(f"{n}-{k}", "lift", n): [0.0, 0.5, 1.0] for n in ("octo", "pi0") for k in range(2)}
    source = write_csv(tmp_path / "curves.csv", curves)
    asked = AuditSettings(out=tmp_path / "audit", jobs=1, video="none", judge="ramp")
    audit([source], asked)
    path = tmp_path / "audit" / "audit.json"
    document = json.loads(path.read_text())
    novel = {"value": 0.9, "low": 0.8, "high": 1.0, "n": 4, "worst": 0.9, "best": 0.9}
    document["judge"] |= {"novel": novel, "card": {"novel_limit": 0.2}}
    path.write_text(json.dumps(document))
    votes = many(tmp_path / "v.csv", 300)
    found = rank(votes, RankSettings(tmp_path / "out", against=tmp_path / "audit")).document
    told = document["judge"]["passport"]
    other = found["against"]
    assert (other["judge"], other["described"]["passport"]) == ("ramp", told)
    page = html.unescape((tmp_path / "out" / "index.html").read_text())
    assert '<section id="passports"' in page
    for text in (page, to_markdown(found)):
        assert told["summary"] in text
        assert told["warnings"][0] in text
        assert "ramp has not seen such scenes" in text
    older = {**found, "against": {k: other[k] for k in other.keys() - {"described", "alarms"}}}
    assert told["summary"] not in to_markdown(older)


BAD = [
    ([("x", "y", "a")], {}, InputError, "has one vote; a ranking needs at least 2."),
    ([("x", "y", "tie")] * 3, {}, InputError, "all 3 votes are ties"),
    ([("x", "y", "tie")] * 3, {"ties": "davidson"}, InputError, "all 3 votes are ties"),
    (counted(GAMES), {"policies": ("x", "yy")}, UnknownNameError, "Did you mean 'y'"),
    (
        counted({**GAMES, ("q", "r"): (1, 1, 0)}),
        {"policies": ("x", "q")},
        InputError,
        "no vote among",
    ),
    (counted(GAMES), {"cluster": "rater"}, InputError, "the column 'rater' is missing"),
    (counted(GAMES), {"by": "task"}, InputError, "the column 'task' is missing"),
    (counted(GAMES), {"against": "nowhere.csv"}, InputError, "can't be read"),
]


@pytest.mark.parametrize(("rows", "options", "kind", "said"), BAD)
def test_what_is_refused_leaves_no_folder(tmp_path, rows, options, kind, said):
    path = write(tmp_path / "v.csv", rows)
    with pytest.raises(kind, match=said):
        rank(path, RankSettings(tmp_path / "out", **options))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"by": "taks"}, "Did you mean 'task'"),
        ({"cluster": "task"}, "Known: rater, scene"),
        ({"ties": "half"}, "Known: davidson, exclude"),
        ({"metric": "mpp"}, "Did you mean 'mp'"),
        ({"level": 1.0}, "below 1"),
        ({"policies": ("x",)}, "at least two"),
        ({"regularise": True, "cluster": "rater"}, "leave out --cluster"),
        ({"by": "rater", "cluster": "rater"}, "can't both"),
        ({"resamples": 5}, "100..100000"),
        ({"seed": -1}, "0 or more"),
    ],
)
def test_settings_that_can_not_be_meant(options, said):
    with pytest.raises(UsageError, match=said):
        RankSettings(**options)


def test_a_folder_that_holds_no_ranking(tmp_path):
    path = write(tmp_path / "v.csv", counted(GAMES))
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunError, match="no finished run of assay rank or assay audit"):
        rank(path, RankSettings(against=tmp_path / "empty"))
    one = write(tmp_path / "one.csv", [("x", "y", "a")])
    with pytest.raises(InputError, match=r"one\.csv: A ranking needs at least 2 votes"):
        rank(path, RankSettings(against=one))


def test_many_policies_have_no_matrix(tmp_path):
    # 61 policies in a circle, each beating the next twice and losing once.
    names = [f"p{k:02}" for k in range(61)]
    games = {(names[k], names[(k + 1) % 61]): (2, 1, 0) for k in range(61)}
    settings = RankSettings(tmp_path / "out", resamples=100)
    result = rank(write(tmp_path / "v.csv", counted(games)), settings)
    assert result.document["matrix"] is None
    assert len(result.document["pairs"]) == 60
    assert "Too many policies to draw" in (tmp_path / "out" / "index.html").read_text()
