"""A vision-language model in a folder: made in the test, saved, loaded again and asked."""

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

import models_tiny
from assay.errors import InputError, UsageError
from assay.models.address import make_provider, parse
from assay.models.base import Request, Sampling
from assay.models.pictures import prepare
from assay.models.providers._local_model import LocalModel, load

SHOWN = [prepare(np.full((40, 60, 3), level, np.uint8)) for level in (30, 220)]
SHORT = Sampling(max_tokens=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return models_tiny.llava(tmp_path_factory.mktemp("llava"))


def provider(folder):
    return make_provider(parse(f"transformers:{folder}"))


def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def test_it_answers_to_pictures_and_text(folder):
    made = provider(folder)
    made.check()
    reply = made.answer(Request(("first", SHOWN[0], "then", SHOWN[1], "?"), sampling=SHORT))
    # random weights talk on until they are cut
    assert (reply.status, reply.output_tokens) == ("truncated", 4)
    assert "max_tokens" in reply.detail
    assert reply.text
    # Four patches a picture; the rest of the prompt is at least a token a word.
    assert reply.input_tokens > 2 * 4 + 5
    assert reply.revision == made.revision()


def test_an_answer_that_ends_is_ok(tmp_path):
    made = provider(models_tiny.llava(tmp_path, terse=True))
    reply = made.answer(Request((SHOWN[0], "?"), sampling=SHORT))
    assert (reply.status, reply.output_tokens, reply.logprobs) == ("ok", 1, None)


def test_the_system_and_the_schema_are_told_in_words(folder):
    plain = Request((SHOWN[0], "?"), sampling=SHORT)
    schema = Request(plain.parts, "be brief", {"type": "object"}, SHORT)
    counts = [provider(folder).answer(asked).input_tokens for asked in (plain, schema)]
    assert counts[1] > counts[0] + len(json.dumps(schema.schema)) / 8


def test_the_same_seed_says_the_same_and_samples_differ(folder):
    def said(sample, seed):
        drawn = Sampling(temperature=2.0, max_tokens=8, seed=seed)
        return provider(folder).answer(Request((SHOWN[0], "?"), sampling=drawn, sample=sample)).text

    assert said(0, 1) == said(0, 1)
    assert len({said(sample, 1) for sample in range(4)}) > 1
    assert said(1, 1) == said(0, 2)  # seed and sample add up


def first_token(folder, request):
    """Log-probabilities of the first token, from the model itself."""
    model = load(folder, provider(folder).revision())
    with torch.inference_mode():
        logits = model.model(**model._prompt(request)).logits[0, -1].double()
    return torch.log_softmax(logits, dim=-1)


def test_options_get_the_chance_of_their_first_token(folder):
    request = Request((SHOWN[1], "done?"), sampling=Sampling(max_tokens=1), options=("yes", "no"))
    reply = provider(folder).answer(request)
    assert reply.status == "ok"
    chances = first_token(folder, request).exp()
    for option in request.options:
        # with and without a blank before it
        spelt = [
            models_tiny.tokenizer().encode(t, add_special_tokens=False)
            for t in (option, f" {option}")
        ]
        expected = sum(float(chances[tokens[0]]) for tokens in spelt)
        assert math.exp(reply.logprobs[option]) == pytest.approx(expected, rel=1e-4)


def test_options_that_begin_alike_are_scored_to_their_end(folder):
    # "q" is a token of its own, so both begin with it; P(qz) = P(q) P(z | q)
    request = Request((SHOWN[1], "?"), sampling=Sampling(max_tokens=1), options=("qz", "qx"))
    found = provider(folder).answer(request).logprobs
    first = first_token(folder, request)
    (q,) = models_tiny.tokenizer().encode("q", add_special_tokens=False)
    both = sum(map(math.exp, found.values()))
    assert set(found) == {"qz", "qx"}
    assert both < math.exp(float(first[q]))  # all that begins with q is more than these two
    assert found["qz"] != found["qx"]


def test_what_does_not_fit_is_not_asked(folder):
    assert provider(folder).limits() == {"tokens": 512}
    reply = provider(folder).answer(Request(("word " * 600,), sampling=SHORT))
    # As with an endpoint: there is no answer, so none that was cut, and no token was spent.
    assert (reply.status, reply.text) == ("transport", "")
    assert (reply.input_tokens, reply.output_tokens) == (None, None)
    assert "takes 512 together: show fewer or smaller pictures" in reply.detail
    page = Path(__file__).parents[2] / "docs" / "encoders.md"
    assert f"context is not asked. It gets the status `{reply.status}`" in page.read_text()


def test_other_weights_are_another_revision(folder, tmp_path):
    before = provider(folder).revision()
    assert before == provider(folder).revision() == provider(copy(folder, tmp_path)).revision()
    assert provider(models_tiny.llava(tmp_path / "b", seed=1)).revision() != before


# --- what can't be loaded


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="is not a folder of a saved model"):
        provider(tmp_path / "nowhere").check()


