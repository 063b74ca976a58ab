"""Few labels and a judge: means by hand, null judges that add nothing, parts, and raters."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.episodes.human import HumanScore, HumanScores, read_human
from assay.jobs._compare_labels import targets_of
from assay.jobs._compare_points import rated
from assay.jobs._compare_raters import raters_of
from assay.jobs.audit import AuditSettings, audit
from assay.jobs.compare import CompareSettings, compare
from curve_files import write_csv
from human_made import audited, curve, scores
from proof.parts_coverage import JUDGES, coverage

MANY = {f"e{k:02d}": round(0.05 * k, 2) for k in range(20)}
LABELLED = list(MANY)[::2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with audits: `run` of 20 episodes, and `parts` of 2 tasks by 2 policies."""
    root = tmp_path_factory.mktemp("labels")
    audited(root, "run", ends=MANY, beside=("ramp",), success_at=0.5)
    curves = {
        (f"{task}-{policy}-{k}", task, policy): curve(0.1 * k)
        for task in ("lift", "pour")
        for policy in ("act", "pi0")
        for k in range(8)
    }
    source = write_csv(root / "parts.csv", curves)
    audit([source], AuditSettings(out=root / "parts", jobs=1, video="none"))
    return root


def compared(folder, tmp_path, rows, header="episode,score", run="run", **settings):
    path = scores(tmp_path / "scores.csv", rows, header)
    return compare([folder / run], CompareSettings(tmp_path / "out", path, **settings))


def row(result, judge="recorded", metric="progress", policy=None):
    wanted = (judge, metric, policy)
    rows = result.document["assisted"]
    (found,) = [r for r in rows if (r["judge"], r["metric"], r["policy"]) == wanted]
    return found


def test_a_judge_on_a_line_with_people(folder, tmp_path):
    # People say y = .1 + .5 f. Over all 20 episodes f is .475 on average, so that y is .3375; the
    # ten labelled ones (0, .1, .. .9) have a mean f of .45, so that the labels alone say .325.
    rows = [(name, 100 * (0.1 + 0.5 * MANY[name])) for name in LABELLED]
    result = compared(folder, tmp_path, rows)
    own = row(result)
    assert (own["labels"], own["others"], own["unjudged"], own["unscored"]) == (10, 10, 0, 0)
    assert own["mean"]["value"] == pytest.approx(0.3375)
    assert own["alone"]["value"] == pytest.approx(0.325)
    assert own["judge_alone"]["value"] == pytest.approx(0.475)
    # r = 1: n / (1 - N / (n + N)) = 10 / (1 - 1/2); lambda = b N / (n + N) = .5 / 2.
    assert own["effective_labels"]["value"] == pytest.approx(20)
    assert own["power"] == pytest.approx(0.25)
    assert own["is_informative"]
    assert own["mean"]["low"] < 0.3375 < own["mean"]["high"]
    assert result.ok


def test_a_null_judge_adds_nothing(folder, tmp_path):
    rows = [(name, 100 * (0.1 + 0.5 * MANY[name])) for name in LABELLED]
    result = compared(folder, tmp_path, rows)
    clock = row(result, "ramp")
    assert (clock["null"], clock["is_informative"], clock["power"]) == (True, False, 0.0)
    assert clock["mean"] == clock["alone"]
    assert clock["width_ratio"] == pytest.approx(1.0)
    assert clock["effective_labels"]["why"] == "the judge never changes"
    assert clock["warnings"] == [
        "The judge carries no information that these labels can show: the judge never changes."
    ]


def test_columns_are_labels_of_their_metrics(folder, tmp_path):
    # MP of the recorded curve is its end: people's MP is .8 of it, .8 * .475 over all episodes.
    rows = [(name, 50, 80 * MANY[name], int(MANY[name] >= 0.3), "fine") for name in LABELLED]
    result = compared(folder, tmp_path, rows, "episode,score,mp,success_end,note")
    assert row(result, metric="mp")["mean"]["value"] == pytest.approx(0.38)
    assert result.document["human"]["labels"] == {"mp": 10, "success_end": 10}
    assert result.document["human"]["ignored"] == ["note"]
    own = row(result, metric="success_end")
    # The run has a rule for success, progress of .5 or more: 10 of 20.
    assert own["judge_alone"]["value"] == pytest.approx(0.5)
    assert own["judge_alone"]["method"] == "wilson"
    # Labels that are all the same have no correlation, and no judge can help.
    assert row(result)["effective_labels"]["why"] == "the label never changes"


