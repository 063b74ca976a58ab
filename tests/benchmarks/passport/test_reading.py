"""Passports found, read, doubted and turned into warnings."""

from __future__ import annotations

import json

import pytest

from assay import __version__
from assay.benchmarks.passport import find_passport, identity, read_passport, warnings_for
from assay.benchmarks.passport.identity import difference, identify
from assay.errors import InputError
from assay.judges import make_judge
from assay.worlds.look import LOOK
from passport_made import Sees

FAILED = {
    "check": "static-video",
    "title": "static video",
    "domain": "simulated worlds",
    "verdict": "fail",
    "warning": "Its STR is not evidence.",
    "matters": ["str"],
}
PASSED = FAILED | {"check": "loop-motion", "title": "loop motion", "verdict": "pass"}


def write(path, judge, **changes):
    """Write a passport of `judge` and return its path."""
    known = identify(judge)
    document = {
        "schema": "assay.certify/1",
        "judge": {"name": known["name"]},
        "identity": known,
        "look": LOOK,
        "versions": {"assay": __version__},
        "checks": [FAILED, PASSED],
    }
    path.write_text(json.dumps(document | changes))
    return path


@pytest.fixture
def trained(tmp_path):
    """A trained judge: a folder with weights and a card."""
    folder = tmp_path / "my-judge"
    folder.mkdir()
    (folder / "card.json").write_text("{}")
    (folder / "judge.onnx").write_bytes(b"weights")
    return Sees(weights=folder)


def test_a_judge_without_a_passport_has_none():
    assert find_passport(make_judge("recorded")) is None


def test_a_trained_judge_keeps_its_passport_in_its_folder(trained):
    write(trained.weights / "passport.json", trained)
    found = find_passport(trained)
    assert found.path == trained.weights / "passport.json"
    assert found.stale == ""


def test_the_passport_itself_makes_no_other_judge(trained):
    before = identify(trained)
    write(trained.weights / "passport.json", trained)
    assert identify(trained) == before


def test_other_weights_make_the_passport_doubtful(trained):
    write(trained.weights / "passport.json", trained)
    (trained.weights / "judge.onnx").write_bytes(b"other weights")
    found = find_passport(trained)
    assert found.stale == "other code or weights (judge.onnx)"
    assert warnings_for(found)[0].startswith("The passport may not hold: it was made for other")


def test_other_known_scenes_make_the_passport_doubtful(trained):
    (trained.weights / "scenes.npz").write_bytes(b"scenes")
    write(trained.weights / "passport.json", trained)
    (trained.weights / "network.npz").write_bytes(b"to train on from, and never asked")
    assert find_passport(trained).stale == ""
    (trained.weights / "scenes.npz").write_bytes(b"other scenes")
    assert find_passport(trained).stale == "other code or weights (scenes.npz)"


def test_a_goal_counts_by_what_it_holds_and_not_by_its_place(tmp_path):
    for name, data in (("one", b"goal"), ("copy", b"goal"), ("other", b"another")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "front.png").write_bytes(data)
    path = write(tmp_path / "p.json", Sees(goal=tmp_path / "one"))
    same = find_passport(Sees(goal=tmp_path / "copy"), path)
    assert (same.stale, same.aside) == ("", "")
    none = find_passport(Sees(), path)
    assert (none.stale, none.aside) == ("other options (goal)", "")


def test_other_goal_pictures_are_told_and_make_no_other_judge(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "front.png").write_bytes(name.encode())
    path = write(tmp_path / "p.json", Sees(goal=tmp_path / "one"))
    found = find_passport(Sees(goal=tmp_path / "other"), path)
    assert found.stale == ""
    assert warnings_for(found, "ppl") == ["The passport was made with other goal pictures."]
    # What else is otherwise is still another judge.
    changed = find_passport(Sees(goal=tmp_path / "other", bias=0.1), path)
    assert changed.stale == "other options (bias)"
    # And two audits with different goals are still not compared as if by one judge.
    one, other = (identify(Sees(goal=tmp_path / name)) for name in ("one", "other"))
    assert difference(one, other) == "other options (goal)"


def test_a_judge_with_a_goal_has_the_passport_that_was_made_with_one(tmp_path):
    (tmp_path / "front.png").write_bytes(b"goal")
    plain = find_passport(make_judge("prm-mini"))
    aimed = find_passport(make_judge("prm-mini", {"goal": tmp_path}))
    assert (plain.path.name, aimed.path.name) == ("prm-mini.json", "prm-mini-with-goal.json")
    run = {line["check"]: line["verdict"] for line in aimed.lines()}
    assert run["goal-is-start"] in ("pass", "fail")
    # similarity-image has one passport, made with goals: it is taken, and is not doubted for them.
    only = find_passport(make_judge("similarity-image", {"goal": tmp_path}))
    assert only.path.name == "similarity-image.json"
    assert "goal" not in only.stale
    assert "The passport was made with other goal pictures." in warnings_for(only)


