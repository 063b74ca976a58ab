"""An audit by a learned judge: what it has not seen, what it says of itself, its goal."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from assay.errors import InputError, RunError, UsageError
from assay.jobs._goals import with_goal
from assay.jobs._novelty import other_looks
from assay.jobs._units import Scored, decode, encode
from assay.jobs.audit import AuditSettings, audit
from assay.judges.ramp import Ramp
from assay.judges.recorded import Recorded
from assay.records import Curve, Episode
from assay.reports.document import check_audit
from clips import write_clip
from curve_files import write_csv
from judge_learned import CARD, Learned

# Each curve has 4 moments; above .5 lie 2 of them in "far", none in "near".
FAR, NEAR = [0, 0.4, 0.6, 0.8], [0, 0.1, 0.2, 0.3]
CURVES = {
    **{(f"far{i}", "lift", "far"): FAR for i in range(5)},
    **{(f"near{i}", "lift", "near"): NEAR for i in range(5)},
}
HALF = Learned(known=0.5)


@pytest.fixture
def source(tmp_path):
    return write_csv(tmp_path / "curves.csv", CURVES)


def run(source, judge=HALF, name="run", **settings):
    out = source.parent / name
    result = audit([source], AuditSettings(out=out, judge=judge, jobs=1, **settings))
    check_audit(json.loads(result.text), out / "audit.json")
    return result


def test_the_share_of_novel_moments_by_hand(source):
    judge = run(source).document["judge"]
    # 5 episodes with 2 of 4 moments and 5 with none: the mean over episodes is a quarter
    assert judge["novel"]["value"] == 0.25
    assert judge["novel"]["n"] == 10
    assert 0 < judge["novel"]["low"] < 0.25 < judge["novel"]["high"]
    assert judge["card"] == CARD


def test_every_group_has_its_own_share(source):
    cells = {cell["policy"]: cell for cell in run(source).document["cells"]}
    assert cells["far"]["novel"]["value"] == 0.5
    assert cells["near"]["novel"]["value"] == 0.0


def test_a_judge_that_can_not_tell_has_no_share(source):
    document = run(source, "recorded").document
    assert document["judge"]["novel"] is None
    assert "card" not in document["judge"]
    assert "novel" not in document["cells"][0]


def test_the_table_says_which_moments_are_novel(source):
    table = pq.read_table(run(source, beside=("ramp",)).out / "curves.parquet").to_pylist()
    name = f"{Learned.__module__}:Learned"
    own = [row["novel"] for row in table if (row["judge"], row["episode"]) == (name, "far0")]
    assert own == [False, False, True, True]
    assert {row["novel"] for row in table if row["judge"] == "ramp"} == {None}


def test_another_report_of_the_same_run_knows_them_still(source):
    first, again = run(source), run(source, by=("policy",))
    assert again.document["judge"]["novel"] == first.document["judge"]["novel"]


@pytest.mark.parametrize("novel", [None, np.array([True, False]), np.array([False, False])])
def test_the_journal_keeps_novelty(novel):
    curve = Curve(np.array([0.0, 1.0]), np.array([0.0, np.nan]), np.array(["ok", "refused"]))
    kept = Curve(curve.times, curve.values, curve.status, "why", novel)
    found = decode(encode(Scored(kept, "refused", "why"))).curve
    assert found.status.tolist() == ["ok", "refused"]
    assert (found.novel is None) == (novel is None)
    assert novel is None or found.novel.tolist() == novel.tolist()


def test_a_card_that_is_no_plain_data_is_refused(source):
    with pytest.raises(UsageError, match=r"Learned\.card must be plain data"):
        run(source, Learned(about={"look": np.float64("nan")}))


def test_the_same_network_trained_twice_is_two_judges(source, tmp_path):
    one, two = (Learned(weights=tmp_path / name) for name in ("first", "second"))
    document = run(source, one, beside=(two,)).document
    assert document["judge"]["name"].endswith(":Learned:first")
    assert document["beside"][0]["judge"]["name"].endswith(":Learned:second")


def simulated(folder: Path, look: object) -> list[Episode]:
    """Return two episodes of a world and a real one, recorded with the look."""
    folder.mkdir()
    record = {"verb": "rollout", "fingerprints": {"look": look}}
    (folder / "run.json").write_text(json.dumps(record))
    worlds = [Episode(f"sim{i}", "lift", world="tabletop", source=str(folder)) for i in (0, 1)]
    return [*worlds, Episode("real", "lift", source=str(folder))]


@pytest.mark.parametrize(
    ("look", "own", "found"),
    [
        (2, 1, {"sim0": 2, "sim1": 2}),
        (1, 1, {}),
        (2, None, {}),  # trained on something else than worlds: pictures alone tell
        ("odd", 1, {}),
        (None, 1, {}),
    ],
)
def test_worlds_of_another_look_are_found(tmp_path, look, own, found):
    episodes = simulated(tmp_path / "rollout", look)
    assert other_looks(Learned(about={"look": own}), episodes) == found
    assert other_looks(Ramp(), episodes) == {}


def test_a_rollout_without_its_record_is_not_accused(tmp_path):
    episode = Episode("sim", "lift", world="tabletop", source=str(tmp_path))
    assert other_looks(Learned(), [episode]) == {}


def test_a_goal_goes_to_the_judges_that_take_one(tmp_path):
    goal = tmp_path / "goal.png"
    goal.touch()
    first, second = with_goal([Recorded(), Learned()], goal)
    assert first == Recorded()
    assert second == Learned(goal=goal)
    assert with_goal([Recorded()], None) == [Recorded()]


def test_a_goal_that_nobody_takes_or_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"--goal is for judges .* recorded nor ramp does not"):
        with_goal([Recorded(), Ramp()], tmp_path)
    with pytest.raises(InputError, match="no such image or folder"):
        with_goal([Learned()], tmp_path / "nothing")


def passport(path, **changes):
    """Write what `assay certify` says of the judge recorded."""
    line = {"check": "static", "title": "static video", "domain": "your episodes"}
    checks = [{**line, "verdict": "fail", "warning": "Its STR is no evidence.", "matters": ["str"]}]
    whole = {"schema": "assay.certify/1", "judge": {"name": "recorded"}, "checks": checks}
    path.write_text(json.dumps(whole | changes))
    return path


def test_a_passport_is_carried_into_the_report(source, tmp_path):
    given = passport(tmp_path / "passport.json")
    found = run(source, "recorded", passport=given).document["judge"]["passport"]
    assert found["path"] == str(given)
    assert found["summary"] == "your episodes: 0 checks passed, 1 failed (static video)"
    assert "Its STR is no evidence. (static video, your episodes)" in found["warnings"]


def test_a_new_passport_is_reported_without_judging_again(source, tmp_path):
    given = passport(tmp_path / "passport.json")
    run(source, "recorded", passport=given)
    passport(given, checks=[])
    again = run(source, "recorded", passport=given)
    assert again.document["judge"]["passport"]["summary"] == ""


def test_the_run_directory_of_certify_is_a_passport_too(source, tmp_path):
    folder = tmp_path / "certified"
    folder.mkdir()
    passport(folder / "certify.json")
    document = run(source, "recorded", passport=folder).document
    assert document["judge"]["passport"]["path"] == str(folder / "certify.json")


def test_the_passport_of_another_judge_is_refused_before_anything_is_run(source, tmp_path):
    given = passport(tmp_path / "passport.json", judge={"name": "oracle"})
    with pytest.raises(InputError, match="is the passport of the judge oracle, not of recorded"):
        run(source, "recorded", passport=given)
    assert not (tmp_path / "run").exists()


class Unready(Learned):
    """A fixture: its weights are gone."""

    def check(self) -> None:
        """Say so."""
        raise InputError("holds no weights.", "folder")


def test_a_judge_that_is_not_ready_is_refused_before_anything_is_run(source, tmp_path):
    with pytest.raises(InputError, match="holds no weights"):
        run(source, Unready())
    assert not (tmp_path / "run").exists()


def test_other_weights_are_another_run(source, tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    run(source, Learned(weights=tmp_path / "first"))
    with pytest.raises(RunError, match="settings differ in judge"):
        run(source, Learned(weights=tmp_path / "second"))


def test_pictures_without_a_curve_are_sent_to_the_judge_that_looks(tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    write_clip(folder / "a.mp4", frames=10, fps=10)
    result = audit([folder], AuditSettings(out=tmp_path / "run", jobs=1))
    first, hint = result.problems()
    assert first.startswith("Not scored, no_reference: 1 of 1 episodes, the first is a:")
    assert hint == "They have frames: --judge prm-mini scores episodes by what they show."


def test_episodes_without_pictures_are_not(source, tmp_path):
    result = run(source, Recorded(signal="nothing"))
    (only,) = result.problems()
    assert only.startswith("Not scored, no_reference: 10 of 10 episodes")
