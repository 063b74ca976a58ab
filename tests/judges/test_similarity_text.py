"""The judge that compares pictures with the instruction, with an encoder made by hand."""

import math
import pickle

import numpy as np
import pytest

import episodes_made as make
from assay.errors import EpisodeError, UsageError
from assay.judges import check_judge, make_judge, similarity_text
from assay.judges.base import HopJudge
from assay.records import View

TIMES = np.arange(5.0)


class Dial:
    """A fixture: the brighter a picture, the closer its direction to that of all words."""

    def check(self):
        pass

    def pictures(self, images):
        angles = np.array([math.acos(image.mean() / 1000) for image in images])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def words(self, texts):
        return np.tile([1.0, 0.0], (len(texts), 1))


@pytest.fixture(autouse=True)
def dial(monkeypatch):
    similarity_text._loaded.cache_clear()
    monkeypatch.setattr(similarity_text, "make_encoder", lambda _: Dial())
    yield
    similarity_text._loaded.cache_clear()


def judge_of(**options):
    return make_judge("similarity-text", {"encoder": "clip:/models/clip", **options})


def test_progress_is_the_gain_in_cosine_over_the_start():
    # cosines 0, 0.01, 0.02, 0.03, 0.04; a gain of 0.04 is set to count as done
    curve = judge_of(reach="0.04").progress(make.full_episode(), TIMES)
    assert curve.values == pytest.approx([0, 0.25, 0.5, 0.75, 1])


def test_the_start_is_the_episodes_and_not_the_first_moment():
    curve = judge_of(reach="0.04").progress(make.full_episode(), TIMES[2:])
    assert curve.values == pytest.approx([0.5, 0.75, 1])


def test_gains_beyond_the_reach_are_clipped():
    curve = judge_of(reach="0.02").progress(make.full_episode(), TIMES)
    assert curve.values == pytest.approx([0, 0.5, 1, 1, 1])


def test_views_that_do_not_move_are_averaged():
    views = {
        "front": View(make.GreyFrames()),
        "side": View(make.GreyFrames()),
        "wrist": View(make.GreyFrames(), moves=True),
    }
    curve = judge_of(reach="0.04").progress(make.full_episode(views=views), TIMES)
    assert curve.values == pytest.approx([0, 0.25, 0.5, 0.75, 1])


def hop(before, after, task="lift", **options):
    shown = [{"front": np.full((4, 4, 3), level, np.uint8)} for level in (before, after)]
    return judge_of(**options).hop(task, *shown, None, None)


def test_a_hop_is_signed_and_needs_no_anchor():
    # cosines 0.05 and 0.07: a gain of 0.02, of 0.1
    assert hop(50, 70).value == pytest.approx(0.2)
    assert hop(70, 50).value == pytest.approx(-0.2)
    assert hop(0, 250, reach="0.1").value == 1.0


def test_a_hop_without_words_or_a_common_view_says_so():
    assert hop(0, 10, task=" ").detail == "the task has no words"
    picture = np.zeros((4, 4, 3), np.uint8)
    judged = judge_of().hop("lift", {"front": picture}, {"side": picture}, None, None)
    assert (judged.value, judged.status) == (None, "no_reference")


def test_what_it_cannot_do_is_said_in_one_sentence():
    with pytest.raises(UsageError, match=r"pass --set encoder=kind:/path"):
        make_judge("similarity-text").check()
    with pytest.raises(UsageError, match="reach of similarity-text must be above 0"):
        judge_of(reach="0")
    with pytest.raises(EpisodeError, match="no instruction") as caught:
        judge_of().progress(make.full_episode(instruction=""), TIMES)
    assert caught.value.status == "no_reference"


def test_it_keeps_the_contract_and_holds_no_weights():
    judge = judge_of()
    check_judge(judge, make.full_episode(), TIMES)
    judge.check()
    assert isinstance(judge, HopJudge)
    assert len(pickle.dumps(judge)) < 300
