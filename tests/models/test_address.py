"""Addresses of models: what is typed, what is meant, and what is refused in one sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import plugins
from assay.errors import UnknownNameError, UsageError
from assay.models.address import make_provider, parse
from assay.models.base import Address, HttpProvider, LocalProvider, Provider

PROVIDERS = plugins.names("assay.models.providers")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("openai:gpt-4o", Address("openai", "gpt-4o")),
        (
            "openai:Qwen/Qwen3-VL-8B@http://localhost:8000/v1",
            Address("openai", "Qwen/Qwen3-VL-8B", "http://localhost:8000/v1"),
        ),
        # a slash at the end would double in "…/chat/completions"
        ("openai:m@https://x.org/v1/", Address("openai", "m", "https://x.org/v1")),
        # an @ before a version belongs to the name
        ("anthropic:claude-3-5@20240620", Address("anthropic", "claude-3-5@20240620")),
        ("openai:a@2@http://[::1]:80", Address("openai", "a@2", "http://[::1]:80")),
        # a local one has no URL: folders may hold anything
        ("transformers:/a:b/c@d.org/e", Address("transformers", "/a:b/c@d.org/e")),
    ],
)
def test_what_is_typed_is_what_is_meant(text, address):
    assert parse(text) == address


@given(st.from_regex(r"[A-Za-z0-9._/-]{1,30}", fullmatch=True), st.integers(1, 65535))
def test_an_address_reads_as_it_is_written(name, port):
    for text in (f"openai:{name}", f"gemini:{name}@http://host.lan:{port}/v1"):
        assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gpt-4o", "names no provider"),
        (":x", "names no provider"),
        ("openai:", "names a provider but no model"),
        ("openai:@http://localhost/v1", "names a provider but no model"),
        ("openai:m@ftp://x.org", "must begin with http"),
        ("openai:m@localhost:8000/v1", "must begin with http"),
        ("openai:m@api.x.org/v1", "must begin with http"),
        ("openai:m@http:///v1", "name a host"),
        ("openai:m@http://x:99999/v1", "can't be read"),
    ],
)
def test_what_is_no_address_is_told(text, said):
    with pytest.raises(UsageError, match=said):
        parse(text)


def test_an_unknown_provider_is_told_the_nearest_name():
    with pytest.raises(UnknownNameError, match=r"'opena1'\. Did you mean 'openai'"):
        parse("opena1:gpt-4o")


@pytest.mark.parametrize("secret", ["http://me:s3cret@x.org/v1", "https://x.org/v1?key=s3cret"])
def test_a_secret_in_a_url_is_refused_and_not_repeated(secret):
    with pytest.raises(UsageError, match="environment variable") as told:
        parse(f"openai:m@{secret}")
    assert "s3cret" not in str(told.value)


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_keeps_the_contract(name):
    address = parse(f"{name}:some/model")
    provider = make_provider(address)
    assert isinstance(provider, Provider)
    assert isinstance(provider, HttpProvider if provider.kind == "http" else LocalProvider)
    assert provider.address == address
    assert plugins.describe("assay.models.providers", name).endswith(".")
