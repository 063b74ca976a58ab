"""Endpoints: the bodies they are sent, the answers they give, and what stops them beforehand."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.models.address import make_provider, parse
from assay.models.base import Request, Sampling
from assay.models.pictures import prepare
from assay.models.providers._options import of_options
from assay.models.providers._wire import base64_of, closed

PICTURE = prepare(np.zeros((16, 16, 3), np.uint8))
DATA = base64_of(PICTURE)
SCHEMA = {
    "type": "object",
    "properties": {"minimum": {"type": "number", "minimum": 0, "maximum": 1}},
}
ASKED = Request(
    ("before", PICTURE, "after"),
    system="be brief",
    schema=SCHEMA,
    sampling=Sampling(temperature=0.5, max_tokens=9, top_p=0.9, seed=40),
    sample=2,
)
OPTIONS = Request(("done?", PICTURE), sampling=Sampling(max_tokens=1), options=("yes", "no"))
HTTP = ("openai", "anthropic", "gemini")


def provider(text):
    return make_provider(parse(text))


# --- bodies


def test_openai_is_asked_in_its_words():
    body = provider("openai:m@http://localhost:1/v1").body(ASKED)
    url = {"url": f"data:image/jpeg;base64,{DATA}"}
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": "be brief"}]},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "before"},
                    {"type": "image_url", "image_url": url},
                    {"type": "text", "text": "after"},
                ],
            },
        ],
        "max_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 42,  # 40 and sample 2: else every sample would be the same draw
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "strict": True,
                "schema": {**SCHEMA, "required": ["minimum"], "additionalProperties": False},
            },
        },
    }


def test_openai_itself_has_renamed_the_longest_length():
    body = provider("openai:gpt-4o").body(ASKED)
    assert body["max_completion_tokens"] == 9
    assert "max_tokens" not in body


@pytest.mark.parametrize("name", ["o3", "gpt-5", "gpt-5-mini"])
def test_models_that_think_are_not_told_how_to_draw(name):
    made = provider(f"openai:{name}")
    assert {"temperature", "top_p", "seed"} & set(made.body(ASKED)) == set()
    assert made.limits()["options"] == 0


@pytest.mark.parametrize(
    "text", ["openai:gpt-5.1", "openai:gpt-5-chat-latest", "openai:o3@http://x"]
)
def test_others_are(text):
    assert provider(text).body(ASKED)["temperature"] == 0.5


def test_options_ask_for_listed_tokens_and_no_schema():
    asked = Request(("?",), schema=SCHEMA, options=("yes",))
    body = provider("openai:m@http://localhost:1").body(asked)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
    assert "response_format" not in body
    settings = provider("gemini:m@http://localhost:1").body(asked)["generationConfig"]
    assert (settings["responseLogprobs"], settings["logprobs"]) == (True, 20)
    assert "responseJsonSchema" not in settings


def test_anthropic_is_asked_in_its_words():
    body = provider("anthropic:claude-sonnet-4-5").body(ASKED)
    source = {"type": "base64", "media_type": "image/jpeg", "data": DATA}
    assert body == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "system": "be brief",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "before"},
                    {"type": "image", "source": source},
                    {"type": "text", "text": "after"},
                ],
            }
        ],
        "output_config": {
            "format": {
                "type": "json_schema",
                "schema": {
                    "type": "object",
                    # bounds are refused there; a property may still be called like one
                    "properties": {"minimum": {"type": "number"}},
                    "required": ["minimum"],
                    "additionalProperties": False,
                },
            }
        },
        "top_p": 0.9,  # never beside a temperature
    }


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("claude-3-7-sonnet-20250219", True),
        ("claude-opus-4-20250514", True),
        ("claude-opus-4-6", True),
        ("claude-opus-4-7", False),
        ("claude-opus-5", False),
        ("claude-sonnet-5-5", False),
    ],
)
def test_newer_claudes_refuse_a_temperature(name, told):
    body = provider(f"anthropic:{name}").body(Request(("?",)))
    assert ("temperature" in body) is told


def test_gemini_is_asked_in_its_words():
    made = provider("gemini:gemini-2.5-flash")
    own = "https://generativelanguage.googleapis.com/v1beta"
    assert made.url() == f"{own}/models/gemini-2.5-flash:generateContent"
    assert made.body(ASKED) == {
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"text": "before"},
                    {"inlineData": {"mimeType": "image/jpeg", "data": DATA}},
                    {"text": "after"},
                ],
            }
        ],
        "generationConfig": {
            "temperature": 0.5,
            "maxOutputTokens": 9,
            "topP": 0.9,
            "seed": 42,
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
        },
    }


@pytest.mark.parametrize("name", HTTP)
def test_a_body_is_json_and_holds_nothing_that_was_not_asked(name):
    body = provider(f"{name}:m@http://localhost:1").body(Request(("?",)))
    assert json.loads(json.dumps(body)) == body
    assert "null" not in json.dumps(body)


def test_a_schema_is_closed_at_every_depth():
    inner = {"type": "object", "properties": {"b": {"type": "integer"}}}
    whole = {"type": "object", "properties": {"a": {"type": "array", "items": inner}}}
    done = closed(whole)
    assert done["properties"]["a"]["items"]["required"] == ["b"]
    assert done["properties"]["a"]["items"]["additionalProperties"] is False
    assert "required" not in whole  # the caller's own is left alone


# --- answers


def openai_answer(message, finish="stop", **more):
    return {
        "model": "m-2026",
        "choices": [{"message": message, "finish_reason": finish, **more}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3},
    }


def anthropic_answer(text, stop="end_turn"):
    return {
        "model": "m-2026",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}],
        "stop_reason": stop,
        "usage": {"input_tokens": 4, "cache_read_input_tokens": 7, "output_tokens": 3},
    }


def gemini_answer(text, finish="STOP", **more):
    parts = [{"text": "hm", "thought": True}, {"text": text}]
    return {
        "modelVersion": "m-2026",
        "candidates": [{"content": {"parts": parts}, "finishReason": finish, **more}],
        "usageMetadata": {
            "promptTokenCount": 11,
            "candidatesTokenCount": 1,
            "thoughtsTokenCount": 2,
        },
    }


@pytest.mark.parametrize(
    ("name", "answer", "status", "text"),
    [
        ("openai", openai_answer({"content": "85"}), "ok", "85"),
        ("openai", openai_answer({"content": ""}), "ok", ""),
        ("openai", openai_answer({"content": "8"}, "length"), "truncated", "8"),
        ("openai", openai_answer({"content": None, "refusal": "I can't"}), "refused", ""),
        ("openai", openai_answer({"content": "x"}, "content_filter"), "refused", ""),
        ("anthropic", anthropic_answer("85"), "ok", "85"),
        ("anthropic", anthropic_answer("8", "max_tokens"), "truncated", "8"),
        ("anthropic", anthropic_answer("8", "model_context_window_exceeded"), "truncated", "8"),
        ("anthropic", anthropic_answer("no", "refusal"), "refused", ""),
        ("anthropic", anthropic_answer("", "pause_turn"), "transport", ""),
        ("gemini", gemini_answer("85"), "ok", "85"),
        ("gemini", gemini_answer("8", "MAX_TOKENS"), "truncated", "8"),
        ("gemini", gemini_answer("", "SAFETY"), "refused", ""),
        ("gemini", gemini_answer("", "OTHER"), "transport", ""),
    ],
)
def test_an_answer_is_read_with_its_status(name, answer, status, text):
    reply = provider(f"{name}:m@http://localhost:1").read(Request(("?",)), answer)
    assert (reply.status, reply.text) == (status, text)
    assert (reply.input_tokens, reply.output_tokens, reply.revision) == (11, 3, "m-2026")
    assert bool(reply.detail) is (status != "ok")


def test_a_blocked_prompt_is_a_refusal():
    answer = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    reply = provider("gemini:m@http://localhost:1").read(Request(("?",)), answer)
    assert reply.status == "refused"
    assert "PROHIBITED_CONTENT" in reply.detail


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "candidates", "usage", "parts", "text"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(
    st.sampled_from(HTTP),
    st.dictionaries(st.sampled_from(["choices", "content", "candidates"]), JSON),
)
def test_an_answer_of_another_shape_is_never_a_value(name, answer):
    reply = provider(f"{name}:m@http://localhost:1").read(Request(("?",)), answer)
    assert reply.status in ("ok", "transport", "truncated", "refused")
    if not answer:
        assert (reply.status, reply.text) == ("transport", "")
        assert "holds no" in reply.detail


def test_openai_gives_the_options_their_chances():
    # 0.5 + 0.25 say yes; "No" is not listed under that spelling but begun by "N"
    listed = [
        {"token": "Yes", "logprob": math.log(0.5)},
        {"token": " yes", "logprob": math.log(0.25)},
        {"token": "N", "logprob": math.log(0.125)},
        {"token": "Perhaps", "logprob": math.log(0.125)},
    ]
    choice = {"logprobs": {"content": [{"top_logprobs": listed}]}}
    answer = openai_answer({"content": "Yes"}, "length", **choice)
    reply = provider("openai:m@http://localhost:1").read(OPTIONS, answer)
    assert reply.status == "ok"  # one token was wanted, and one came
    assert reply.logprobs == pytest.approx({"yes": math.log(0.75), "no": math.log(0.125)})


def test_gemini_gives_the_options_their_chances():
    listed = [{"token": "no", "logProbability": -0.5}]
    logprobs = {"logprobsResult": {"topCandidates": [{"candidates": listed}]}}
    answer = gemini_answer("no", "MAX_TOKENS", **logprobs)
    reply = provider("gemini:m@http://localhost:1").read(OPTIONS, answer)
    assert reply.logprobs == pytest.approx({"no": -0.5})  # "yes" was not listed: left out


def test_an_endpoint_that_lists_nothing_offers_none():
    reply = provider("openai:m@http://localhost:1").read(OPTIONS, openai_answer({"content": "yes"}))
    assert reply.logprobs is None


def test_a_token_that_begins_several_options_counts_for_none():
    tokens = [("1", math.log(0.5)), ("1 0", -9.0), ("to", -1.0)]
    assert of_options(("10", "15", "top", "tool"), tokens) == {}
    # ... but is itself an option when it is one
    assert of_options(("1", "10"), tokens) == pytest.approx({"1": math.log(0.5)})


@given(st.lists(st.tuples(st.text(max_size=4), st.floats(0.0, 0.05)), max_size=20))
def test_chances_of_options_never_add_up_to_more_than_was_listed(listed):
    tokens = [(token, math.log(p)) for token, p in listed if p > 0]
    found = of_options(("yes", "no", "0", "1"), tokens)
    assert sum(map(math.exp, found.values())) <= sum(p for _, p in listed) + 1e-9


# --- what stops every request


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("openai:gpt-4o", "OPENAI_API_KEY"),
        ("anthropic:claude-opus-4-5", "ANTHROPIC_API_KEY"),
        ("gemini:gemini-2.5-pro", "GEMINI_API_KEY"),
        ("openai:m@https://api.host-1.example/v1", "ASSAY_API_KEY_API_HOST_1_EXAMPLE"),
    ],
)
def test_a_missing_key_names_its_variable(text, variable, monkeypatch):
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(UsageError, match=f"set the environment variable {variable}\\."):
        provider(text).check()
    monkeypatch.setenv(variable, " s3cret\n")
    provider(text).check()
    assert any("s3cret" in value for value in provider(text).headers().values())


def test_a_key_goes_to_its_own_host_only(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret")
    monkeypatch.delenv("ASSAY_API_KEY_LOCALHOST", raising=False)
    assert provider("openai:m@http://localhost:8000/v1").headers() == {}
    monkeypatch.setenv("ASSAY_API_KEY_LOCALHOST", "other")
    headers = provider("openai:m@http://localhost:8000/v1").headers()
    assert headers == {"Authorization": "Bearer other"}


@pytest.mark.parametrize(
    "url", ["http://gpu-box:8000/v1", "https://127.0.0.1/v1", "https://[::1]/v1"]
)
def test_a_server_of_ones_own_needs_no_key(url):
    made = provider(f"openai:m@{url}")
    made.check()
    assert made.headers() == {}


def test_a_key_that_would_break_a_header_is_told_and_not_repeated(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret\r\nX-Evil: 1")
    with pytest.raises(UsageError, match="OPENAI_API_KEY holds a character") as told:
        provider("openai:gpt-4o").check()
    assert "s3cret" not in str(told.value)


@pytest.mark.parametrize(
    "text", ["openai:gpt-3.5-turbo", "openai:o3-mini", "anthropic:claude-2.1", "gemini:gemini-pro"]
)
def test_a_model_without_eyes_is_told(text, monkeypatch):
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(variable, "k")
    with pytest.raises(UsageError, match="takes no pictures"):
        provider(text).check()


def test_one_without_log_probabilities_says_so():
    made = provider("anthropic:claude-opus-4-5")
    assert made.limits()["options"] == 0
    with pytest.raises(UsageError, match="lists no log-probabilities"):
        made.body(OPTIONS)
