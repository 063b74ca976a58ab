"""Encoders: rows of length 1, the same in any batch, and files that are not what they should be."""

import json
import shutil

import numpy as np
import pytest
import torch
from PIL import Image

import models_tiny
from assay import plugins
from assay.errors import InputError, UnknownNameError, UsageError
from assay.models.encoders.base import Encoder, make_encoder

MADE = {"clip": models_tiny.clip, "siglip": models_tiny.siglip, "dinov2": models_tiny.dinov2}
RNG = np.random.default_rng(7)
IMAGES = [
    RNG.integers(0, 256, (h, w, 3), dtype=np.uint8) for h, w in ((40, 50), (33, 32), (64, 48))
]
TEXTS = ["the red block", "is in the basket", "yes"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """One saved model of each kind."""
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in MADE.items()}


@pytest.fixture(params=sorted(MADE))
def encoder(request, folders):
    return make_encoder(f"{request.param}:{folders[request.param]}")


def test_rows_have_length_one_and_differ(encoder):
    encoder.check()
    assert isinstance(encoder, Encoder)
    rows = encoder.pictures(IMAGES)
    assert rows.dtype == np.float64
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0] * 3, abs=1e-12)
    assert np.abs(rows[0] - rows[1]).max() > 1e-3
    assert encoder.pictures([]).shape == (0, 0)


def test_a_batch_changes_nothing(encoder):
    apart = type(encoder)(encoder.path, threads=2, batch=1)
    assert apart.pictures(IMAGES) == pytest.approx(encoder.pictures(IMAGES), abs=1e-5)


def test_threads_are_given_back(encoder):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    encoder.pictures(IMAGES[:1])
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", ["clip", "siglip"])
def test_words_are_rows_in_the_same_space(name, folders):
    made = make_encoder(f"{name}:{folders[name]}")
    rows = made.words(TEXTS)
    assert rows.shape == (3, made.pictures(IMAGES).shape[1])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0] * 3, abs=1e-12)
    # alone or beside longer ones, however they are made equally long; and a long one is cut
    assert made.words(TEXTS[2:])[0] == pytest.approx(rows[2], abs=1e-5)
    assert made.words(["block " * 200]).shape == (1, rows.shape[1])


def test_clip_gives_what_the_model_itself_gives(folders):
    from transformers import AutoTokenizer, CLIPModel
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    model = CLIPModel.from_pretrained(folders["clip"]).eval()
    ready = CLIPImageProcessorPil.from_pretrained(folders["clip"])
    pixels = ready([Image.fromarray(image) for image in IMAGES], return_tensors="pt")
    tokens = AutoTokenizer.from_pretrained(folders["clip"])(
        TEXTS, padding=True, return_tensors="pt"
    )
    with torch.inference_mode():
        both = model(**tokens, **pixels)
    made = make_encoder(f"clip:{folders['clip']}")
    assert made.pictures(IMAGES) == pytest.approx(both.image_embeds.double().numpy(), abs=1e-5)
    assert made.words(TEXTS) == pytest.approx(both.text_embeds.double().numpy(), abs=1e-5)


def test_dinov2_knows_no_words(folders):
    with pytest.raises(UsageError, match=r"dinov2 knows no words.*take clip, siglip or liv"):
        make_encoder(f"dinov2:{folders['dinov2']}").words(TEXTS)


def test_the_revision_is_of_the_weights(folders, tmp_path):
    same = shutil.copytree(folders["clip"], tmp_path / "same")
    other = models_tiny.clip(tmp_path / "other", seed=1)
    found = [make_encoder(f"clip:{path}").revision() for path in (folders["clip"], same, other)]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("name", plugins.names("assay.models.encoders"))
def test_every_encoder_keeps_the_contract(name, tmp_path):
    made = make_encoder(f"{name}:{tmp_path / 'nowhere'}", threads=3)
    assert isinstance(made, Encoder)
    assert made.threads == 3
    assert plugins.describe("assay.models.encoders", name).endswith(".")
    with pytest.raises(InputError, match="nowhere"):
        made.check()


def test_what_is_typed_wrong_is_told():
    with pytest.raises(UnknownNameError, match="Did you mean 'siglip'"):
        make_encoder("siglp:/x")
    with pytest.raises(UsageError, match="'clip' has no path"):
        make_encoder("clip")
    with pytest.raises(UsageError, match="at least 1 thread, not 0"):
        make_encoder("clip:/x", threads=0)


def test_another_architecture_is_told(folders):
    with pytest.raises(InputError, match="holds a model of type 'clip'; siglip is siglip"):
        make_encoder(f"siglip:{folders['clip']}").pictures(IMAGES)


def test_weights_of_another_size_are_told(folders, tmp_path):
    wrong = shutil.copytree(folders["clip"], tmp_path / "wrong")
    config = json.loads((wrong / "config.json").read_text())
    config["projection_dim"] = 4
    (wrong / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="wrong: "):
        make_encoder(f"clip:{wrong}").pictures(IMAGES)


def test_weights_that_are_not_numbers_are_told(folders, tmp_path):
    from safetensors.torch import load_file, save_file

    broken = shutil.copytree(folders["dinov2"], tmp_path / "broken")
    weights = {
        k: torch.full_like(v, float("nan"))
        for k, v in load_file(broken / "model.safetensors").items()
    }
    save_file(weights, broken / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match="zero or not finite"):
        make_encoder(f"dinov2:{broken}").pictures(IMAGES)
