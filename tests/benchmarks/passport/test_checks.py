"""Every check on drawn episodes: values that can be worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from assay import plugins
from assay.benchmarks.passport.checks._pairs import Pairs
from assay.benchmarks.passport.checks.base import Check
from assay.benchmarks.passport.examining import Examiner, checks, lines_of, missing, novel_share
from assay.benchmarks.passport.frames import StoredFrames
from assay.benchmarks.passport.lines import EPISODES, WORLDS
from assay.benchmarks.passport.material import recorded
from assay.benchmarks.passport.probing import Probe
from assay.benchmarks.pulse.hops import hop
from assay.errors import EpisodeError, RunError
from assay.judges import make_judge
from assay.records import Curve, Judged, Unreadable, View
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


def test_nearby_moments_of_a_long_episode_are_half_a_second_apart():
    # 94 s in 48 moments, 2 s apart. Brightness changes by 20 every half second, to and fro, so
    # moments 2 s apart look alike, and those half a second apart never do.
    long = recorded(drawn_episode([100, 120] * 94 + [100], fps=2.0))
    assert np.diff(long.times) == pytest.approx(2.0)
    assert value("nearby-pairs", Sees(), long) == 1.0
    assert value("nearby-pairs", make_judge("constant"), long) == 0.0


def test_moments_that_don_t_differ_tell_nothing(sees):
    found = Examiner(sees).examine(material_of([50] * 10))["findings"]["nearby-pairs"]
    assert found == {"why": "fewer than 3 pairs of moments differ"}


class Shares(Sees):
    """Its hops are shares of what was left, or of what was done."""

    def hop(self, task, before, after, start, goal):
        p, q = (float(shown["front"].mean()) / 255 for shown in (before, after))
        return Judged(hop(p, q))


class Steady(Sees):
    """Its hops are 0.5, whatever they show."""

    def hop(self, task, before, after, start, goal):
        return Judged(0.5)


def test_hops_that_lead_to_the_same_place_have_no_residual(rising):
    # the hop of p to q leads from p to q, so two of them lead where one does
    assert value("macro-residual", Shares(), rising) == pytest.approx(0.0, abs=1e-12)
    falling = material_of(list(range(200, -10, -10)))
    assert value("macro-residual", Shares(), falling) == pytest.approx(0.0, abs=1e-12)


def test_hops_that_lead_elsewhere_have_a_residual():
    # from p = 0.2 one step of 0.5 leads to 0.6 and two lead to 0.8, whatever the triple
    still = material_of([51] * 10)
    assert value("macro-residual", Steady(), still) == pytest.approx(0.2)


def test_the_order_of_two_pictures_must_not_matter(rising):
    # brightness differs by at least 10/255 = 0.039: a bias of 0.01 turns no sign;
    # where it differs by 1/255 at most, one of 0.5 makes every answer a gain
    assert value("order-swap", Sees(bias=0.01), rising) == 0.0
    assert value("order-swap", Sees(bias=0.5), material_of([0, 1] * 5)) == 1.0
    # hops of 1/2 forward and -2/3 back differ in size alone
    assert value("order-swap", Shares(), rising) == 0.0


def test_two_pictures_that_are_the_same_may_be_swapped():
    still = material_of([51] * 10)
    assert value("order-swap", Sees(), still) == 0.0
    assert value("order-swap", Sees(bias=0.0005), still) == 0.0  # nothing, to a thousandth
    assert value("order-swap", Steady(), still) == 1.0  # a gain both ways


@dataclass(frozen=True)
class Chains(Steady):
    """Makes its curves of its hops, as judges do that ask a model about pairs."""

    integrator: str = "cumulative"


def test_answers_to_pairs_matter_to_audits_only_where_curves_are_made_of_them():
    # from p = 0.2 the residual is 0.2, above the limit of 0.05: it fails for both. Single answers,
    # as pulse asks for them, are touched by their order alone.
    still = material_of([51] * 10)
    told = {}
    for judge in (Steady(), Chains()):
        lines = lines_of(judge, [Examiner(judge).examine(still)], EPISODES)
        found = {line["check"]: line for line in lines}
        told[type(judge)] = [found[name]["matters"] for name in ("macro-residual", "order-swap")]
        assert found["macro-residual"]["verdict"] == "fail"
    own = ["mp", "ppl", "cra"]
    assert told == {Steady: [[], ["pairs"]], Chains: [own, ["pairs", *own]]}


def test_pairs_are_seen_by_cameras_that_stand_still(rising):
    # the wrist camera shows the same all the time, and would halve every hop
    episode = rising.episode
    dark = np.zeros((21, 8, 8, 3), dtype=np.uint8)
    wrist = View(StoredFrames(rising.times, dark, "wrist"), moves=True)
    both = replace(episode, views={**episode.views, "wrist": wrist})
    pairs = Pairs(Probe(Sees()), replace(rising, episode=both))
    assert pairs.hop(0, 10) == pytest.approx(100 / 255)


class Counts(Sees):
    """Sees a twentieth of what there is for each moment that it is shown, up to all of it."""

    def progress(self, episode, times):
        plain = super().progress(episode, times)
        return Curve(plain.times, plain.values * min(1.0, len(times) / 20), plain.status)


def test_what_accumulates_is_told_by_the_curve(rising):
    # hops are biased, and the curve is the same at every rate
    assert value("scale-drift", Sees(bias=0.2), rising) == 0.0
    # 4 s: 5 moments at 1 a second see a quarter of 200 / 255, 21 at 5 a second see all of it
    assert value("scale-drift", Counts(), rising) == pytest.approx(0.75 * 200 / 255)


class Trembles(Sees):
    """Sees 0.1 too much at the second and the fourth of five moments of a second."""

    def progress(self, episode, times):
        plain = super().progress(episode, times)
        high = np.isin(np.round(5 * times).astype(int) % 5, [1, 3])
        return Curve(plain.times, np.where(high, plain.values + 0.1, plain.values), plain.status)


def test_a_judge_of_states_that_trembles_drifts_though_its_ends_stay(rising):
    # At 1 and 2 moments a second (0, 0.5 s: the third of five) nothing trembles, and PPL is the
    # end, e = 200 / 255. At 5 a second the steps are d + 0.1, 0.1 - d, d + 0.1, 0.1 - d and d, with
    # d = 10 / 255, so 0.4 + d in each of 4 s: PPL is e^2 / (1.6 + 4 d). MP moves by 0.1 - 2 d.
    end, step = 200 / 255, 10 / 255
    found = CHECKS["scale-drift"].measure(Probe(Trembles()), rising)
    assert found["value"] == pytest.approx(end - end**2 / (1.6 + 4 * step))
    assert found["more"]["range of MP"] == pytest.approx(0.1 - 2 * step)
    assert verdicts(Trembles(), rising)["scale drift"] == "fail"
    assert verdicts(Sees(), rising)["scale drift"] == "pass"


def test_views_that_are_not_looked_at_cost_nothing(rising):
    # three views, of which it looks at one: 21 frames, and not 63
    views = dict.fromkeys(("front", "side", "wrist"), rising.episode.views["front"])
    many = replace(rising, episode=replace(rising.episode, views=views))

    class Looks(Sees):
        def progress(self, episode, times):
            return super().progress(replace(episode, views={"side": episode.views["side"]}), times)

    found = CHECKS["cost"].measure(Probe(Looks()), many)
    assert found["more"]["frames an episode"] == 21.0
    assert CHECKS["cost"].measure(Probe(Sees()), many)["more"]["frames an episode"] == 63.0
    assert (
        CHECKS["cost"].measure(Probe(make_judge("ramp")), many)["more"]["frames an episode"] == 21.0
    )  # it looks at nothing: a moment is what it scores


def test_a_goal_that_is_the_start_earns_nothing(rising):
    assert value("goal-is-start", Sees(), rising) == 0.0
    assert value("goal-is-start", Steady(), rising) == 0.5


@pytest.mark.parametrize(
    ("judge", "why"),
    [
        (make_judge("ramp"), "it takes no goal"),
        (make_judge("prm-mini"), "it was given no goal; --goal gives it one"),
        (make_judge("similarity-image"), "it was given no goal; --goal gives it one"),
    ],
)
def test_a_judge_without_a_goal_is_not_asked_about_one(rising, judge, why):
    check = CHECKS["goal-is-start"]
    (line,) = check.conclude("goal-is-start", [], check.unfit(Probe(judge)))
    assert (line.verdict, line.why) == ("not run", why)


def test_a_judge_that_has_a_goal_is_asked_whether_it_heeds_it(tmp_path, rising):
    assert verdicts(Sees(goal=tmp_path), rising)["goal = start"] == "pass"
    assert verdicts(Steady(goal=tmp_path), rising)["goal = start"] == "fail"
    assert verdicts(Steady(), rising)["goal = start"] == "not run"


def test_further_numbers_are_means_and_counts_are_added_up():
    found = [{"value": 0.0, "more": {"ends": 3, "rise": 0.2}}] * 2
    (line,) = CHECKS["static-video"].conclude("static-video", found, "")
    assert line.more == {"ends": 6, "rise": pytest.approx(0.2)}


def test_a_judge_of_states_adds_up_by_construction(rising):
    lines = CHECKS["macro-residual"].conclude(
        "macro-residual", [], CHECKS["macro-residual"].unfit(Probe(make_judge("ramp")))
    )
    assert lines[0].verdict == "not run"
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


class Blinks(Sees):
    """Can't see what is called `gone`."""

    def progress(self, episode, times):
        if episode.id == "gone":
            raise EpisodeError("it blinked")
        return super().progress(episode, times)


