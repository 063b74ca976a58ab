"""How the network's weights follow their gradients: Muon for matrices, AdamW for the rest."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from assay.judges.prm_mini._batches import Recipe, Sampler
from assay.judges.prm_mini._clips import SIZE, Clip, takes
from assay.judges.prm_mini._fitting import fit
from assay.judges.prm_mini._network import Network
from assay.judges.prm_mini._optimising import Optimiser
from assay.judges.prm_mini._text import tokens

RATE = 0.004


def made(matrices: float) -> tuple[Network, Optimiser]:
    torch.manual_seed(0)
    network = Network().to(memory_format=torch.channels_last)
    return network, Optimiser(network, Recipe(matrices=matrices, steps=10))


def leaned(network: Network) -> list[torch.Tensor]:
    """Return gradients: another random number for every weight."""
    chance = torch.Generator().manual_seed(1)
    found = [torch.randn(weight.shape, generator=chance) for weight in network.parameters()]
    return [own.to(memory_format=torch.channels_last) if own.ndim == 4 else own for own in found]


def change(matrices: float) -> dict[str, torch.Tensor]:
    """Return what one step does to each weight."""
    network, optimiser = made(matrices)
    before = {name: value.detach().clone() for name, value in network.named_parameters()}
    optimiser.step(leaned(network))
    return {name: value.detach() - before[name] for name, value in network.named_parameters()}


def test_a_step_of_kernels_is_about_equally_long_in_all_directions():
    # AdamW's first step is the sign of the gradient; the singular values of a random (64, 576)
    # matrix spread over (sqrt(576) + 8) / (sqrt(576) - 8) = 2. Muon's five rounds leave 0.7 to 1.2.
    def spread(step: torch.Tensor) -> float:
        values = torch.linalg.svdvals(step.flatten(1).double())
        return float(values.max() / values.min())

    name = "eye.res.0.body.0.weight"
    assert spread(change(RATE)[name]) < 1.75 < spread(change(0.0)[name])


def test_kernels_in_memory_are_those_that_move():
    # match_rms_adamw: a step's root mean square is 0.2 of the rate, times 0.7 to 1.2.
    step = change(RATE)["eye.res.0.body.0.weight"]
    first = RATE / 25  # the schedule begins there
    assert 0.1 * first < float(step.square().mean().sqrt()) < 0.3 * first


@pytest.mark.parametrize(
    "name",
    ["words.embed.weight", "head.progress.weight", "head.facts.weight", "trunk.body.0.0.weight"],
)
def test_words_and_ends_stay_with_adamw(name):
    torch.testing.assert_close(change(RATE)[name], change(0.0)[name])


def test_a_step_from_a_kept_state_is_the_step_that_would_have_come():
    network, optimiser = made(RATE)
    optimiser.step(leaned(network))
    other, again = made(RATE)
    other.load_state_dict(network.state_dict())
    again.load_state_dict(copy.deepcopy(optimiser.state_dict()))  # as read from a file
    for each, one in ((network, optimiser), (other, again)):
        one.step(leaned(each))
    for name, value in network.state_dict().items():
        torch.testing.assert_close(other.state_dict()[name], value, rtol=0, atol=0)


def still(text: str) -> Clip:
    frames = np.random.default_rng(0).integers(0, 255, (4, SIZE, SIZE, 3), dtype=np.uint8)
    values = np.linspace(0.0, 1.0, 4, dtype=np.float32)
    return Clip(frames, values, (text,), "push", "0", "front", success=True)


def test_words_that_were_never_read_mean_nothing():
    clip = still("push the block")
    torch.set_num_threads(1)
    network = fit([clip], [clip], Recipe(steps=1, episodes=1, moments=2)).network
    row = {word: network.words.embed.weight[tokens(word)[0]] for word in ("push", "knob")}
    assert row["push"].abs().sum() > 0
    assert not row["knob"].any()


@pytest.mark.parametrize("unread", [0.0, 1.0])
def test_some_words_are_left_out_so_often(unread):
    recipe = Recipe(unread=unread, goal=0.0, episodes=40, moments=2)
    clip = still("red green blue yellow pink brown cyan purple")
    drawn = Sampler(takes([clip]), recipe, np.random.default_rng(0)).draw().tokens[:, :8]
    share = float((drawn == 0).mean())
    # 320 words, each left out with 0.25: 0.25 within four standard deviations, 4 * 0.024
    assert abs(share - 0.25 * unread) < 0.1 * unread + 1e-9