def test_a_folder_without_a_configuration(tmp_path):
    with pytest.raises(InputError, match=r"config\.json: can't be read"):
        provider(tmp_path).check()


def test_a_folder_without_weights(folder, tmp_path):
    bare = copy(folder, tmp_path)
    (bare / "model.safetensors").unlink()
    with pytest.raises(InputError, match="holds no weights"):
        provider(bare).check()


@pytest.mark.parametrize("kind", ["clip", "bert", "no-such-model"])
def test_a_model_of_another_kind(kind, folder, tmp_path):
    other = copy(folder, tmp_path)
    (other / "config.json").write_text(json.dumps({"model_type": kind}))
    with pytest.raises(InputError, match=f"holds a model of type '{kind}'"):
        provider(other).check()


def test_weights_that_are_cut(folder, tmp_path):
    cut = copy(folder, tmp_path)
    whole = (cut / "model.safetensors").read_bytes()
    (cut / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="can't be loaded as a vision-language model"):
        provider(cut).answer(Request(("?",)))


def test_weights_that_lack_a_part_are_not_filled_with_noise(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    lacking = copy(folder, tmp_path)
    weights = load_file(lacking / "model.safetensors")
    name = next(name for name in weights if "mlp" in name)
    del weights[name]
    save_file(weights, lacking / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match="has not the weights of a vision-language model: 1 are"):
        provider(lacking).answer(Request(("?",)))


def test_a_model_that_was_never_taught_to_talk(folder, tmp_path):
    silent = copy(folder, tmp_path)
    (silent / "chat_template.jinja").unlink()
    with pytest.raises(InputError, match="has no chat template"):
        provider(silent).answer(Request(("?",)))


def test_a_model_that_watches_videos_says_what_it_needs(folder, tmp_path):
    other = copy(folder, tmp_path)
    (other / "config.json").write_text(json.dumps({"model_type": "qwen2_vl"}))
    with pytest.raises(UsageError, match="can't load them without the package 'torchvision'"):
        provider(other).check()


def test_a_picture_of_another_shape_can_be_more_tokens():
    model, ready = models_tiny.qwen2_vl()
    made = LocalModel(ready, model.eval())
    shapes = ((28, 28), (28, 112))  # 28 px squared is one token: 1 and 4
    shown = [prepare(np.full((*shape, 3), 90, np.uint8)) for shape in shapes]
    small, large = (made.answer(Request((s, "?"), sampling=SHORT)) for s in shown)
    assert small.output_tokens == large.output_tokens == 4
    assert large.input_tokens - small.input_tokens == 3
    # options that begin alike: the picture's own inputs stay as they are
    request = Request((shown[1], "?"), sampling=Sampling(max_tokens=1), options=("qz", "qx"))
    assert set(made.answer(request).logprobs) == {"qz", "qx"}
