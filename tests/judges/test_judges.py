"""Every judge found in the folder keeps the contract, and the nulls give what they promise."""

import dataclasses
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import episodes_made as make
import pictures_made
from assay import plugins
from assay.errors import EpisodeError, UnknownNameError, UsageError
from assay.judges import check_judge, make_judge
from assay.judges._asking import ModelJudge
from assay.judges.base import Judge
from assay.records import Curve, Episode, Segment, Series, View
from models_loopback import loopback

TIMES = np.array([0.0, 1.0, 2.0, 4.0])


@dataclass(frozen=True)
class Brightness:
    """An encoder: the brighter a picture, the more it fits any words."""

    def check(self):
        pass

    def pictures(self, images):
        angles = np.array([image.mean() / 255 for image in images])
        return np.stack([np.sin(angles), np.cos(angles)], axis=1)

    def words(self, texts):
        return np.array([[1.0, 0.0]] * len(texts))


@pytest.fixture
def supplied(tmp_path, monkeypatch):
    """Yield what gives a judge the options without which it can't score the fixture's episode."""
    # the last frame of the fixture is grey level 40
    goal = pictures_made.save(tmp_path / "done.png", np.full((4, 6, 3), 40, np.uint8))
    monkeypatch.setattr("assay.judges.similarity_text.make_encoder", lambda text: Brightness())
    with loopback(tmp_path) as (model, _):
        known = {"goal": goal, "model": model, "encoder": "clip:/stub"}

        def options_of(name):
            fields = {f.name for f in dataclasses.fields(plugins.find("assay.judges", name))}
            return {option: value for option, value in known.items() if option in fields}

        yield options_of


@pytest.mark.parametrize("name", plugins.names("assay.judges"))
def test_every_judge_keeps_the_contract(name, supplied):
    judge = make_judge(name, supplied(name))
    check_judge(judge, make.full_episode(), TIMES)
    assert isinstance(judge, Judge)


def asking():
    """Return the names of the judges that ask a model."""
    found = {n: plugins.find("assay.judges", n) for n in plugins.names("assay.judges")}
    return [n for n, judge in found.items() if issubclass(judge, ModelJudge)]


def test_a_judge_and_its_model_in_one_word():
    model = "openai:Qwen3-VL-8B@http://localhost:8000/v1"
    short = make_judge(f"gvl@{model}", {"permutations": "1"})
    assert short == make_judge("gvl", {"model": model, "permutations": 1})
    assert make_judge(f"gvl@{model}", {"model": model}).model == model
    with pytest.raises(UsageError, match=r"Two models are given: gvl@openai:a and --set model=b"):
        make_judge("gvl@openai:a", {"model": "b"})
    with pytest.raises(UsageError, match="The judge prm-mini asks no model: leave out @openai:a"):
        make_judge("prm-mini@openai:a")
    with pytest.raises(UnknownNameError, match="Did you mean 'gvl'"):
        make_judge("gvll@openai:a", outside=True)


@pytest.mark.parametrize("text", ["(frames)", "(a, b, c)", "(*, frames, instruction)", "()"])
def test_a_function_that_takes_something_else_is_refused_at_once(text, tmp_path, monkeypatch):
    (tmp_path / "own_scores.py").write_text(f"def score{text}:\n    return []\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_scores", raising=False)
    with pytest.raises(UsageError, match=r"as score\(frames, instruction\)"):
        make_judge("own_scores:score", outside=True)