def test_parts_are_as_fine_as_the_labels_allow(folder, tmp_path):
    names = [f"{t}-{p}-{k}" for t in ("lift", "pour") for p in ("act", "pi0") for k in range(5)]
    success = [(name, 10 * int(name[-1]) + (7 if "pour" in name else 0), 1) for name in names]
    result = compared(folder, tmp_path, success, "episode,score,success_end", run="parts")
    whole, one = row(result), row(result, policy="act")
    assert whole["strata"] == {"by": "task and policy", "count": 4}
    assert one["strata"] == {"by": "task", "count": 2}
    assert (whole["labels"], whole["others"], one["labels"], one["others"]) == (20, 12, 10, 6)
    # y = f, and .07 more in pour; f is .35 on average in every part: .35 + .035.
    assert whole["mean"]["value"] == pytest.approx(0.385)
    assert one["mean"]["value"] == pytest.approx(0.385)
    # Labels 0 .. 40 alone: .2 and .27.
    assert whole["alone"]["value"] == pytest.approx(0.235)
    # No rule for success in this run: the judge's progress helps, and its mean is no share.
    other = row(result, metric="success_end")
    assert other["judge_alone"]["value"] is None
    assert other["judge_alone"]["why"].startswith("the judge says how far an episode got")


def test_a_part_with_few_labels_is_joined_with_others(folder, tmp_path):
    names = [f"{t}-{p}-{k}" for t in ("lift", "pour") for p in ("act", "pi0") for k in range(5)]
    rows = [(name, 10 * int(name[-1]) + 3) for name in names[1:]]
    result = compared(folder, tmp_path, rows, run="parts")
    assert row(result)["strata"] == {"by": "task", "count": 2}
    assert row(result, policy="act")["strata"] is None
    assert row(result, policy="pi0")["strata"] == {"by": "task", "count": 2}


def test_where_a_judge_cant_help(folder, tmp_path):
    result = compared(folder, tmp_path, [(name, 90 * end) for name, end in MANY.items()])
    own = row(result)
    assert own["why"].startswith("people labelled every episode that the judge scored")
    assert own["mean"]["value"] is None
    assert own["alone"]["value"] == pytest.approx(0.4275)
    page = (tmp_path / "out" / "index.html").read_text()
    assert "A judge can&#x27;t help here: people labelled every episode" in page


def test_one_label_is_no_mean_with_help(folder, tmp_path):
    result = compared(folder, tmp_path, [("e03", 55)])
    own = row(result)
    assert (own["labels"], own["others"]) == (1, 19)
    assert own["why"] == "fewer than 2 labelled episodes that the judge scored"
    assert (own["alone"]["value"], own["alone"]["low"]) == (0.55, None)


def test_metrics_of_people_s_curves(tmp_path):
    # a: 0, .8, .4. MP .8, MC 3/4; TV .8 + .4, PPL .4 * .4 / 1.2; CRA (0 + 0 + .4) / 3.
    rows = [("a", 0, 0), ("a", 80, 1), ("a", 40, 2), ("b", 50, 1)]
    human = read_human(scores(tmp_path / "s.csv", rows, "episode,score,time"))
    found = {target.name: target for target in targets_of(human, rated(human), {})}
    assert list(found) == ["progress", "mc", "mp", "ppl", "cra"]
    assert found["progress"].labels == {"a": pytest.approx(0.4), "b": 0.5}
    values = {name: found[name].labels["a"] for name in ("mc", "mp", "ppl", "cra")}
    assert values == pytest.approx({"mc": 0.75, "mp": 0.8, "ppl": 0.16 / 1.2, "cra": 0.4 / 3})
    assert found["mp"].short == 1  # one moment is no curve
    assert "b" not in found["mp"].labels


