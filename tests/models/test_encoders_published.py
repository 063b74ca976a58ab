"""VIP and LIV: small networks under the published names, and networks of others beside them."""

import numpy as np
import pytest
import torch

import models_tiny
from assay.errors import InputError, UsageError
from assay.models.encoders._networks import LivNetwork, VipNetwork
from assay.models.encoders._published import Shown
from assay.models.encoders._resnet import AttentionPool, Residual
from assay.models.encoders.base import make_encoder

RNG = np.random.default_rng(3)
IMAGES = [RNG.integers(0, 256, (h, w, 3), dtype=np.uint8) for h, w in ((90, 120), (64, 64))]
PLAIN = Shown(4, 2, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


def like_vip(width=8, out=6):
    """Weights with VIP's names: 64 channels and 1024 numbers in the published file."""
    shape = {
        "convnet.conv1.weight": torch.zeros(width, 3, 7, 7),
        "convnet.fc.weight": torch.zeros(out, width * 32),
    }
    names = {
        f"convnet.layer{i}.{k}.conv1.weight": torch.zeros(1) for i in (1, 2, 3, 4) for k in (0, 1)
    }
    return VipNetwork.of({**shape, **names})


def like_liv(width=4, out=6, channels=64):
    """Weights with LIV's names; of 224 px, 7 x 7 places and their mean are left."""
    wide = width * 32
    shape = {
        "model.token_embedding.weight": torch.zeros(len(models_tiny.tokenizer()), channels),
        "model.positional_embedding": torch.zeros(16, channels),
        "model.text_projection": torch.zeros(channels, out),
        "model.transformer.resblocks.0.attn.in_proj_weight": torch.zeros(1),
        "model.visual.conv3.weight": torch.zeros(width, 1, 1, 1),
        "model.visual.attnpool.positional_embedding": torch.zeros(50, wide),
    }
    names = {f"model.visual.layer{i}.0.conv1.weight": torch.zeros(1) for i in (1, 2, 3, 4)}
    return LivNetwork.of({**shape, **names})


def stirred(network, seed=0):
    """The network with random weights, and averages that are not 0 and 1."""
    torch.manual_seed(seed)
    for name, value in network.state_dict().items():
        if value.dtype == torch.float32:
            value.copy_(
                torch.rand_like(value) + 0.5
                if "running_var" in name
                else torch.randn_like(value) * 0.2
            )
    return network.eval()


def publish(path, name, network):
    """Save as the authors did: wrapped once, under the model's name, beside other things."""
    weights = {f"module.{key}": value for key, value in network.state_dict().items()}
    torch.save({name: weights, "global_step": 10}, path)
    return path


@pytest.fixture(scope="module")
def vip(tmp_path_factory):
    return publish(tmp_path_factory.mktemp("vip") / "model.pt", "vip", stirred(like_vip()))


@pytest.fixture(scope="module")
def liv(tmp_path_factory):
    folder = tmp_path_factory.mktemp("liv")
    models_tiny.tokenizer().save_pretrained(folder)
    publish(folder / "model.pt", "liv", stirred(like_liv()))
    return folder


def test_vip_gives_rows_of_length_one(vip):
    made = make_encoder(f"vip:{vip}")
    made.check()
    rows = made.pictures(IMAGES)
    assert rows.shape == (2, 6)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 1.0], abs=1e-12)
    assert make_encoder(f"vip:{vip.parent}").pictures(IMAGES[1:]) == pytest.approx(
        rows[1:], abs=1e-5
    )
    with pytest.raises(UsageError, match="vip knows no words"):
        made.words(["x"])


def test_liv_reads_words_too(liv):
    made = make_encoder(f"liv:{liv}")
    rows = made.words(["the red block", "yes"])
    assert made.pictures(IMAGES).shape == rows.shape == (2, 6)
    # what stands behind the end of a text does not count
    assert made.words(["yes"])[0] == pytest.approx(rows[1], abs=1e-5)