def test_a_folder_without_a_trained_judge_is_called_that(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("my-judge", "ramp"):
        (tmp_path / name).mkdir()
    with pytest.raises(UsageError, match=r"folder my-judge holds no trained judge, or one whose"):
        make_judge("my-judge")
    assert type(make_judge("ramp")) is plugins.find("assay.judges", "ramp")  # a name comes first


@pytest.mark.parametrize("name", asking())
def test_every_judge_that_asks_checks_its_model_and_its_prompt(name, supplied, tmp_path):
    make_judge(name, supplied(name)).check()
    with pytest.raises(UsageError, match=f"judge {name} asks a model and was given none"):
        make_judge(name).check()
    with pytest.raises(UnknownNameError, match="no provider named 'opneai'"):
        make_judge(name, {"model": "opneai:stub"}).check()
    own = tmp_path / "own.txt"
    own.write_text("What about {nothing}?")
    with pytest.raises(UnknownNameError, match=r"no field for the prompt .* named 'nothing'"):
        make_judge(name, {**supplied(name), "prompt": own}).check()


@pytest.mark.parametrize("name", plugins.names("assay.judges"))
def test_every_judge_says_in_one_line_what_it_does(name):
    assert plugins.describe("assay.judges", name).endswith((".", "judge."))


def test_ramp_follows_the_clock_not_the_index():
    # (0, 1, 2, 4) s over 4 s
    values = make_judge("ramp").progress(make.full_episode(), TIMES).values
    assert values.tolist() == [0.0, 0.25, 0.5, 1.0]


def test_ramp_of_one_moment_is_zero():
    assert make_judge("ramp").progress(make.full_episode(), TIMES[:1]).values.tolist() == [0.0]


def test_constant_takes_its_value_as_text():
    judge = make_judge("constant", {"value": "0.25"})
    assert set(judge.progress(make.full_episode(), TIMES).values) == {0.25}


def test_last_frame_knows_only_the_end():
    values = make_judge("last-frame").progress(make.full_episode(), TIMES).values
    assert values.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_random_is_decided_by_seed_and_episode():
    one, other = Episode(id="a", task="t"), Episode(id="b", task="t")
    first = make_judge("random").progress(one, TIMES).values
    assert np.array_equal(first, make_judge("random").progress(one, TIMES).values)
    assert not np.array_equal(first, make_judge("random").progress(other, TIMES).values)
    assert not np.array_equal(first, make_judge("random", {"seed": 1}).progress(one, TIMES).values)


def recorded(values):
    series = Series(np.arange(len(values), dtype=float), np.array(values))
    return Episode(id="e", task="t", signals={"progress": series})


def test_recorded_gives_the_curve_on_its_own_clock():
    episode = recorded([0.0, 0.5, 1.0])
    judge = make_judge("recorded")
    own = judge.clock(episode, None)
    assert own.tolist() == [0.0, 1.0, 2.0]
    assert judge.progress(episode, own).values.tolist() == [0.0, 0.5, 1.0]
    assert judge.clock(episode, 2.0).tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]


def test_recorded_can_take_another_signal():
    judge = make_judge("recorded", {"signal": "reward"})
    assert judge.needs == {"reward"}


def test_recorded_never_makes_a_number_of_a_missing_one():
    curve = make_judge("recorded").progress(recorded([0.0, np.nan, 1.0]), np.arange(3.0))
    assert curve.status.tolist() == ["ok", "missing_frame", "ok"]
    assert np.isnan(curve.values[1])
    assert curve.detail == "no progress at moment 1 (t = 1 s)"


def test_recorded_refuses_numbers_outside_and_names_the_moment():
    curve = make_judge("recorded").progress(recorded([0.0, 1.2, 1.0]), np.arange(3.0))
    assert curve.status.tolist() == ["ok", "invalid_value", "ok"]
    assert "progress 1.2 at moment 1 (t = 1 s) is outside 0..1" in curve.detail


def test_recorded_clips_on_request():
    judge = make_judge("recorded", {"clip": "true"})
    curve = judge.progress(recorded([-0.1, 1.2, 1.0]), np.arange(3.0))
    assert curve.values.tolist() == [0.0, 1.0, 1.0]


def test_recorded_without_a_curve_says_what_there_is():
    curve = make_judge("recorded").progress(Episode(id="e", task="t"), np.arange(3.0))
    assert set(curve.status) == {"no_reference"}
    assert "no recorded 'progress' (its signals: none)" in curve.detail


def test_oracle_counts_finished_subtasks():
    # two subtasks ending at 1 s and 3 s: 0 of 2 at t=0, 1 of 2 from 1 s, 2 of 2 from 3 s
    episode = Episode(id="e", task="t", segments=(Segment("b", 1, 3), Segment("a", 0, 1)))
    values = make_judge("oracle").progress(episode, TIMES).values
    assert values.tolist() == [0.0, 0.5, 0.5, 1.0]


def test_oracle_knows_the_subtasks_that_a_failure_never_came_to():
    # one of the plan's three subtasks was finished, twice: 1/3, not 1 and not 2/3
    segments = (Segment("reach", 0, 1), Segment("reach", 1, 2))
    episode = Episode(id="e", task="t", segments=segments, plan=("reach", "grasp", "lift"))
    values = make_judge("oracle").progress(episode, TIMES).values
    assert values == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])


def test_oracle_without_any_finished_subtask_is_at_zero():
    episode = Episode(id="e", task="t", plan=("reach", "grasp"))
    assert make_judge("oracle").progress(episode, TIMES).values.tolist() == [0, 0, 0, 0]


def test_oracle_can_be_told_the_number_of_subtasks():
    episode = Episode(id="e", task="t", segments=(Segment("reach", 0, 1),))
    judge = make_judge("oracle", {"subtasks": "4"})
    assert judge.progress(episode, TIMES).values.tolist() == [0, 0.25, 0.25, 0.25]


def test_oracle_takes_a_recorded_curve_for_truth_only_from_a_world():
    curve = make_judge("oracle").progress(recorded([0.0, 1.0]), np.arange(2.0))
    assert set(curve.status) == {"no_reference"}


def test_unknown_judge_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"no judge named 'rmap'. Did you mean 'ramp'"):
        make_judge("rmap")


