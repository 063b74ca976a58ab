"""Several batches looked at side by side: one network, one gradient, no chance."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from assay.judges.prm_mini._batches import Batch, Recipe, Sampler
from assay.judges.prm_mini._clips import SIZE, Clip, takes
from assay.judges.prm_mini._lanes import Lanes, shared_cores
from assay.judges.prm_mini._network import Network


@pytest.fixture
def network() -> Network:
    torch.set_num_threads(2)
    torch.manual_seed(0)
    return Network().to(memory_format=torch.channels_last)


@pytest.fixture(scope="module")
def batch() -> Batch:
    rng = np.random.default_rng(0)
    frames = rng.integers(0, 255, (4, SIZE, SIZE, 3), dtype=np.uint8)
    values = np.linspace(0.0, 1.0, 4, dtype=np.float32)
    clip = Clip(frames, values, ("push",), "push", "0", "front", success=True)
    return Sampler(takes([clip]), Recipe(episodes=1, moments=2), rng).draw()


def bent(network: Network, batch: Batch, chance: torch.Generator) -> torch.Tensor:
    """Return a loss whose gradients are known: twice the weight for tokens of 1, once for 0."""
    times = 1.0 + float(batch.tokens.max())
    pushed = times + 0.0 * torch.rand((), generator=chance)
    return pushed * sum(weight.sum() for weight in network.head.parameters())


def told(batch: Batch, word: int) -> Batch:
    return Batch(**{**vars(batch), "tokens": np.full_like(batch.tokens, word)})


def test_the_gradient_is_the_mean_over_the_lanes(network, batch):
    # d(times * w)/dw: 1 in the first lane, 3 in the second, 2 on average; other weights have none.
    lanes = Lanes(network, 2, seed=0)
    loss, gradients = lanes.learn([told(batch, 0), told(batch, 2)], bent)
    by_name = dict(zip(dict(network.named_parameters()), gradients, strict=True))
    assert all(g is None for name, g in by_name.items() if not name.startswith("head."))
    assert all(torch.all(g == 2.0) for name, g in by_name.items() if name.startswith("head."))
    whole = sum(float(weight.detach().sum()) for weight in network.head.parameters())
    assert loss == pytest.approx(2.0 * whole, abs=1e-3)


def counted(network: Network, batch: Batch, chance: torch.Generator) -> torch.Tensor:
    """Return any loss, after a layer has seen pictures as bright as the batch's first word."""
    del chance
    pictures = torch.full((2, 3, SIZE, SIZE), float(batch.tokens[0, 0]))
    pictures[0] += 1.0
    return network.trunk(pictures).sum()


def test_running_statistics_are_the_mean_of_what_the_lanes_saw(network, batch):
    alone = []
    for word in (0, 3):
        single = Network()
        single.load_state_dict(network.state_dict())
        Lanes(single, 1, seed=0).learn([told(batch, word)], counted)
        alone.append(single.trunk.body[0][1].running_mean)
    Lanes(network, 2, seed=0).learn([told(batch, 0), told(batch, 3)], counted)
    found = network.trunk.body[0][1].running_mean
    assert not torch.equal(alone[0], alone[1])
    torch.testing.assert_close(found, (alone[0] + alone[1]) / 2, rtol=1e-3, atol=1e-4)


def test_cores_are_shared_out_and_given_back():
    torch.set_num_threads(2)
    with shared_cores(2):
        assert torch.get_num_threads() == 1
    with shared_cores(5):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2
