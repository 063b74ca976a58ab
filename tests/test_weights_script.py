"""scripts/weights.py from footage to a judge's folder, with numbers that take seconds."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from assay.judges import make_judge
from assay.judges.prm_mini._card import read_card
from assay.judges.prm_mini._clips import takes
from assay.judges.prm_mini._running import Graphs
from assay.judges.prm_mini._saving import load
from assay.judges.prm_mini._seeing import see

SCRIPTS = Path(__file__).parent.parent / "scripts"
TASKS = ("lift-block", "open-drawer")
LITTLE = {"--episodes": 8, "--held-out": 4, "--along": 2, "--usual": 2, "--steps": 16, "--lanes": 2}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return what was printed, the judge's folder, and held-out attempts."""
    root = tmp_path_factory.mktemp("weights")
    footage, judge = root / "footage", root / "judge"
    length = [str(word) for option in LITTLE.items() for word in option]
    places = ["--footage", str(footage), "--out", str(judge), "--tasks", *TASKS]
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        weights = importlib.import_module("weights")
        patch.setitem(sys.modules, "weights", weights)
        patch.setitem(weights.RECIPE, "every", 8)  # two looks; otherwise there is but the last one
        patch.setattr(weights, "EPISODES", 4)
        patch.setattr(weights, "_say", lambda text, begun: said.append(text))
        weights.main([*length, *places])
        asked = weights._arguments([*length, *places])
        held_out = takes(weights._footage(asked, "validation", "validation", asked.held_out))
    sys.modules.pop("weights", None)
    return said, judge, held_out


def test_the_loss_falls(made):
    said, _, _ = made
    losses = [float(loss) for loss in re.findall(r"loss (\d+\.\d+)", "\n".join(said))]
    first, last = losses  # the means of steps 1 to 8 and of 9 to 16
    assert last < 0.95 * first


def test_it_ends_with_a_card_and_without_what_it_kept_of_the_training(made):
    said, judge, held_out = made
    card = read_card(judge)
    assert said[-1] == f"{judge} is written; completion level {card.completion:.3f}"
    assert set(card.tasks) == set(TASKS)
    assert make_judge(str(judge)).noise == card.noise
    assert {take.first.task for take in held_out} == set(TASKS)
    assert not list(judge.parent.glob("footage/training-*"))


def test_the_graphs_equal_the_network(made):
    _, judge, held_out = made
    network, graphs = load(judge), Graphs.load(judge)
    for take in held_out:
        expected = see(network, take)
        frames = {clip.view: clip.frames for clip in take.fixed}
        found = graphs.look(take.first.instructions[0], frames)
        np.testing.assert_allclose(found.raw, expected.progress, atol=1e-4)
        before, after = found.states[:1], found.states[1:2]
        hop = np.tanh(expected.hops[0, 1] / 4)  # which the graph does to the network's logit
        np.testing.assert_allclose(graphs.hop(before, after), [hop], atol=1e-4)
