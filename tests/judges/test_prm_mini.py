"""The embedded judge: words, batches, graphs, levels, and what it says of scenes it never saw."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from assay.errors import AssayError, InputError
from assay.judges import make_judge
from assay.judges.prm_mini import PrmMini
from assay.judges.prm_mini._batches import Recipe, Sampler, falls
from assay.judges.prm_mini._card import Card, is_trained, read_card
from assay.judges.prm_mini._clips import FACTS, PLACES, SIZE, STEPS, Clip, takes
from assay.judges.prm_mini._fitting import _facts_loss, fit
from assay.judges.prm_mini._judge import embedded, steadied
from assay.judges.prm_mini._network import Network, by_steps
from assay.judges.prm_mini._running import Graphs
from assay.judges.prm_mini._saving import levels, load, save
from assay.judges.prm_mini._scenes import Scenes, gists
from assay.judges.prm_mini._seeing import see
from assay.judges.prm_mini._text import LENGTH, tokens
from assay.records import Episode, View
from assay.worlds.look import LOOK

RED, GREY = (200, 20, 20), 128


class Stills:
    """Pictures in memory, one a second: a test fixture."""

    def __init__(self, frames: np.ndarray) -> None:
        self.frames = frames

    def key(self) -> str:
        return "stills"

    def clock(self) -> np.ndarray:
        return np.arange(len(self.frames), dtype=np.float64)

    def at(self, times):
        return iter(self.frames[np.floor(times + 1e-9).astype(int)])


def picture(share: float, size: int = SIZE) -> np.ndarray:
    """Return a grey picture with a red square that is so far on its way to the right."""
    image = np.full((size, size, 3), GREY, dtype=np.uint8)
    wide = size // 6
    left = round(share * (size - wide))
    image[size // 2 : size // 2 + wide, left : left + wide] = RED
    return image


def moving(number: int, rng: np.random.Generator, count: int = 8) -> Clip:
    """Return a clip in which the square goes anywhere, in any order: only its place is progress."""
    values = np.concatenate([[0.0], rng.random(count - 2), [1.0]]).astype(np.float32)
    frames = np.stack([picture(float(value)) for value in values])
    return Clip(
        frames, values, ("Push the red square.",), "push", str(number), "front", success=True
    )


@pytest.fixture(scope="module")
def lesson() -> tuple[list[Clip], list[Clip]]:
    rng = np.random.default_rng(0)
    clips = [moving(number, rng) for number in range(30)]
    return clips[:24], clips[24:]


@pytest.fixture(scope="module")
def trained(lesson, tmp_path_factory) -> tuple[Path, list[float], Network]:
    """Return a judge taught for a few seconds, its losses, and the network behind it."""
    losses: list[float] = []
    torch.set_num_threads(1)
    recipe = Recipe(steps=60, episodes=8, moments=4, every=30, views=(1.0, 0.0, 0.0), noise=0.0)
    fitted = fit(*lesson, recipe, on_step=lambda _, loss: losses.append(loss))
    folder = tmp_path_factory.mktemp("judge") / "mine"
    save(fitted.network, *lesson, folder, name="mine", about={"by": "test"})
    return folder, losses, fitted.network


def test_words_are_numbers_whatever_their_case_and_the_rest_is_filled_up():
    found = tokens("Lift the RED block.")
    assert found.shape == (LENGTH,)
    assert (found[:4] > 0).all()
    assert not found[4:].any()
    np.testing.assert_array_equal(found, tokens("lift the red block"))
    assert found[2] != tokens("lift the blue block")[2]


def test_more_words_than_fit_are_left_out():
    np.testing.assert_array_equal(tokens("red " * 100), tokens("red " * LENGTH))


@given(arrays(np.float32, st.integers(2, 12), elements=st.floats(0, 1, width=32)))
def test_a_fall_is_a_pair_whose_later_moment_is_worse(values):
    found = {(int(a), int(b)) for a, b in falls(values, least=0.05)}
    count = len(values)
    expected = {
        (a, b) for a in range(count) for b in range(a + 1, count) if values[b] < values[a] - 0.05
    }
    assert found == expected


def test_moments_without_a_value_are_in_no_fall():
    assert not len(falls(np.array([0.9, np.nan, 0.9], dtype=np.float32)))


def test_every_episode_comes_once_before_any_comes_again(lesson):
    recipe = Recipe(episodes=8, moments=3)
    sampler = Sampler(takes(lesson[0]), recipe, np.random.default_rng(3))
    drawn = [sampler._next() for _ in range(24)]
    assert sorted(drawn) == list(range(24))


def test_the_same_seed_draws_the_same_batch(lesson):
    first, second = (
        Sampler(takes(lesson[0]), Recipe(), np.random.default_rng(5)).draw() for _ in range(2)
    )
    np.testing.assert_array_equal(first.now, second.now)
    np.testing.assert_array_equal(first.values, second.values)


def test_training_makes_the_loss_fall(trained):
    _, losses, _ = trained
    assert np.mean(losses[-10:]) < 0.6 * np.mean(losses[:10])


def test_facts_that_nobody_knows_are_not_learned_from():
    said = torch.zeros(2, FACTS + STEPS)
    facts = torch.full((2, FACTS), float("nan"))
    assert float(_facts_loss(said, facts)) == 0.0
    # one place off by 1 (beyond beta 0.3: 1 - 0.15), one share of 0.5 said as 0.5: entropy ln 2
    facts[0, 0], facts[1, PLACES] = 1.0, 0.5
    assert float(_facts_loss(said, facts)) == pytest.approx(0.85 + math.log(2))
    # a step of which half is covered: ln 2 once more; that there is one step is one of 13 answers
    facts[0, -STEPS] = 0.5
    expected = 0.85 + math.log(2) + 0.1 * math.log(STEPS)
    assert float(_facts_loss(said, facts)) == pytest.approx(expected)


def told(done, covered, count):
    """Return facts, as logits, of a moment with `count` steps."""
    facts = torch.zeros(1, FACTS + STEPS)
    facts[0, PLACES + 2 : PLACES + 2 + len(done)] = torch.tensor(done).logit()
    facts[0, PLACES + 2 + STEPS : PLACES + 2 + STEPS + len(covered)] = torch.tensor(covered).logit()
    facts[0, FACTS + count - 1] = 50.0
    return facts


def test_steps_add_up_to_progress():
    sure = 1.0 - 1e-6
    # the first of two steps is done, a quarter of the second covered: (1 + 1/4)/2
    facts = told([sure, 1e-6], [0.5, 0.25], 2)
    assert float(by_steps(facts)) == pytest.approx(0.625, abs=1e-4)
    # the same with four steps: (1 + 1/4)/4, whatever is said of the third and the fourth
    facts = told([sure, 1e-6, sure, sure], [0.5, 0.25, 0.9, 0.9], 4)
    assert float(by_steps(facts)) == pytest.approx(0.3125, abs=1e-4)
    # one step, done with a chance of 0.4, else covered by half: 0.4 + 0.6/2
    assert float(by_steps(told([0.4], [0.5], 1))) == pytest.approx(0.7, abs=1e-4)


def test_the_exported_graphs_equal_the_network(trained, lesson):
    folder, _, network = trained
    take = takes(lesson[1])[0]
    expected = see(network, take)
    found = Graphs.load(folder).look("Push the red square.", {"front": take.first.frames})
    np.testing.assert_allclose(found.raw, expected.progress, atol=1e-4)
    before, after = found.states[:1], found.states[1:2]
    # the graph squashes the network's logit x to tanh(x / 4)
    hop = np.tanh(expected.hops[0, 1] / 4)
    np.testing.assert_allclose(Graphs.load(folder).hop(before, after), [hop], atol=1e-4)


def test_the_weights_can_be_gone_on_from(trained):
    folder, _, network = trained
    again = load(folder)
    for name, value in network.state_dict().items():
        torch.testing.assert_close(again.state_dict()[name], value)


def test_it_sees_the_place_not_the_clock(trained):
    folder, _, _ = trained
    there_and_back = [0.0, 0.25, 0.5, 1.0, 0.5, 0.0]
    frames = np.stack([picture(share, 2 * SIZE) for share in there_and_back])
    episode = Episode("a", "push", "Push the red square.", {"front": View(Stills(frames))})
    curve = PrmMini(weights=folder, steady_s=0.0).progress(episode, np.arange(6.0))
    assert (curve.status == "ok").all()
    assert curve.values[3] == curve.values.max()
    assert curve.values[5] < curve.values[3] - 0.2


def test_start_and_end_of_the_card_frame_the_curve(trained):
    """c is the 5 % quantile of raw end values: 6 held-out successes of about the same value."""
    card = read_card(trained[0])
    assert card.completion_n == 6
    assert 0.05 <= card.completion <= 1.0
    assert card.episodes == 24
    assert card.tasks == {"push": 24}
    assert card.noise is not None
    assert card.noise > 0


def test_a_rise_of_one_moment_is_not_believed_a_fall_and_the_ends_are():
    # windows of 0.4 s at 5 a second: three moments
    times = np.arange(7) / 5
    values = np.array([0.0, 0.5, 0.1, 0.5, 0.9, 0.9, 0.3])
    found = steadied(times, values, 0.4)
    assert found.tolist() == [0.0, 0.1, 0.1, 0.5, 0.9, 0.9, 0.3]
    np.testing.assert_array_equal(steadied(times, values, 0.0), values)


def test_a_hop_turns_its_sign_when_the_pictures_are_swapped(trained):
    judge = PrmMini(weights=trained[0])
    low, high = {"front": picture(0.2)}, {"front": picture(0.8)}
    start = {"front": picture(0.0)}
    there = judge.hop("Push the red square.", low, high, start, None)
    back = judge.hop("Push the red square.", high, low, start, None)
    assert there.value is not None
    assert there.value > 0
    assert there.value == pytest.approx(-back.value, abs=1e-6)


def test_moments_without_a_common_view_are_not_judged(trained):
    found = PrmMini(weights=trained[0]).hop(
        "x", {"front": picture(0.1)}, {"side": picture(0.2)}, None, None
    )
    assert (found.value, found.status) == (None, "missing_frame")


def test_scenes_unlike_the_training_ones_are_novel(trained):
    judge = PrmMini(weights=trained[0])
    own = np.stack([picture(share) for share in (0.0, 0.3, 0.7)])
    other = np.random.default_rng(0).integers(0, 256, own.shape, dtype=np.uint8)
    for frames, novel in ((own, False), (other, True)):
        episode = Episode("a", "push", "Push the red square.", {"front": View(Stills(frames))})
        curve = judge.progress(episode, np.arange(3.0))
        assert curve.novel is not None
        assert (curve.novel == novel).all()


def test_a_task_of_the_worlds_that_it_never_learned_is_novel_in_whatever_scene():
    path = Path(__file__).parent.parent / "worlds" / "look" / f"lift-block-{LOOK}.png"
    with Image.open(path) as picture_of:
        frames = np.stack([np.asarray(picture_of)] * 3)
    views = {"front": View(Stills(frames))}
    for task, world, novel in (
        ("lift-block", "tabletop", False),
        ("fold-towel", "tabletop", True),
        ("fold-towel", "", False),  # of a real scene the name says nothing
    ):
        episode = Episode("a", task, "Lift the red block.", views, world=world)
        curve = PrmMini().progress(episode, np.arange(3.0))
        assert curve.novel.tolist() == [novel] * 3


def test_gists_tell_texture_from_flat_colour():
    flat = np.full((1, 16, 16, 3), 100, dtype=np.uint8)
    board = flat.copy()
    board[:, ::2, ::2] = 200  # one pixel in four is lighter by 100: grey differs to both sides
    smooth, rough = gists(flat)[0], gists(board)[0]
    assert smooth.shape == (256,)
    # 64 cells of 3 colours, then 64 of texture
    np.testing.assert_allclose(smooth[:192], 100 / 255, rtol=1e-6)
    assert not smooth[192:].any()
    assert (rough[192:] > 0).all()


def test_training_pictures_are_at_home_and_scenes_come_back_from_disk(tmp_path):
    pictures = np.stack([picture(share) for share in np.linspace(0, 1, 24)])
    scenes = Scenes.of([pictures])
    scenes.write(tmp_path)
    again = Scenes.read(tmp_path)
    here = again.distance(pictures)
    np.testing.assert_allclose(here, scenes.distance(pictures), atol=0.05)  # half precision
    noise = np.random.default_rng(1).integers(0, 256, (4, SIZE, SIZE, 3), dtype=np.uint8)
    assert again.distance(noise).min() > 4 * here.max()


def test_a_trained_folder_is_a_judge_by_its_path(trained):
    judge = make_judge(str(trained[0]))
    assert judge == PrmMini(weights=trained[0])
    assert pickle.loads(pickle.dumps(judge)) == judge
    assert judge.card["sigma"] == judge.noise
    assert judge.card["trained_on"] == "24 episodes: push (24)"


def test_what_many_tasks_it_was_trained_on_is_told_by_their_number():
    card = PrmMini().card
    count = len(card["tasks"])
    assert count > 6
    assert card["trained_on"] == f"{card['episodes']} episodes of {count} tasks"


def test_held_out_episodes_are_counted_and_named(trained, lesson):
    card = read_card(trained[0])
    assert (card.episodes, card.held_out) == (24, 6)
    assert card.levels_from == "held-out episodes"
    assert "through held-out episodes" in card.noise_from


def test_a_card_of_levels_that_nothing_was_held_out_for_says_so(trained, lesson, tmp_path):
    train, _ = lesson
    card = save(trained[2], train, train, tmp_path, name="all")
    assert (card.episodes, card.held_out, card.completion_n) == (24, 0, 24)
    assert card.levels_from == "the episodes that it learnt from, since none was held out"
    assert card.levels_from in card.noise_from
    assert read_card(tmp_path) == card
    # A picture is not compared with itself and its neighbours: others like it are at home as well.
    scenes = Scenes.read(tmp_path)
    own, new = (np.concatenate([scenes.distance(c.frames) for c in part]) for part in lesson)
    assert np.mean(new > card.novelty) <= 0.05
    assert np.quantile(own, 0.99) < 0.8 * card.novelty  # what the threshold would be with them


def test_a_single_episode_knows_scenes_like_its_own(trained, lesson, tmp_path):
    (clip, *_), (other, *_) = lesson
    card = save(trained[2], [clip], [clip], tmp_path, name="one")
    assert card.held_out == 0
    # 8 pictures, each as far as the nearest 3 of the other 7 are
    rows = gists(clip.frames)
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    nearest = np.sort(apart, axis=1)[:, 1:4].mean(1)  # the first is itself
    assert card.novelty == pytest.approx(float(np.quantile(nearest, 0.99)), rel=1e-3)
    assert np.median(Scenes.read(tmp_path).distance(other.frames)) < card.novelty


def test_the_completion_level_is_the_five_per_cent_quantile():
    # 21 values 0.80, 0.81, ..., 1.00: 5 % of the way from the first to the last is the second
    assert levels([0.8 + 0.01 * n for n in range(21)]) == (pytest.approx(0.81), 21)
    assert levels([]) == (1.0, 0)


def test_the_graphs_that_ship_are_at_most_five_megabytes():
    sizes = [path.stat().st_size for path in embedded().glob("*.onnx")]
    assert len(sizes) == 7
    assert sum(sizes) <= 5e6


def test_a_folder_without_a_card_is_no_judge(tmp_path):
    assert not is_trained(tmp_path)
    with pytest.raises(InputError, match=r"holds no trained judge: there is no card\.json"):
        read_card(tmp_path)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"schema": "other"}', '{"schema": "assay.prm-mini/1"}']
)
def test_a_damaged_card_is_a_kind_error(tmp_path, text):
    (tmp_path / "card.json").write_text(text)
    with pytest.raises(InputError, match=r"card\.json"):
        read_card(tmp_path)


def test_a_damaged_graph_is_a_kind_error(trained, tmp_path):
    for path in trained[0].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "eye.onnx").write_bytes(b"nothing")
    with pytest.raises(AssayError, match=r"eye\.onnx is not a graph that can be run"):
        PrmMini(weights=tmp_path).check()


def test_a_card_comes_back_as_it_was_written(tmp_path):
    card = Card("a", 0.9, 3, 0.01, "how", 2.0, calibration=((0.1, 0.2, 3),), about={"x": 1})
    card.write(tmp_path)
    assert read_card(tmp_path) == card
    stored = json.loads((tmp_path / "card.json").read_text())
    assert stored["schema"] == "assay.prm-mini/1"
    assert replace(card, name="b") != card
