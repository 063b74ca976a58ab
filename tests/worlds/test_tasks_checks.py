"""What a newcomer gets wrong in a task is said in a sentence, and before anything is run."""

from dataclasses import dataclass, replace

import pytest

from assay.errors import PolicyFault, UnknownNameError, UsageError
from assay.jobs.rollout import RolloutSettings, rollout
from assay.worlds.asking import make_actor
from assay.worlds.policies._scripted import ScriptedActor
from assay.worlds.tasks._checks import check_task
from assay.worlds.tasks._layouts import scatter
from assay.worlds.tasks._skills import pick, put
from assay.worlds.tasks.base import Aim, Layout, Place, Thing
from assay.worlds.tasks.lift_block import LiftBlock
from assay.worlds.tasks.place_in_basket import PlaceInBasket
from assay.worlds.world import World

GOOD = PlaceInBasket()
FIRST, *OTHERS = GOOD.things
PLACE = Place(0.5, 0.1)


def changed(**parts):
    """Return the good task with the first thing changed."""
    return replace(GOOD, things=(replace(FIRST, **parts), *OTHERS))


@dataclass(frozen=True)
class Reshaped(PlaceInBasket):
    """Has other subgoals: a function of the good ones."""

    change: object = None

    @property
    def subgoals(self):
        return self.change(super().subgoals)


def reshaped(change):
    return Reshaped(change=change)


FAULTS = {
    "shape": (changed(shape="blok"), "no shape for 'block' named 'blok'. Did you mean 'block'"),
    "colour": (changed(colour="orange"), "no colour for 'block' named 'orange'"),
    "three sizes": (changed(size=(0.1, 0.1, 0.1)), "half its height and half its width"),
    "no size": (changed(size=(0.0, 0.1)), "both above 0"),
    "a name twice": (changed(name=OTHERS[0].name), "has 2 things or fixtures named"),
    "a taken name": (changed(name="table"), "'table': every world has one already"),
    "mistake": (replace(GOOD, wrongs=("thing",)), "no mistake .* named 'thing'"),
    "limit": (replace(GOOD, limit_s=-1.0), "limit_s of -1"),
    "no subgoals": (reshaped(lambda _: ()), "no subgoals"),
    "no property": (reshaped(lambda _: GOOD.__str__), "no subgoals: they are a property"),
    "a subgoal twice": (reshaped(lambda own: own + own[:1]), "has 2 subgoals named 'reach"),
    "until": (
        reshaped(lambda own: (replace(own[0], until="grasp"), *own[1:])),
        "no subgoal after 'reach the green block', for its until, named 'grasp'. Known: carry",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_task_that_cannot_be_meant_is_refused_before_anything_is_run(fault, tmp_path):
    task, sentence = FAULTS[fault]
    with pytest.raises(UsageError, match=sentence):
        rollout(RolloutSettings(tmp_path / "out", task=task, seeds="0:1", views=()))
    assert not (tmp_path / "out").exists()


def test_three_hands_are_too_many():
    @dataclass(frozen=True)
    class Three(PlaceInBasket):
        hands: int = 3

    with pytest.raises(UsageError, match="has 3 hands: 1 or 2 will do"):
        check_task(Three())


def test_what_furnish_does_not_add_is_named():
    with pytest.raises(UsageError, match="names 'shelf', but its furnish adds no body"):
        World(replace(GOOD, fixtures=("basket", "shelf")))
    with pytest.raises(UsageError, match="names 'block', but its furnish adds no body"):
        World(changed(shape="own"))


def test_what_is_added_twice_is_named():
    @dataclass(frozen=True)
    class Twice(LiftBlock):
        def furnish(self, worldbody):
            worldbody.add_body(name="block")

    with pytest.raises(UsageError, match="'lift-block' makes no model with panda: repeated name"):
        World(Twice())


@dataclass(frozen=True)
class Rearranged(PlaceInBasket):
    """Has another layout: a function of the good one's places."""

    change: object = None

    def arrange(self, rng):
        return self.change(dict(super().arrange(rng).places))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda places: places, "arranges a dict: arrange returns a Layout"),
        (lambda places: Layout({n: p for n, p in places.items() if n != "basket"}), "'basket' w"),
        (lambda places: Layout({n: p for n, p in places.items() if n != "block"}), "'block' with"),
        (lambda places: Layout({**places, "blok": Place(0.5, 0.0)}), "Did you mean 'block'"),
        (lambda places: Layout({**places, "block": (0.5, 0.0)}), r"at \(0.5, 0.0\): it needs a Pl"),
    ],
)
def test_a_layout_places_everything_and_nothing_else(change, sentence):
    with pytest.raises(UsageError, match=sentence):
        World(Rearranged(change=change))


def test_a_layout_without_room_ends_in_a_sentence(tmp_path):
    @dataclass(frozen=True)
    class Narrow(PlaceInBasket):
        def arrange(self, rng):
            return Layout(scatter(rng, ["a", "b"], (0.4, 0.41), (0.0, 0.01), gap=0.1))

    with pytest.raises(UsageError, match="no room for a, b between"):
        rollout(RolloutSettings(tmp_path / "out", task=Narrow(), seeds="0:1", views=()))


@dataclass(frozen=True)
class Scripted(PlaceInBasket):
    """Has another script."""

    moves: tuple = ()

    def script(self, _aim):
        return self.moves


def test_two_moves_of_one_name_are_refused():
    twice = Scripted(moves=(*pick("block"), *pick("block")))
    with pytest.raises(UsageError, match="has 2 moves named 'above block'"):
        ScriptedActor(twice, Aim())


def test_a_move_is_tried_again_from_one_that_there_is():
    unpicked = Scripted(moves=put("block", lambda _: (0.5, 0.0, 0.0)))
    with pytest.raises(UnknownNameError, match="to try 'carry block' again from named 'above bl"):
        ScriptedActor(unpicked, Aim())


def test_the_sentence_of_an_actor_that_cannot_be_made_ends_once():
    def make():
        raise UsageError("It has no moves.")

    with pytest.raises(PolicyFault, match=r"UsageError: It has no moves\.$"):
        make_actor("mine", 0, make)


@pytest.mark.parametrize(
    "ask",
    [
        lambda state: state.position("blok"),
        lambda state: state.velocity("blok"),
        lambda state: state.held("blok"),
        lambda state: state.touching("gripper", "blok"),
    ],
)
def test_the_state_names_what_there_is(ask):
    with pytest.raises(UnknownNameError, match=r"no thing or fixture named 'blok'\. Did you mean"):
        ask(World(GOOD).state)


def test_a_thing_may_be_called_after_its_shape():
    task = Rearranged(change=lambda places: Layout({**places, "ball": PLACE}))
    world = World(replace(task, things=(*GOOD.things, Thing("ball", "ball", (0.02, 0.02)))))
    assert world.state.position("ball")[:2] == pytest.approx((PLACE.x, PLACE.y))