def world_lines(judge, *materials):
    """Return title -> line on worlds."""
    results = [Examiner(judge).examine(material) for material in materials]
    return {line["title"]: line for line in lines_of(judge, results, WORLDS)}


def test_an_attempt_without_scores_is_missing_in_the_line_of_its_own_outcome(known):
    gone = material_of(list(range(0, 210, 10)), WORLDS, id="gone", outcome=False)
    lines = world_lines(Blinks(), known, gone)
    assert lines["order of moments, successes"]["why"] == ""
    assert lines["order of moments, failures"]["why"] == "it blinked"


def test_an_attempt_without_scores_is_told_beside_the_share_of_pairs(known):
    gone = material_of(list(range(0, 210, 10)), WORLDS, id="gone")
    line = world_lines(Blinks(), known, gone)["pulse, all pairs"]
    assert line["why"] == "1 of 2 not measured, the first: it blinked"
    assert [line["value"][end] for end in ("value", "worst", "best")] == [1.0, None, None]
    whole = world_lines(Blinks(), known)["pulse, all pairs"]
    assert (whole["why"], whole["value"]["worst"]) == ("", 1.0)
    assert world_lines(Blinks(), gone)["pulse, all pairs"]["why"] == "it blinked"


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


class Unkept(Sees):
    """Paid for an answer that can't be stored."""

    def progress(self, episode, times):
        raise RunError("No space is left for the ledger.")


def test_an_answer_that_can_t_be_stored_ends_the_run(rising):
    with pytest.raises(RunError, match="No space is left"):
        Examiner(Unkept()).examine(rising)


def test_unscored_moments_are_no_zeros(rising):
    found = verdicts(make_judge("recorded", {"signal": "reward"}), rising)
    assert set(found.values()) == {"not run", "not measured"}


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
