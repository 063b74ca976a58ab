"""A judge that asks a model: its passport is its own, and not that of the ledger."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pytest

from assay.benchmarks.passport.examining import Examiner, checks, lines_of, unanswered
from assay.benchmarks.passport.lines import EPISODES
from assay.benchmarks.passport.probing import Probe
from assay.errors import EpisodeError
from assay.judges._asking import each
from assay.judges._curves import curve, unscored
from assay.models import pictures
from assay.models.answers import ask_for, number
from assay.models.base import Request, Sampling
from assay.models.session import ModelSettings, opened
from model_server import ModelServer, cut, say
from models_loopback import loopback
from passport_made import material_of

CHECKS = checks()


@dataclass(frozen=True)
class Asks:
    """Asks a model about every moment by itself."""

    model: str

    bound: ClassVar[str] = "network"
    needs: ClassVar[frozenset[str]] = frozenset({"frames"})
    noise: ClassVar[None] = None

    def clock(self, episode, fps):
        return episode.views["front"].frames.clock()

    def progress(self, episode, times):
        images = episode.views["front"].frames.at(times)
        found = each([partial(self._one, image) for image in images])
        if lost := [judged for judged in found if judged.status != "ok"]:
            return unscored(times, lost[0].status, lost[0].detail)
        return curve(times, np.array([judged.value for judged in found]))

    def _one(self, image):
        shown = pictures.prepare(image, 64)
        request = Request(("How far?", shown), sampling=Sampling(temperature=1.0))
        return ask_for(self.model, request, number(0, 1)).judged


def dice(asked):
    """Answer with a throw of dice: 0, 0.37, 0.74, 0.11, ... whatever is asked."""
    return say(json.dumps({"score": round(0.37 * asked.nth % 1, 2)}))


def steady(asked):
    """Answer the same whatever is asked."""
    return say(json.dumps({"score": 0.5}))


def lines(judge, material):
    """Return the lines by the check's name."""
    result = json.loads(json.dumps(Examiner(judge).examine(material), default=float))
    return {line["check"]: line for line in lines_of(judge, [result], EPISODES)}


REPEATED = ("repeatability", "static-video", "frame-rate")


def test_dice_behind_a_ledger_are_dice(tmp_path, rising):
    # every one of these shows pictures again that were asked about before
    with loopback(tmp_path, dice) as (model, _):
        found = lines(Asks(model), rising)
        assert lines(Asks(model), rising) == found  # thrown once, and kept
    assert {name: found[name]["verdict"] for name in REPEATED} == dict.fromkeys(REPEATED, "fail")
    # two throws may be alike, as the two ends of a loop may be; twenty pairs of throws are not
    assert found["loop-motion"]["more"]["mean distance between way and way back"] > 0.1


def test_a_steady_model_passes_and_a_second_passport_is_free_and_the_same(tmp_path, rising):
    with loopback(tmp_path, steady) as (model, server):
        first = lines(Asks(model), rising)
        assert {first[name]["verdict"] for name in REPEATED} == {"pass"}
        count = server.count
        assert lines(Asks(model), rising) == first  # the cost too: it is no time
        assert server.count == count


def test_the_plain_curve_is_the_one_that_an_audit_asks_for(tmp_path, rising):
    with loopback(tmp_path, dice) as (model, server):
        judge = Asks(model)
        judged = judge.progress(rising.episode, rising.times).values
        assert Probe(judge).by("calibration").plain(rising).tolist() == judged.tolist()
        assert server.count == 21


def test_every_rate_of_scale_drift_is_asked_anew(tmp_path, rising):
    # 4 s at 1, 2 and 5 moments a second: 5 + 9 + 21 questions, also after the plain curve
    with loopback(tmp_path, dice) as (model, server):
        probe = Probe(Asks(model)).by("scale-drift")
        probe.plain(rising)
        CHECKS["scale-drift"].measure(probe, rising)
        assert server.count == 21 + 5 + 9 + 21


def test_cost_is_what_answers_took_and_not_how_fast_the_ledger_is(tmp_path, rising):
    # 21 moments of one view, and 100 + 10 tokens each
    with loopback(tmp_path, steady) as (model, server):
        for _ in range(2):
            found = CHECKS["cost"].measure(Probe(Asks(model)), rising)
            assert server.count == 21  # the plain curve tells it
            (line,) = CHECKS["cost"].conclude("cost", [found], "")
            assert (line.value["value"], line.unit) == (110.0, "tokens a frame")
            assert line.more["questions an episode"] == 21.0
            assert "seconds an episode" not in line.more


def test_time_and_tokens_are_never_averaged():
    told = [{"value": 110.0, "unit": "tokens a frame"}, {"value": 0.5}]
    (line,) = CHECKS["cost"].conclude("cost", told, "")
    assert (line.value["value"], line.value["n"], line.unit) == (110.0, 1, "tokens a frame")
    assert line.why == "1 of 2 not measured, the first: no model was asked about it"


def test_an_endpoint_that_counts_nothing_has_no_cost(tmp_path, rising):
    def uncounted(asked):
        whole = json.loads(steady(asked).body)
        del whole["usage"]
        return type(steady(asked))(body=json.dumps(whole).encode())

    with (
        loopback(tmp_path, uncounted) as (model, _),
        pytest.raises(EpisodeError, match="did not count the tokens of 21 questions"),
    ):
        CHECKS["cost"].measure(Probe(Asks(model)), rising)


@pytest.mark.parametrize(
    ("answering", "status"), [(lambda _: cut(), True), (lambda _: say("Well."), False)]
)
def test_answers_that_never_came_are_told_from_those_that_are_of_no_use(
    tmp_path, answering, status
):
    how = ModelSettings(ledger=tmp_path / "ledger.sqlite", tries=1)
    with ModelServer(answering) as server, opened(how):
        short = material_of([0, 50, 100, 150])
        result = Examiner(Asks(f"openai:stub@{server.url}")).examine(short)
    assert bool(unanswered(result)) is True
    assert bool(unanswered(result, {"transport"})) is status


def test_what_the_material_lacks_is_no_missing_answer(rising, sees):
    result = Examiner(sees).examine(rising)
    assert "why" in result["findings"]["goal-is-start"]  # not for this judge
    assert unanswered(result) == ""
