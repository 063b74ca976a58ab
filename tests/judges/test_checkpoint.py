"""A training that was stopped goes on as if it had not been."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from assay.errors import InputError
from assay.judges.prm_mini._batches import Recipe
from assay.judges.prm_mini._clips import SIZE, Clip
from assay.judges.prm_mini._fitting import fit

RECIPE = Recipe(steps=5, episodes=2, moments=2, every=2, views=(1.0, 0.0, 0.0))


class Stopped(Exception):
    """Stands for whatever ends a training from outside."""


@pytest.fixture(scope="module")
def clips():
    """Three short episodes to learn from, and one held out."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    values = np.array([0.0, 0.6, 0.3, 1.0], dtype=np.float32)
    made = [
        Clip(
            rng.integers(0, 255, (len(values), SIZE, SIZE, 3), dtype=np.uint8),
            values,
            ("push",),
            "push",
            str(number),
            "front",
            success=True,
        )
        for number in range(4)
    ]
    return made[:3], made[3:]


def stop_after_looks(count):
    """Return what stops a training once it has looked so often."""
    looks = []

    def look(found):
        looks.append(found)
        if len(looks) == count:
            raise Stopped

    return look


def fitted(clips, path, recipe=RECIPE):
    """Train; return what came of it and the steps that were taken."""
    steps = []
    found = fit(*clips, recipe, on_step=lambda step, _: steps.append(step), checkpoint=path)
    return found, steps


@pytest.mark.parametrize("lanes", [1, 2])
def test_a_stopped_training_gives_the_same_weights_to_the_bit(clips, tmp_path, lanes):
    recipe = Recipe(**{**vars(RECIPE), "lanes": lanes})
    whole, every = fitted(clips, None, recipe)
    path = tmp_path / "work" / "training.pt"
    with pytest.raises(Stopped):
        fit(*clips, recipe, on_look=stop_after_looks(1), checkpoint=path)
    again, left = fitted(clips, path, recipe)
    assert (every, left) == ([1, 2, 3, 4, 5], [3, 4, 5])
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, again.network.state_dict()[name]), name
    assert repr(again.history) == repr(whole.history)  # to the last digit; NaN is like NaN here
    done, none = fitted(clips, path, recipe)
    assert none == []
    assert repr(done.history) == repr(whole.history)
    assert [file.name for file in path.parent.iterdir()] == ["training.pt"]


def test_a_training_whose_time_was_up_takes_no_more_steps(clips, tmp_path):
    recipe = Recipe(**{**vars(RECIPE), "minutes": 1e-9})
    assert fitted(clips, tmp_path / "training.pt", recipe)[1] == [1, 2]  # to the first look
    assert fitted(clips, tmp_path / "training.pt", recipe)[1] == []


def test_another_training_is_not_gone_on_from(clips, tmp_path):
    path = tmp_path / "training.pt"
    fitted(clips, path)
    other = Recipe(**{**vars(RECIPE), "seed": 1})
    assert fitted(clips, path, other)[1] == [1, 2, 3, 4, 5]
    assert fitted((clips[0][:2], clips[1]), path, other)[1] == [1, 2, 3, 4, 5]


def test_a_damaged_file_is_told(clips, tmp_path):
    path = tmp_path / "training.pt"
    path.write_bytes(b"half of it")
    with pytest.raises(InputError, match=r"training\.pt.* is damaged: remove it to train anew"):
        fit(*clips, RECIPE, checkpoint=path)
