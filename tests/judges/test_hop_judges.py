"""vlm-pairwise, vlac and dopamine, with a model that reads progress from grey levels.

Frame k of the fixture has the grey level 10 k and is shown at k seconds; level 40 is the goal.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest

import episodes_made as make
import pictures_made
from assay.errors import InputError, UsageError
from assay.judges import make_judge
from assay.models.base import Reply
from assay.models.session import ModelSettings, opened
from assay.records import View
from models_told import MODEL, levels, listen, text_of

TIMES = np.arange(5.0)


@dataclass(frozen=True)
class Levels:
    """Frames of the given grey levels, one a second."""

    levels: tuple = field(default=(0, 10, 20, 30, 40))

    def key(self):
        return f"levels:{self.levels}"

    def clock(self):
        return np.arange(float(len(self.levels)))

    def at(self, times):
        for t in times:
            yield np.full((32, 48, 3), self.levels[int(t)], dtype=np.uint8)


def episode_of(*shown, **views):
    return make.full_episode(
        views={"front": View(Levels(shown)), **{name: View(f) for name, f in views.items()}}
    )


def picture(level):
    return np.full((32, 48, 3), level, dtype=np.uint8)


@pytest.fixture
def goal(tmp_path):
    return pictures_made.save(tmp_path / "done.png", picture(40))


def hop_of(before, after):
    """The true hop between two levels, in percent."""
    low, high = before / 40, after / 40
    return 100 * ((high - low) / (1 - low) if high >= low else (high - low) / low)


def percent(request):
    before, after = levels(request)[-2:]
    return {"score": hop_of(before, after)}


def sign(request):
    before, after = levels(request)[-2:]
    return {"answer": "+1" if after > before else "-1"}


def pairs(told):
    return sorted(tuple(levels(request)[-2:]) for request in told.requests)


def judge_of(name, **options):
    return make_judge(name, {"model": MODEL, **options})


def test_pairwise_counts_steps_and_asks_once_per_step(monkeypatch):
    told = listen(monkeypatch, sign)
    curve = judge_of("vlm-pairwise").progress(episode_of(0, 20, 10, 30, 40), TIMES)
    # up, down, up, up: each of the 4 steps is worth 1/4
    assert curve.values == pytest.approx([0, 0.25, 0, 0.25, 0.5])
    assert pairs(told) == [(0, 20), (10, 30), (20, 10), (30, 40)]
    assert set(curve.status) == {"ok"}


def test_pairwise_shows_task_start_goal_and_all_views(monkeypatch, tmp_path):
    told = listen(monkeypatch, lambda request: {"answer": "+1"})
    goals = tmp_path / "goals"
    pictures_made.save(goals / "front.png", picture(40))
    pictures_made.save(goals / "side.png", picture(50))
    judge = judge_of("vlm-pairwise", goal=str(goals))
    judge.progress(episode_of(0, 10, side=Levels((100, 110))), TIMES[:2])
    (request,) = told.requests
    # start, goal, before, after, each from the front and from the side
    assert levels(request) == [0, 100, 40, 50, 0, 100, 10, 110]
    said = text_of(request)
    assert "lift the red block" in said
    assert "FIRST:  front: <picture> side: <picture>" in said


def test_what_is_not_given_is_not_spoken_of(monkeypatch):
    told = listen(monkeypatch, sign)
    judge_of("vlm-pairwise").hop("push", {"f": picture(0)}, {"f": picture(10)}, None, None)
    said = text_of(told.requests[0])
    assert said.count("<picture>") == 2
    assert "finished, taken from" not in said
    assert "began" not in said


def test_pairwise_asks_by_schema_for_plus_or_minus_one(monkeypatch):
    told = listen(monkeypatch, sign)
    judge_of("vlm-pairwise").progress(episode_of(0, 10), TIMES[:2])
    assert told.requests[0].schema["properties"]["answer"]["enum"] == ["+1", "-1"]


@pytest.mark.parametrize("text", ["0", '{"answer": 0}', "I can't decide.", "Answer: 0"])
def test_an_undecided_model_is_unparsed(monkeypatch, text):
    told = listen(monkeypatch, lambda request: text)
    judged = judge_of("vlm-pairwise").hop("push", {"f": picture(0)}, {"f": picture(10)}, None, None)
    assert (judged.value, judged.status, judged.calls) == (None, "unparsed", 4)
    assert len(told.requests) == 4


def test_several_answers_vote_and_a_draw_is_no_answer(monkeypatch):
    def seen(request):
        return {"answer": "+1" if request.sample < 2 else "-1"}

    told = listen(monkeypatch, seen)
    moments = {"f": picture(0)}, {"f": picture(10)}, None, None
    assert judge_of("vlm-pairwise", samples="3").hop("push", *moments).value == 1
    assert {request.sampling.temperature for request in told.requests} == {0.7}
    split = judge_of("vlm-pairwise", samples="4").hop("push", *moments)
    assert (split.status, split.calls) == ("unparsed", 4)


def test_least_squares_asks_the_band_and_reports_the_residual(monkeypatch):
    told = listen(monkeypatch, sign)
    judge = judge_of("vlm-pairwise", integrator="least-squares", reach="2")
    curve = judge.progress(episode_of(0, 10, 20, 30, 40), TIMES)
    # all up: the ramp fulfils every equation; 4 pairs of neighbours and 3 over one
    assert curve.values == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert len(told.requests) == 7
    assert curve.detail == "least-squares over 7 pairs, residual 0.000"


def test_contradictions_show_in_the_residual(monkeypatch):
    def twisted(request):
        before, after = levels(request)[-2:]
        return {"score": -50 if after - before == 20 else 50}

    listen(monkeypatch, twisted)
    judge = judge_of("vlac", integrator="least-squares", reach="2")
    curve = judge.progress(episode_of(0, 10, 20, 30, 40), TIMES)
    assert float(curve.detail.rpartition(" ")[2]) > 0.1


def test_vlac_follows_its_hops(monkeypatch):
    told = listen(monkeypatch, percent)
    curve = judge_of("vlac").progress(episode_of(0, 20, 10, 30, 40), TIMES)
    assert curve.values == pytest.approx([0, 0.5, 0.25, 0.75, 1])
    assert len(told.requests) == 4
    assert told.requests[0].schema is None, "a critic answers in its own form"


def test_vlac_sees_one_view_and_takes_its_own_prompt_and_scale(monkeypatch, tmp_path):
    told = listen(monkeypatch, lambda request: "[+5]")
    own = tmp_path / "own.txt"
    own.write_text("{before}{after} critic of {instruction}?")
    judge = judge_of("vlac", prompt=str(own), scale="10")
    curve = judge.progress(episode_of(0, 10, side=Levels((100, 110))), TIMES[:2])
    assert curve.values == pytest.approx([0, 0.5])
    assert text_of(told.requests[0]) == "<picture><picture> critic of lift the red block?"
    assert levels(told.requests[0]) == [0, 10]


def test_dopamine_fuses_three_true_estimates_without_residual(monkeypatch, goal):
    told = listen(monkeypatch, percent)
    curve = judge_of("dopamine", goal=str(goal)).progress(episode_of(0, 20, 10, 30, 30), TIMES)
    assert curve.values == pytest.approx([0, 0.5, 0.25, 0.75, 0.75])
    assert curve.detail == "fused over 12 pairs, residual 0.000"
    # in line 3 (the last two frames are alike), from the start 2 more (the first is in line
    # already, the last two are alike), from the goal 4 (again)
    assert len(set(pairs(told))) == 3 + 2 + 4


def test_dopamine_takes_the_mean_of_what_it_is_told(monkeypatch, goal):
    def told_apart(request):
        before, after = levels(request)[-2:]
        if before == 40:
            return {"score": -100 if after == 0 else -60}  # from the goal: 0 and .4
        return {"score": 20}  # from the start, which is also the moment before: .2 and .2

    listen(monkeypatch, told_apart)
    curve = judge_of("dopamine", goal=str(goal)).progress(episode_of(0, 10), TIMES[:2])
    assert curve.values == pytest.approx([0, (0.2 + 0.2 + 0.4) / 3])
    # deviations from .2667: .0667, .0667, .1333 and three times 0; rms sqrt(.02667 / 6)
    assert curve.detail.endswith("residual 0.067")


def test_dopamine_anchors_alone(monkeypatch, goal):
    told = listen(monkeypatch, percent)
    judge = judge_of("dopamine", goal=str(goal), integrator="anchored")
    curve = judge.progress(episode_of(0, 10, 20), TIMES[:3])
    assert curve.values == pytest.approx([0, 0.25, 0.5])
    assert pairs(told) == [(0, 10), (0, 20), (40, 0), (40, 10), (40, 20)]


@pytest.mark.parametrize(
    ("mode", "values", "questions"),
    [
        # From the start, hops of .2 and -.3: a loss there is no progress.
        ("forward", [0, 0.2, 0], [(0, 10), (0, 20)]),
        # From the goal, hops of -1, -.6 and +.1: what goes beyond the goal is done.
        ("backward", [0, 0.4, 1], [(40, 0), (40, 10), (40, 20)]),
    ],
)
def test_dopamine_goes_by_one_anchor(monkeypatch, goal, mode, values, questions):
    said = {(0, 10): 20, (0, 20): -30, (40, 0): -100, (40, 10): -60, (40, 20): 10}
    told = listen(monkeypatch, lambda request: {"score": said[tuple(levels(request)[-2:])]})
    judge = judge_of("dopamine", goal=str(goal), integrator=mode)
    curve = judge.progress(episode_of(0, 10, 20), TIMES[:3])
    assert curve.values == pytest.approx(values)
    assert curve.detail == ""  # one estimate contradicts nothing
    assert pairs(told) == questions


@pytest.mark.parametrize(
    ("name", "options"),
    [("dopamine", {}), ("vlac", {"integrator": "anchored"})],
)
def test_a_missing_goal_is_told_before_anything_is_asked(monkeypatch, name, options):
    told = listen(monkeypatch, percent)
    curve = judge_of(name, **options).progress(episode_of(0, 10), TIMES[:2])
    assert set(curve.status) == {"no_reference"}
    assert "pass --goal IMAGE or --goal DIR" in curve.detail
    assert told.requests == []


def test_dopamine_hops_need_a_goal_and_take_the_one_given(monkeypatch):
    listen(monkeypatch, percent)
    judge = judge_of("dopamine")
    moments = {"f": picture(0)}, {"f": picture(10)}
    without = judge.hop("push", *moments, None, None)
    assert (without.status, without.value) == ("no_reference", None)
    assert judge.hop("push", *moments, None, {"f": picture(40)}).value == pytest.approx(0.25)


def test_a_goal_that_looks_like_the_start_tells_no_way(monkeypatch, goal):
    told = listen(monkeypatch, percent)
    curve = judge_of("dopamine", goal=str(goal)).progress(episode_of(40, 10), TIMES[:2])
    assert set(curve.status) == {"no_reference"}
    assert curve.detail == "the goal looks like the start (view front), so it tells no way"
    same = {"f": picture(40)}
    hop = judge_of("dopamine").hop("push", {"f": picture(0)}, {"f": picture(10)}, same, same)
    assert hop.status == "no_reference"
    assert told.requests == []


def test_a_goal_of_another_view_is_named(monkeypatch, tmp_path):
    listen(monkeypatch, percent)
    goals = pictures_made.save(tmp_path / "goals" / "wrist.png", picture(40)).parent
    curve = judge_of("dopamine", goal=str(goals)).progress(episode_of(0, 10), TIMES[:2])
    assert set(curve.status) == {"no_reference"}
    assert "it holds wrist.png" in curve.detail


def failing(pair, reply):
    def say(request):
        return reply if tuple(levels(request)[-2:]) == pair else percent(request)

    return say


def test_after_a_failed_hop_no_later_moment_has_a_value(monkeypatch):
    listen(monkeypatch, failing((10, 20), Reply(status="refused", detail="no people, please")))
    curve = judge_of("vlac").progress(episode_of(0, 10, 20, 30), TIMES[:4])
    assert curve.status.tolist() == ["ok", "ok", "refused", "refused"]
    assert curve.values[:2] == pytest.approx([0, 0.25])
    assert np.isnan(curve.values[2:]).all()
    assert curve.detail == (
        "1 of 3 hops have no value, the first from 1 s to 2 s: no people, please"
    )


def test_least_squares_goes_round_a_failed_hop_and_says_so(monkeypatch):
    listen(monkeypatch, failing((10, 20), Reply(status="transport", detail="cut")))
    judge = judge_of("vlac", integrator="least-squares", reach="2")
    curve = judge.progress(episode_of(0, 10, 20, 30), TIMES[:4])
    assert curve.values == pytest.approx([0, 0.25, 0.5, 0.75])
    assert "1 of 5 hops have no value" in curve.detail


def test_least_squares_loses_only_what_is_cut_off(monkeypatch):
    listen(monkeypatch, failing((10, 20), Reply(status="transport", detail="cut")))
    judge = judge_of("vlac", integrator="least-squares", reach="1")
    curve = judge.progress(episode_of(0, 10, 20, 30), TIMES[:4])
    assert curve.status.tolist() == ["ok", "ok", "transport", "transport"]


def test_anchors_lose_only_the_moment_that_failed(monkeypatch, goal):
    listen(monkeypatch, failing((40, 10), Reply(status="truncated", detail="too long")))
    judge = judge_of("dopamine", goal=str(goal), integrator="anchored")
    curve = judge.progress(episode_of(0, 10, 20), TIMES[:3])
    assert curve.status.tolist() == ["ok", "truncated", "ok"]
    assert "from the goal to 1 s" in curve.detail


def test_moments_that_begin_late_are_tied_to_the_start(monkeypatch):
    told = listen(monkeypatch, percent)
    curve = judge_of("vlac").progress(episode_of(0, 10, 20, 30), np.array([2.0, 3.0]))
    assert curve.values == pytest.approx([0.5, 0.75])
    assert pairs(told) == [(0, 20), (20, 30)]


def test_the_same_picture_twice_is_no_progress_and_no_question(monkeypatch):
    told = listen(monkeypatch, percent)
    curve = judge_of("vlac").progress(episode_of(0, 10, 10, 10), TIMES[:4])
    assert curve.values == pytest.approx([0, 0.25, 0.25, 0.25])
    assert len(told.requests) == 1


def test_one_moment_is_the_start_and_asks_nothing(monkeypatch):
    told = listen(monkeypatch, sign)
    assert judge_of("vlm-pairwise").progress(episode_of(0, 10), TIMES[:1]).values.tolist() == [0]
    assert told.requests == []


def test_two_moments_without_a_common_view_are_not_compared(monkeypatch):
    listen(monkeypatch, sign)
    judged = judge_of("vlm-pairwise").hop("push", {"a": picture(0)}, {"b": picture(0)}, None, None)
    assert (judged.value, judged.status) == (None, "missing_frame")


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("reach", "0", "Option reach of vlac must be from 1 to 100 moments, not 0"),
        ("scale", "0", "Option scale of vlac must be above 0, not 0"),
        ("side", "8", "Option side of vlac must be from 16 to 4096 pixels, not 8"),
        ("samples", "0", "Option samples of vlac must be from 1 to 64, not 0"),
        ("temperature", "3", "Option temperature of vlac must be from 0 to 2, not 3"),
        ("max_tokens", "0", "Option max_tokens of vlac must be from 1 to 131072, not 0"),
        ("integrator", "sum", "Option integrator of Vlac can't be 'sum'"),
    ],
)
def test_options_that_can_not_be_are_refused(option, value, sentence):
    with pytest.raises(UsageError, match=sentence):
        judge_of("vlac", **{option: value})


def test_without_a_model_the_option_and_an_example_are_named():
    with pytest.raises(UsageError, match=r"vlac asks a model .*--set model=.*openai:Qwen3-VL"):
        make_judge("vlac").check()


def test_a_goal_that_is_not_there_stops_before_anything_is_spent(monkeypatch, tmp_path):
    listen(monkeypatch, percent)
    with pytest.raises(InputError):
        judge_of("dopamine", goal=str(tmp_path / "nothing")).check()


@pytest.mark.parametrize(
    ("name", "options", "calls"),
    [
        ("vlm-pairwise", {}, 4),  # T - 1
        ("vlac", {"integrator": "least-squares", "reach": "2"}, 7),  # 4 neighbours, 3 over one
        ("vlac", {"samples": "3"}, 12),  # 3 (T - 1)
        ("dopamine", {"integrator": "anchored"}, 8),  # 2 T - 1, but the last frame is the goal
        ("dopamine", {"integrator": "forward"}, 4),  # T - 1
        ("dopamine", {}, 11),  # 3 T - 3, as above
    ],
)
def test_the_number_of_questions_is_known_before(tmp_path, goal, name, options, calls):
    judge = judge_of(name, **options, **({"goal": goal} if name == "dopamine" else {}))
    with opened(ModelSettings(ledger=tmp_path / "ledger.sqlite", plan=True)) as session:
        curve = judge.progress(episode_of(0, 10, 20, 30, 40), TIMES)
        (usage,) = session.usage().values()
    assert usage.calls == calls
    assert curve.status.tolist()[1:] == ["transport"] * 4
    assert "planned, not sent" in curve.detail