def test_the_residual_network_is_the_usual_one():
    """Against transformers' ResNet, whose weights it is given."""
    from transformers import ResNetConfig, ResNetModel

    config = ResNetConfig(
        embedding_size=8,
        hidden_sizes=[32, 64, 128, 256],
        depths=[2, 2, 2, 2],
        layer_type="bottleneck",
    )
    theirs = stirred(ResNetModel(config))
    ours = Residual(8, (2, 2, 2, 2), smooth=False)
    ours.load_state_dict({_usual(key): value for key, value in theirs.state_dict().items()})
    x = torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        expected = theirs(x).last_hidden_state
        assert torch.allclose(
            ours.eval().maps(x), expected, rtol=1e-4, atol=1e-4 * expected.abs().max()
        )


def _usual(key):
    """Return the published name of one of transformers' weights."""
    part = {"convolution": "conv", "normalization": "bn"}
    words = key.split(".")
    if words[0] == "embedder":
        return f"{part[words[2]]}1.{words[3]}"
    stage, block = int(words[2]) + 1, words[4]
    if words[5] == "shortcut":
        return f"layer{stage}.{block}.downsample.{0 if words[6] == 'convolution' else 1}.{words[7]}"
    return f"layer{stage}.{block}.{part[words[7]]}{int(words[6]) + 1}.{words[8]}"


def test_words_are_read_as_clip_reads_them():
    """Against transformers' text side of CLIP, whose weights ours is given."""
    from transformers import CLIPTextConfig, CLIPTextModelWithProjection

    network = stirred(like_liv())
    ours = network.model
    ends = {f"{name}_token_id": models_tiny.token("<end>") for name in ("eos", "pad")}
    config = CLIPTextConfig(
        **ends,
        vocab_size=ours.token_embedding.num_embeddings,
        max_position_embeddings=16,
        hidden_size=64,
        intermediate_size=256,
        num_hidden_layers=1,
        num_attention_heads=1,
        projection_dim=6,
    )
    theirs = CLIPTextModelWithProjection(config).eval()
    theirs.load_state_dict(_as_clip(ours.state_dict()), strict=True)
    tokens = models_tiny.tokenizer()(["the red block", "yes"], padding=True, return_tensors="pt")
    with torch.inference_mode():
        expected = theirs(**tokens).text_embeds
        assert torch.allclose(network.words(tokens["input_ids"]), expected, rtol=1e-4, atol=1e-5)


def _as_clip(weights):
    """Return weights of one layer under transformers' names."""
    layer = "text_model.encoder.layers.0."
    found = {
        "text_model.embeddings.token_embedding.weight": weights["token_embedding.weight"],
        "text_model.embeddings.position_embedding.weight": weights["positional_embedding"],
        "text_projection.weight": weights["text_projection"].T,
    }
    for end in ("weight", "bias"):
        inner = f"transformer.resblocks.0.{{}}.{end}".format
        found[f"text_model.final_layer_norm.{end}"] = weights[f"ln_final.{end}"]
        found[f"{layer}layer_norm1.{end}"] = weights[inner("ln_1")]
        found[f"{layer}layer_norm2.{end}"] = weights[inner("ln_2")]
        found[f"{layer}mlp.fc1.{end}"] = weights[inner("mlp.c_fc")]
        found[f"{layer}mlp.fc2.{end}"] = weights[inner("mlp.c_proj")]
        found[f"{layer}self_attn.out_proj.{end}"] = weights[inner("attn.out_proj")]
        three = weights[f"transformer.resblocks.0.attn.in_proj_{end}"].chunk(3)
        for name, value in zip("qkv", three, strict=True):
            found[f"{layer}self_attn.{name}_proj.{end}"] = value
    return found


def test_attention_pools_by_hand():
    """One head, maps of 1 x 2 places: softmax(q k / sqrt(2)) of mean and places, in numpy."""
    pool = stirred(AttentionPool(3, 2, 2, 1))
    maps = torch.tensor([[[[1.0, 3.0]], [[-2.0, 0.5]]]])
    weights = {k: v.numpy().astype(np.float64) for k, v in pool.state_dict().items()}
    places = np.array([[1.0, -2.0], [3.0, 0.5]])
    x = np.vstack([places.mean(axis=0), places]) + weights["positional_embedding"]

    def through(name, rows):
        return rows @ weights[f"{name}_proj.weight"].T + weights[f"{name}_proj.bias"]

    scores = np.exp(through("q", x[:1]) @ through("k", x).T / np.sqrt(2))
    expected = through("c", scores / scores.sum() @ through("v", x))
    with torch.inference_mode():
        assert pool(maps).numpy() == pytest.approx(expected, abs=1e-6)


