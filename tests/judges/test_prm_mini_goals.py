"""The embedded judge and its goal: it is heeded, or the episode is not judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pictures_made as make
from assay.errors import EpisodeError
from assay.judges.prm_mini import PrmMini
from assay.judges.prm_mini._judge import covered
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


def test_which_share_of_the_way_is_covered():
    # From (0, 0) to (2, 0): what goes sideways covers nothing, and no more than all is covered.
    states = np.array([[0, 0], [1, 1], [2, 5], [-1, 0], [9, 0]], dtype=np.float32)
    assert covered(states, np.float32([2, 0])).tolist() == [0.0, 0.5, 1.0, 0.0, 1.0]
    assert covered(states, states[0]).tolist() == [0.0] * 5  # there is no way to go


def test_in_a_task_that_was_never_seen_half_of_the_value_is_the_way_to_the_goal(tmp_path):
    at_end = make.save(tmp_path / "done.png", GOAL)
    at_start = make.save(tmp_path / "start.png", START)
    known, new = (
        replace(watching("front", task=task, instruction="lift the block"), world="tabletop")
        for task in ("lift-block", "fold-towel")
    )
    level = PrmMini().card["completion"]
    raw = PrmMini().progress(known, SECONDS).values * level
    assert raw.max() < level  # nothing was cut off
    np.testing.assert_allclose(PrmMini().progress(new, SECONDS).values, raw, atol=1e-6)
    aimed = {
        name: judge.progress(episode, SECONDS).values
        for name, judge, episode in (
            ("known", PrmMini(goal=at_end), known),
            ("new", PrmMini(goal=at_end), new),
            ("start", PrmMini(goal=at_start), new),
        )
    }
    way = 2 * aimed["new"] - aimed["known"] * level
    assert way[0] == pytest.approx(0.0, abs=1e-5)
    assert way[-1] == pytest.approx(1.0, abs=1e-5)  # it shows the goal itself
    assert aimed["start"].max() < 0.5  # where goal and start are one there is no way to go


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
