"""Any judge of progress can say which of two episodes went better."""

import pickle

import numpy as np
import pytest

from assay.errors import EpisodeError
from assay.judges import Preferring, check_judge, make_judge
from assay.judges.base import Prefers
from assay.records import Episode, Series

RECORDED = Preferring(make_judge("recorded"))


def recorded(name, values, task="t"):
    series = Series(np.arange(len(values), dtype=float), np.array(values, dtype=float))
    return Episode(id=name, task=task, signals={"progress": series})


def test_the_end_decides_and_not_the_best_moment():
    # last 30 % of 4 moments: ceil(1.2) = 2, so (1 + 0) / 2 against (0.6 + 0.6) / 2
    dropped, steady = recorded("a", [0, 1, 1, 0]), recorded("b", [0, 0, 0.6, 0.6])
    judged = RECORDED.prefer(dropped, steady)
    assert judged.value == (-1, "the end of a (0.50) is below that of b (0.60)")


def test_the_other_order_gives_the_other_sign():
    one, other = recorded("a", [0, 0.9]), recorded("b", [0, 0.3])
    assert RECORDED.prefer(one, other).value[0] == 1
    assert RECORDED.prefer(other, one).value[0] == -1


def test_ends_within_the_margin_are_a_tie():
    one, other = recorded("a", [0, 0.5]), recorded("b", [0, 0.4])
    assert Preferring(make_judge("recorded"), margin=0.2).prefer(one, other).value[0] == 0
    assert RECORDED.prefer(one, one).value == (
        0,
        "the end of a (0.50) is no different from that of a (0.50)",
    )


def test_the_margin_comes_from_the_judges_noise():
    # the oracle's sigma is 0.0002: 2 * sqrt(2) * 0.0002 = 0.00057
    oracle = Preferring(make_judge("oracle"))
    worlds = [
        Episode(id=str(end), task="t", world="w", signals=recorded("", [0, end]).signals)
        for end in (0.5, 0.5005, 0.501)
    ]
    assert oracle.prefer(worlds[1], worlds[0]).value[0] == 0
    assert oracle.prefer(worlds[2], worlds[0]).value[0] == 1


def test_an_unscored_episode_loses_nothing_and_wins_nothing():
    judged = RECORDED.prefer(recorded("a", [0, 1]), recorded("b", [np.nan, 1]))
    assert (judged.value, judged.status) == (None, "missing_frame")
    assert judged.detail.startswith("b: no progress at moment 0")


def test_different_tasks_are_not_compared():
    with pytest.raises(EpisodeError, match="only attempts at the same task") as caught:
        RECORDED.prefer(recorded("a", [0]), recorded("b", [0], task="other"))
    assert caught.value.status == "no_reference"


def test_the_wrapper_is_a_judge_itself():
    assert isinstance(RECORDED, Prefers)
    check_judge(RECORDED, recorded("a", [0, 1]), np.arange(2.0))
    assert pickle.loads(pickle.dumps(RECORDED)) == RECORDED
    assert (RECORDED.bound, RECORDED.needs) == ("cpu", {"progress"})
