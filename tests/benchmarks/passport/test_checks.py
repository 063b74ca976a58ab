"""Every check on drawn episodes: values that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from assay import plugins
from assay.benchmarks.passport.checks.base import Check
from assay.benchmarks.passport.examining import Examiner, checks, lines_of, missing, novel_share
from assay.benchmarks.passport.lines import EPISODES, WORLDS
from assay.benchmarks.passport.probing import Probe
from assay.judges import make_judge
from assay.records import Curve, Unreadable
from passport_made import Sees, drawn_episode, material_of

FOLDER = "assay.benchmarks.passport.checks"
CHECKS = checks()


def value(name, judge, material):
    """Return what one check measures."""
    return CHECKS[name].measure(Probe(judge), material)["value"]


def verdicts(judge, *materials, domain=EPISODES):
    """Return title -> verdict of all lines of a domain."""
    results = [Examiner(judge).examine(material) for material in materials]
    return {line["title"]: line["verdict"] for line in lines_of(judge, results, domain)}


@pytest.mark.parametrize("name", plugins.names(FOLDER))
def test_every_check_keeps_the_contract(name, rising, sees):
    check: Check = plugins.find(FOLDER, name)()
    assert check.kind in ("episode", "looks", "goals", "hidden")
    lines = check.conclude(name, [{"why": "no frames"}], "")
    assert {line.verdict for line in lines} == {"not measured"}
    assert {line.why for line in lines} <= {"no frames", "there was nothing to measure it on"}
    assert plugins.describe(FOLDER, name).endswith(".")
    if check.limit is not None:
        assert check.limit.source
        assert check.wording.failed
        assert check.wording.warning


# Brightness of `rising` goes from 0 to 200/255 = 0.784; a clock goes from 0 to 1.


def test_a_still_video_moves_the_clock_and_not_the_eye(rising, sees):
    assert value("static-video", make_judge("ramp"), rising) == 1.0
    assert value("static-video", make_judge("constant"), rising) == 0.0
    assert value("static-video", sees, rising) == 0.0


def test_a_reversed_video_ends_where_the_episode_began(rising, sees):
    assert value("time-reversal", make_judge("ramp"), rising) == 1.0
    assert value("time-reversal", make_judge("oracle"), rising) == 0.0
    assert value("time-reversal", sees, rising) == 0.0


def test_a_loop_ends_where_it_began(rising, sees):
    assert value("loop-motion", make_judge("last-frame"), rising) == 1.0
    assert value("loop-motion", make_judge("recorded"), rising) == 0.0
    assert value("loop-motion", sees, rising) == 0.0


def test_every_second_frame_keeps_its_score(rising, sees):
    assert value("frame-rate", sees, rising) == 0.0
    # dice are thrown anew for another number of moments: |u - v| is 1/3 on average
    assert 0.1 < value("frame-rate", make_judge("random"), rising) < 0.6


def test_noise_changes_brightness_by_the_formula(sees):
    # at grey level 127.5 of 255: 0.9 * 0.5 + 0.1 e averages 0.45, so the change is 0.05
    grey = material_of([127, 128] * 4)
    assert value("image-noise", sees, grey) == pytest.approx(0.05, abs=0.01)
    assert value("image-noise", make_judge("ramp"), grey) == 0.0


def test_the_same_question_gets_the_same_answer(rising, sees):
    assert value("repeatability", make_judge("random"), rising) == 0.0
    assert value("repeatability", sees, rising) == 0.0


def test_nearby_moments_are_told_apart_by_who_looks(rising, sees):
    assert value("nearby-pairs", make_judge("constant"), rising) == 0.0
    assert value("nearby-pairs", sees, rising) == 1.0


def test_moments_that_don_t_differ_tell_nothing(sees):
    found = Examiner(sees).examine(material_of([50] * 10))["findings"]["nearby-pairs"]
    assert found == {"why": "fewer than 3 pairs of moments differ"}


def test_hops_that_add_up_have_no_residual(rising):
    # E(a,c) - E(a,b) - E(b,c) = -bias; E(a,b) + E(b,a) = 2 bias
    assert value("macro-residual", Sees(), rising) == pytest.approx(0.0, abs=1e-12)
    assert value("macro-residual", Sees(bias=0.1), rising) == pytest.approx(0.1)
    assert value("order-swap", Sees(bias=0.1), rising) == pytest.approx(0.2)


def test_what_accumulates_depends_on_the_rate_only_if_hops_are_biased(rising):
    # 4 s: 4, 8 and 20 steps at 1, 2 and 5 a second; bias adds up to 0.04, 0.08 and 0.2
    assert value("scale-drift", Sees(), rising) == pytest.approx(0.0, abs=1e-12)
    assert value("scale-drift", Sees(bias=0.01), rising) == pytest.approx(0.16)
    # 20 steps of 0.2 too much against 4 of them: 3.2, told as 2
    assert value("scale-drift", Sees(bias=0.2), rising) == 2.0


def test_a_goal_that_is_the_start_earns_nothing(rising):
    assert value("goal-is-start", Sees(), rising) == 0.0


def test_a_judge_of_states_adds_up_by_construction(rising):
    lines = CHECKS["macro-residual"].conclude(
        "macro-residual", [], CHECKS["macro-residual"].unfit(Probe(make_judge("ramp")))
    )
    assert lines[0].verdict == "not measured"
    assert "adds up by construction" in lines[0].why


def test_calibration_is_the_distance_from_the_truth(known):
    # truth is 0 .. 200/255; a constant 0.5 is off by mean |k 10/255 - 0.5|, k = 0..20
    expected = np.mean([abs(k * 10 / 255 - 0.5) for k in range(21)])
    assert value("calibration", make_judge("constant"), known) == pytest.approx(expected)
    (line,) = CHECKS["calibration"].conclude(
        "calibration", [CHECKS["calibration"].measure(Probe(make_judge("oracle")), known)], ""
    )
    # tenths of 0..0.784: the oracle's bins lie on the diagonal, 21 moments in all
    bins = line.drawn["bins"]
    assert sum(place["n"] for place in bins) == 21
    assert all(place["score"] == pytest.approx(place["truth"]) for place in bins)


def test_order_is_told_apart_for_successes_and_failures():
    up, down = list(range(0, 210, 10)), list(range(200, -10, -10))
    good = material_of(up, WORLDS)
    bad = material_of(down, WORLDS, id="down", outcome=False)
    found = verdicts(make_judge("ramp"), good, bad, domain=WORLDS)
    # the clock is right on what rises and upside down on what falls
    assert found["order of moments, successes"] == "pass"
    assert found["order of moments, failures"] == "fail"
    assert found["pulse, anti-time pairs"] == "fail"
    assert verdicts(make_judge("oracle"), good, bad, domain=WORLDS)["pulse, all pairs"] == "pass"


def test_nulls_have_passports_that_differ(rising):
    ramp, constant, random, last = (
        verdicts(make_judge(name), rising) for name in ("ramp", "constant", "random", "last-frame")
    )
    clocks = ("static video", "time reversal", "loop motion")
    assert [ramp[check] for check in clocks] == ["fail"] * 3
    assert [last[check] for check in clocks] == ["fail"] * 3
    assert [constant[check] for check in clocks] == ["pass"] * 3
    assert (ramp["nearby pairs told apart"], constant["nearby pairs told apart"]) == (
        "pass",
        "fail",
    )
    assert (random["static video"], random["frame-rate change"]) == ("fail", "fail")
    assert random["repeatability"] == "pass"


def test_a_judge_without_eyes_is_not_praised_for_what_it_can_t_see(rising, sees):
    told = {}
    for judge in (make_judge("ramp"), sees):
        lines = lines_of(judge, [Examiner(judge).examine(rising)], EPISODES)
        told[judge] = next(x["meaning"] for x in lines if x["check"] == "image-noise")
    assert told[make_judge("ramp")] == "It looks at no pictures, so nothing in them can sway it."
    assert told[sees].startswith("Grainy pictures get about the same")


def test_truth_is_never_asked_of_your_episodes(rising, sees):
    assert "calibration" not in verdicts(sees, rising)


class Broken(Sees):
    """Fails on pictures under noise, and on nothing else."""

    def progress(self, episode, times):
        if "noise" in episode.views["front"].frames.key():
            raise ZeroDivisionError("a bug in the judge")
        return super().progress(episode, times)


def test_a_judge_that_breaks_on_one_video_is_checked_on_the_others(rising):
    judge = Broken()
    (line,) = [
        line
        for line in lines_of(judge, [Examiner(judge).examine(rising)], EPISODES)
        if line["check"] == "image-noise"
    ]
    assert line["verdict"] == "not measured"
    assert line["why"] == "the judge failed: ZeroDivisionError: a bug in the judge"
    assert verdicts(judge, rising)["static video"] == "pass"


def test_unscored_moments_are_no_zeros(rising):
    found = verdicts(make_judge("recorded", {"signal": "reward"}), rising)
    assert set(found.values()) == {"not measured"}


class Wary(Sees):
    """Says of half of the moments that it has not seen such a scene."""

    def progress(self, episode, times):
        plain = super().progress(episode, times)
        return Curve(plain.times, plain.values, plain.status, "", np.arange(len(times)) % 2 == 0)


def test_the_share_of_strange_moments_is_kept(rising, sees):
    # 21 moments, of which 0, 2, ..., 20 are strange: 11 of 21
    results = [Examiner(Wary()).examine(rising)]
    assert novel_share(results, EPISODES) == pytest.approx(11 / 21)
    assert novel_share([Examiner(sees).examine(rising)], EPISODES) is None


def test_an_episode_that_can_t_be_read_is_counted(rising, sees):
    bad = missing(Unreadable("e", "the file is cut off"), "the file is cut off")
    results = [Examiner(sees).examine(rising), bad]
    line = next(x for x in lines_of(sees, results, EPISODES) if x["check"] == "static-video")
    assert line["why"] == "1 of 2 not measured, the first: the file is cut off"
    # at worst the missing one moved from 0 to 1: (0 + 1) / 2
    assert (line["value"]["value"], line["value"]["worst"]) == (0.0, 0.5)


def test_episodes_without_frames_can_be_checked_by_their_signals():
    material = material_of(list(range(0, 210, 10)), views={})
    found = verdicts(make_judge("recorded"), material)
    assert found["time reversal"] == "pass"
    assert found["image noise"] == "not measured"


def test_a_drawn_episode_has_what_it_says():
    episode = drawn_episode([0, 255, 0, 255])
    assert episode.at("progress", np.array([0.2])).tolist() == [1.0]