def test_averages_make_maps_smaller_where_clip_does():
    """All weights but the ways around are zero: a stage of CLIP's kind averages 2 x 2 places."""
    network = Residual(4, (1, 1, 1, 1), smooth=True).eval()
    block = network.layer2[0]
    for parameter in network.parameters():
        parameter.data.zero_()
    block.downsample[0].weight.data[0, 0] = 1.0
    block.downsample[1].weight.data.fill_(1.0)
    maps = torch.zeros(1, 16, 2, 2)
    maps[0, 0] = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
    with torch.inference_mode():
        # (1 + 2 + 3 + 6) / 4 = 3; running averages 0 and 1, and 1e-5 beside the variance
        assert block(maps)[0, 0].item() == pytest.approx(3.0, rel=1e-4)


def test_the_middle_of_a_picture_is_shown():
    # 4 x 8 pixels, shorter side 4: nothing is resized; of columns 0..7 the middle are 3 and 4
    image = np.zeros((4, 8, 3), np.uint8)
    image[..., 0] = np.arange(8) * 10
    square = PLAIN([image])[0, 0] * 255
    assert square.numpy() == pytest.approx(np.array([[30.0, 40.0]] * 2), abs=1e-4)


@pytest.mark.parametrize("shape", [(1, 900), (900, 1), (3, 5), (224, 224)])
def test_pictures_of_any_shape_become_squares(shape):
    assert PLAIN([np.zeros((*shape, 3), np.uint8)]).shape == (1, 3, 2, 2)


# --- files that are something else


def test_weights_of_another_network_are_told(vip, liv):
    with pytest.raises(InputError, match="holds no weights of liv"):
        make_encoder(f"liv:{vip}").pictures(IMAGES)
    with pytest.raises(InputError, match="holds no weights of vip"):
        make_encoder(f"vip:{liv}").pictures(IMAGES)


def test_a_network_with_other_blocks_is_told(tmp_path):
    other = {k: v for k, v in like_vip().state_dict().items() if ".conv3." not in k}
    torch.save({"vip": other}, tmp_path / "model.pt")
    with pytest.raises(InputError, match="can't be loaded as vip"):
        make_encoder(f"vip:{tmp_path}").pictures(IMAGES)


@pytest.mark.parametrize("content", [b"", b"not a file of torch", b"PK\x03\x04"])
def test_what_torch_did_not_save_is_told(content, tmp_path):
    (tmp_path / "model.pt").write_bytes(content)
    with pytest.raises(InputError, match="can't be loaded as weights of vip"):
        make_encoder(f"vip:{tmp_path}").pictures(IMAGES)


def test_code_in_a_file_is_not_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return (tmp_path.joinpath("ran").touch, ())

    torch.save({"vip": Evil()}, tmp_path / "model.pt")
    with pytest.raises(InputError, match="can't be loaded as weights of vip"):
        make_encoder(f"vip:{tmp_path}").pictures(IMAGES)
    assert not (tmp_path / "ran").exists()


def test_a_file_without_tensors_is_told(tmp_path):
    torch.save({"vip": {"step": 3}}, tmp_path / "model.pt")
    with pytest.raises(InputError, match="holds no weights of vip"):
        make_encoder(f"vip:{tmp_path}").pictures(IMAGES)


def test_liv_without_a_tokenizer_still_sees(liv, tmp_path):
    (tmp_path / "model.pt").write_bytes((liv / "model.pt").read_bytes())
    made = make_encoder(f"liv:{tmp_path}")
    assert made.pictures(IMAGES).shape == (2, 6)
    with pytest.raises(InputError, match="CLIP's tokenizer"):
        made.words(["yes"])