def test_unknown_option_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"no option of Constant named 'valeu'.*'value'"):
        make_judge("constant", {"valeu": "1"})


def test_option_of_the_wrong_type_is_refused_in_one_sentence():
    with pytest.raises(UsageError, match="Option value of Constant can't be 'high'"):
        make_judge("constant", {"value": "high"})


def test_a_plain_function_is_a_judge():
    curve = make_judge("judge_functions:brightness", outside=True).progress(
        make.full_episode(), TIMES
    )
    # frame k of the fixture is grey level 10 * k, shown at t = k
    assert curve.values == pytest.approx(np.array([0, 10, 20, 40]) / 255)


def test_a_function_may_name_its_view_and_keeps_to_its_length():
    views = {"front": View(make.GreyFrames(5)), "wrist": View(make.GreyFrames(3))}
    episode = make.full_episode(views=views)
    judge = make_judge("judge_functions:brightness", {"view": "wrist"}, outside=True)
    assert judge.clock(episode, 1.0).tolist() == [0.0, 1.0, 2.0]


def test_a_function_without_its_view_says_what_there_is():
    judge = make_judge("judge_functions:brightness", {"view": "top"}, outside=True)
    with pytest.raises(EpisodeError, match="looks at the view 'top'; the episode's views: front"):
        judge.progress(make.full_episode(), TIMES)


def test_a_function_is_not_given_more_frames_than_memory_allows():
    judge = make_judge("judge_functions:brightness", {"max_gb": "1e-7"}, outside=True)
    with pytest.raises(EpisodeError, match=r"4 frames of view 'front' need .* lower --fps"):
        judge.progress(make.full_episode(), TIMES)


def test_a_function_that_returns_words_is_unparsed():
    judge = make_judge("judge_functions:words", outside=True)
    with pytest.raises(EpisodeError, match="must return numbers") as caught:
        judge.progress(make.full_episode(), TIMES)
    assert caught.value.status == "unparsed"


def test_complex_numbers_are_no_progress():
    judge = make_judge("judge_functions:imaginary", outside=True)
    with pytest.raises(EpisodeError, match="must return real numbers"):
        judge.progress(make.full_episode(), TIMES)


def test_a_masked_number_is_absent_not_its_leftover_value():
    judge = make_judge("judge_functions:masked", outside=True)
    curve = judge.progress(make.full_episode(), TIMES)
    assert curve.status.tolist() == ["unparsed", "ok", "ok", "ok"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("raise RuntimeError('no GPU')", "can't be imported (RuntimeError: no GPU)"),
        ("def (", "can't be imported (SyntaxError"),
        ("import sys; sys.exit(5)", "can't be imported (SystemExit: 5)"),
    ],
)
def test_a_module_that_fails_on_import_is_one_sentence(tmp_path, monkeypatch, text, sentence):
    monkeypatch.syspath_prepend(tmp_path)
    name = f"broken_{len(text)}"
    (tmp_path / f"{name}.py").write_text(text)
    with pytest.raises(UsageError) as caught:
        make_judge(f"{name}:judge", outside=True)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_an_option_that_is_no_number_is_refused(value):
    with pytest.raises(UsageError, match="must be a finite number"):
        make_judge("constant", {"value": value})


def test_a_function_that_returns_too_few_numbers_is_named():
    with pytest.raises(EpisodeError, match="4 frames went in, shape \\(1,\\) came out") as caught:
        make_judge("judge_functions:too_few", outside=True).progress(make.full_episode(), TIMES)
    assert caught.value.status == "invalid_value"


def test_a_missing_module_is_one_sentence():
    with pytest.raises(UsageError, match="there is no module 'nowhere_at_all'"):
        make_judge("nowhere_at_all:judge", outside=True)


def test_a_name_reaches_outside_code_only_when_a_person_typed_it():
    with pytest.raises(UnknownNameError, match="no judge named 'judge_functions:brightness'"):
        make_judge("judge_functions:brightness")


@dataclass(frozen=True)
class Overshooting:
    """Break the contract on purpose."""

    bound: ClassVar[str] = "cpu"
    needs: ClassVar[frozenset[str]] = frozenset()
    noise: ClassVar[None] = None

    def clock(self, episode, fps):
        return TIMES

    def progress(self, episode, times):
        return Curve(times, np.full(len(times), 1.5), np.full(len(times), "ok"))


def test_the_checker_sees_numbers_outside():
    with pytest.raises(UsageError, match=r"Overshooting must keep progress in 0..1"):
        check_judge(Overshooting(), make.full_episode(), TIMES)


def test_the_checker_sees_what_is_no_judge():
    with pytest.raises(UsageError, match="must be a frozen dataclass"):
        check_judge(object(), make.full_episode(), TIMES)


def test_dice_take_no_seed_below_zero() -> None:
    with pytest.raises(UsageError, match="seed of random must be 0 or more, not -1"):
        make_judge("random", {"seed": -1})