def test_of_a_very_large_file_size_and_ends_count(tmp_path, monkeypatch):
    monkeypatch.setattr(identity, "_WHOLE_BYTES", 8)
    monkeypatch.setattr(identity, "_END_BYTES", 2)
    known = []
    for number, data in enumerate(
        (b"ab...----yz", b"ab...++++yz", b"ab....----yz", b"aX...----yz")
    ):
        path = tmp_path / str(number)
        path.write_bytes(data)
        known.append(identify(Sees(goal=path))["files"]["option goal"])
    assert known[0] == known[1]
    assert len(set(known)) == 3


def test_another_version_makes_the_passport_doubtful(tmp_path):
    judge = make_judge("ramp")
    found = find_passport(judge, write(tmp_path / "p.json", judge, versions={"assay": "0.0.1"}))
    assert found.stale == f"another version of Assay (0.0.1, now {__version__})"


def test_other_options_make_the_passport_doubtful(tmp_path):
    path = write(tmp_path / "p.json", make_judge("constant"))
    found = find_passport(make_judge("constant", {"value": 0.25}), path)
    assert found.stale == "other options (value)"


def test_worlds_that_look_otherwise_make_the_passport_doubtful(tmp_path):
    judge = make_judge("ramp")
    found = find_passport(judge, write(tmp_path / "p.json", judge, look=LOOK - 1))
    assert found.stale == f"worlds of another look (version {LOOK - 1}, now {LOOK})"


def test_warnings_are_those_that_matter(tmp_path):
    judge = make_judge("ramp")
    found = find_passport(judge, write(tmp_path / "p.json", judge))
    sentence = "Its STR is not evidence. (static video, simulated worlds)"
    assert warnings_for(found) == warnings_for(found, "str") == [sentence]
    assert warnings_for(found, "ppl") == []


def test_a_failed_check_that_touches_no_column_is_no_warning(tmp_path):
    judge = make_judge("ramp")
    path = write(tmp_path / "p.json", judge, checks=[FAILED | {"matters": []}])
    assert warnings_for(find_passport(judge, path)) == []


@pytest.mark.parametrize(
    ("matters", "uses"),
    [
        (["str"], {"audit", "str"}),  # STR is a column of audits alone
        (["pairs"], {"bench", "pairs"}),  # and only pulse asks about pairs
        (["pairs", "mp"], {"audit", "bench", "pairs", "mp"}),
    ],
)
def test_a_report_warns_of_what_it_shows(tmp_path, matters, uses):
    judge = make_judge("ramp")
    path = write(tmp_path / "p.json", judge, checks=[FAILED | {"matters": matters}])
    found = find_passport(judge, path)
    asked = ("audit", "bench", "str", "mp", "pairs")
    assert {use for use in asked if warnings_for(found, use)} == uses


def test_the_summary_counts_by_domain_and_gives_no_grade(tmp_path):
    judge = make_judge("ramp")
    own = PASSED | {"domain": "your episodes"}
    path = write(tmp_path / "p.json", judge, checks=[own, FAILED, PASSED])
    assert read_passport(path).summary() == (
        "your episodes: 1 check passed, 0 failed; "
        "simulated worlds: 1 check passed, 1 failed (static video)"
    )


def test_the_passport_of_another_judge_is_refused(tmp_path):
    path = write(tmp_path / "p.json", make_judge("ramp"))
    with pytest.raises(InputError, match=r"is the passport of the judge ramp, not of constant\."):
        find_passport(make_judge("constant"), path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "can't be read as JSON"),
        ("[]", "is no passport: its schema is None"),
        ('{"schema": "assay.audit/1"}', "its schema is 'assay.audit/1', and 'assay.certify/1'"),
        ('{"schema": "assay.certify/1", "judge": {}}', "is no whole passport"),
        (
            '{"schema": "assay.certify/1", "judge": {"name": "ramp"}, "checks": [{}]}',
            "is no whole passport",
        ),
    ],
)
def test_what_is_no_passport_is_one_sentence(tmp_path, text, words):
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_passport(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_passport_that_is_not_there_is_an_error_when_it_was_named(tmp_path):
    with pytest.raises(InputError, match="can't be read"):
        find_passport(make_judge("ramp"), tmp_path / "nowhere.json")


def test_a_judge_does_not_differ_from_itself():
    known = identify(make_judge("constant"))
    assert difference(known, known) == ""
    assert known == {"name": "constant", "settings": {"value": 0.5}, "files": {}}


def test_a_function_is_known_by_its_code():
    known = identify(make_judge("judge_functions:brightness", outside=True))
    assert known["name"] == "judge_functions:brightness"
    assert len(known["files"]["code"]) == 64