def test_moments_give_opd_with_help(folder, tmp_path):
    # People see half of what is recorded, at three moments: MP .5 end, over all .5 * .475.
    rows = [(n, 50 * MANY[n] * min(t, 6) / 6, t) for n in LABELLED for t in (0, 6, 9)]
    result = compared(folder, tmp_path, rows, "episode,score,time")
    own = row(result, metric="mp")
    assert own["source"] == "curve"
    assert own["mean"]["value"] == pytest.approx(0.2375)
    assert own["judge_alone"]["value"] == pytest.approx(0.475)
    # Progress is the mean over the scored moments, (0 + .5 + .5) / 3 of the end.
    assert row(result)["mean"]["value"] == pytest.approx(0.475 / 3)
    assert row(result, metric="cra")["alone"]["method"] == "exact bound"  # nothing was lost


def given(table, scale=100):
    """Return the scores of a table {episode: {rater: score}} of whole numbers up to `scale`."""
    found = tuple(
        HumanScore(episode, value / scale, rater, None, 1)
        for episode, own in table.items()
        for rater, value in own.items()
    )
    return HumanScores(Path("s.csv"), found, scale, told=True, empty=0, ignored=())


def test_alpha_of_a_published_example():
    # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section D: four observers,
    # twelve units, values 1 to 5; the ordinal alpha is .815.
    rows = {
        "A": "123321412...",
        "B": "1233224125.3",
        "C": ".3332342251.",
        "D": "12332441251.",
    }
    table = {
        f"u{k}": {name: int(own[k]) for name, own in rows.items() if own[k] != "."}
        for k in range(12)
    }
    found = raters_of(given(table, 5), seed=0)
    assert found["alpha"]["value"] == pytest.approx(0.815, abs=5e-4)
    assert (found["alpha"]["scale"], found["alpha"]["things"]) == ("ordinal", 11)
    assert found["alpha"]["low"] < 0.815 < found["alpha"]["high"]
    assert found["kappa"]["kind"] == "fleiss"
    # Four scores have eight units, three have two, and two one: those with four are taken.
    assert (found["kappa"]["raters"], found["kappa"]["left_out"]) == (4, 3)
    assert [one["name"] for one in found["one_out"]["raters"]] == list("ABCD")


def test_cohen_of_two_raters():
    # Both yes 20, both no 15, ann alone 5, bob alone 10, of 50: agreement .7, by chance
    # .5 * .6 + .5 * .4 = .5: kappa (.7 - .5) / .5 = .4.
    kinds = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    table = {f"e{k}": {"ann": a, "bob": b} for k, (a, b) in enumerate(kinds)}
    found = raters_of(given(table, 1), seed=0)
    assert found["kappa"]["kind"] == "cohen"
    assert found["kappa"]["value"] == pytest.approx(0.4)
    assert (found["kappa"]["n"], found["kappa"]["categories"]) == (50, 2)
    assert found["kappa"]["low"] < 0.4 < found["kappa"]["high"]
    # Of two raters one against the other is their correlation, phi:
    # (20 * 15 - 5 * 10) / sqrt(25 * 25 * 30 * 20).
    assert found["one_out"]["mean"]["value"] == pytest.approx(250 / 375000**0.5)


def test_amounts_have_no_kappa():
    table = {f"e{k}": {"ann": 9 * k, "bob": 9 * k + 1} for k in range(9)}
    found = raters_of(given(table), seed=0)
    assert found["kappa"] is None
    assert found["one_out"]["mean"]["value"] == pytest.approx(1.0)
    assert raters_of(given({"a": {"ann": 3}, "b": {"bob": 4}}), seed=0) is None


def test_too_many_different_scores_are_amounts():
    # 1,200 different scores in 600 things: 600 * 1200^2 pairs of them would take minutes.
    table = {f"e{k}": {"ann": 0.1 * k, "bob": 0.1 * k + 0.05} for k in range(600)}
    assert raters_of(given(table), seed=0)["alpha"]["scale"] == "interval"


def test_means_by_task_hold_the_truth():
    helped, alone, ratio = coverage(JUDGES["good"], 20, 80)
    assert helped >= 0.88
    assert alone >= 0.88
    assert ratio < 0.7
