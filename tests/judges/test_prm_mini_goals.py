"""The embedded judge and its goal: it is heeded, or the episode is not judged."""

from __future__ import annotations

import numpy as np
import pytest

import pictures_made as make
from assay.errors import EpisodeError
from assay.judges.prm_mini import PrmMini
from assay.judges.similarity_image import SimilarityImage
from assay.records import View

START, GOAL = make.block(0), make.block(48)
SECONDS = np.arange(3.0)


def watching(*still, moving=(), task="push", instruction="push the block"):
    """Return an episode in which a block goes to its goal, seen by the named views."""
    shown = make.Shown([START, make.block(24), GOAL])
    views = {name: View(shown) for name in still}
    views |= {name: View(shown, moves=True) for name in moving}
    return make.episode([], task=task, instruction=instruction, views=views)


def both(goal, episode):
    """Return what the two judges that take a goal say."""
    return [judge(goal=goal).progress(episode, SECONDS) for judge in (PrmMini, SimilarityImage)]


def test_a_goal_changes_what_is_seen(tmp_path):
    goal = make.save(tmp_path / "done.png", GOAL)
    plain, aimed = (PrmMini(goal=g).progress(watching("front"), SECONDS) for g in (None, goal))
    assert set(plain.status) == set(aimed.status) == {"ok"}
    assert not np.allclose(plain.values, aimed.values)


def test_without_a_goal_of_this_task_both_judges_say_the_same(tmp_path):
    make.save(tmp_path / "lift.png", GOAL)
    mini, similarity = both(tmp_path, watching("front"))
    assert set(mini.status) == {"no_reference"}
    assert np.isnan(mini.values).all()
    assert "no goal picture of the task 'push' for the view front; it holds lift.png" in mini.detail
    assert mini.detail == similarity.detail


@pytest.mark.parametrize(
    ("name", "views", "moving", "status"),
    [
        ("done.png", ("front",), (), "ok"),
        ("done.png", ("front", "side"), (), "no_reference"),  # which of the two?
        ("side.png", ("front", "side"), (), "ok"),
        ("done.png", ("front",), ("wrist",), "ok"),  # it can only be the one that stands still
        ("other.png", ("front", "side"), (), "no_reference"),
    ],
)
def test_one_picture_is_for_the_view_that_it_can_be_used_for(tmp_path, name, views, moving, status):
    goal = make.save(tmp_path / name, GOAL)
    mini, similarity = both(goal, watching(*views, moving=moving))
    assert set(mini.status) == set(similarity.status) == {status}
    assert mini.detail == similarity.detail


def test_a_goal_that_can_t_be_read_is_no_goal(tmp_path):
    judge = PrmMini(goal=tmp_path / "nowhere")
    with pytest.raises(EpisodeError, match="there is no such path") as caught:
        judge.progress(watching("front"), SECONDS)
    assert caught.value.status == "no_reference"
    assert hop(judge).status == "no_reference"


def hop(judge, goal=None, task="push"):
    return judge.hop(task, {"front": START}, {"front": GOAL}, {"front": START}, goal)


def test_a_hop_heeds_the_goal_that_it_is_given_or_the_judges_own(tmp_path):
    own = make.save(tmp_path / "push.png", GOAL)
    alone, given = hop(PrmMini()), hop(PrmMini(), {"front": GOAL})
    assert alone.status == given.status == "ok"
    assert alone.value != pytest.approx(given.value, abs=1e-6)
    assert hop(PrmMini(goal=tmp_path)).value == pytest.approx(given.value, abs=1e-6)
    assert hop(PrmMini(goal=own)).value == pytest.approx(given.value, abs=1e-6)
    lacking = hop(PrmMini(goal=tmp_path), task="lift")
    assert (lacking.value, lacking.status) == (None, "no_reference")
    assert "no goal picture of the task 'lift' for the view front" in lacking.detail
    other = hop(PrmMini(), {"side": GOAL})
    assert (other.status, other.detail) == ("no_reference", "no goal picture is of the view front")
