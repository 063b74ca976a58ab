"""One request shape for every model, and what comes back.

A request is text and pictures in order, what the answer must look like, and how it is drawn. It
knows no provider. A reply always has a status: what could not be read is never a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from assay.records import Status

__all__ = [
    "Address",
    "HttpProvider",
    "LocalProvider",
    "Part",
    "Picture",
    "Provider",
    "Reply",
    "Request",
    "Sampling",
]


@dataclass(frozen=True, slots=True)
class Address:
    """Which model, and where: `provider:name[@url]`.

    Attributes:
        provider: A provider's name, such as "openai".
        name: The model's name there, or a folder.
        url: Where the endpoint is; empty for the provider's own and for local models.
        revision: The version that was asked for; empty takes what is there and pins it.
    """

    provider: str
    name: str
    url: str = ""
    revision: str = ""

    def __str__(self) -> str:
        """Return the address as it is typed."""
        at = f"@{self.url}" if self.url else ""
        return f"{self.provider}:{self.name}{at}"


@dataclass(frozen=True, slots=True)
class Picture:
    """A frame made ready once and shared by all requests that show it.

    Attributes:
        jpeg: The coded picture.
        key: Tells it from all others: a hash of the decoded pixels and of the preparation.
        width: [px]
        height: [px]
    """

    jpeg: bytes = field(repr=False)
    key: str
    width: int
    height: int


Part: TypeAlias = str | Picture


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an answer is drawn.

    Attributes:
        temperature: 0 takes the likeliest words.
        max_tokens: The longest answer.
        top_p: Share of the likeliest words to draw from; None leaves it to the model.
        seed: For endpoints that take one.
    """

    temperature: float = 0.0
    max_tokens: int = 1024
    top_p: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model.

    Attributes:
        parts: Text and pictures, in the order in which they are shown.
        system: Instructions that stand before everything.
        schema: JSON schema of the answer; None asks for plain text.
        sampling: How the answer is drawn.
        sample: Which of several answers to the same question this is: each is paid for once.
        options: Answers whose log-probabilities are wanted, as the first thing the model says.
    """

    parts: tuple[Part, ...]
    system: str = ""
    schema: Mapping[str, Any] | None = None
    sampling: Sampling = Sampling()
    sample: int = 0
    options: tuple[str, ...] = ()

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """Return the pictures alone."""
        return tuple(part for part in self.parts if isinstance(part, Picture))


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        text: What the model said; empty unless `status` is "ok" or "truncated".
        status: "ok", "refused", "truncated" or "transport". Whether the text can be read is for
            the one who asked to say.
        detail: Why it is not ok, in one sentence without keys.
        logprobs: Natural logarithms of the probabilities of `Request.options`; None when not
            asked for or not offered. An option that the endpoint did not list is left out.
        input_tokens: As counted by the endpoint; None when it does not say.
        output_tokens: The same for the answer.
        cost: What it cost [USD]; None when no price is known.
        revision: The model that answered, as the endpoint names it.
        cached: Whether it comes from the ledger, and so cost nothing now.
        key: Its key in the ledger.
        attempts: How often it was sent; 0 from the ledger.
    """

    text: str = ""
    status: Status = "ok"
    detail: str = ""
    logprobs: Mapping[str, float] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    revision: str = ""
    cached: bool = False
    key: str = ""
    attempts: int = 0


@runtime_checkable
class Provider(Protocol):
    """What every provider has: a frozen dataclass made from an `Address`.

    Attributes:
        kind: Whether it is asked over HTTP, or answers in this process.
    """

    kind: ClassVar[Literal["http", "local"]]
    address: Address

    def check(self) -> None:
        """Raise a `UsageError` for what would stop every request, before anything is spent."""
        ...

    def limits(self) -> Mapping[str, int]:
        """Return what a request may hold at most; what is not known is left out.

        "pictures" and "tokens", and "options": answers whose log-probabilities can be told, 0 where
        there are none.
        """
        ...


@runtime_checkable
class HttpProvider(Provider, Protocol):
    """A provider asked over HTTP. It words bodies and reads answers; it sends nothing."""

    def url(self) -> str:
        """Return where requests are posted."""
        ...

    def headers(self) -> Mapping[str, str]:
        """Return the headers, keys from environment variables included; never stored or shown."""
        ...

    def body(self, request: Request) -> Mapping[str, Any]:
        """Return what is posted as JSON."""
        ...

    def read(self, request: Request, answer: Mapping[str, Any]) -> Reply:
        """Return the reply in a decoded answer of status 200."""
        ...


@runtime_checkable
class LocalProvider(Provider, Protocol):
    """A provider that answers in this process, one request at a time."""

    def revision(self) -> str:
        """Return what tells its weights from all others."""
        ...

    def answer(self, request: Request) -> Reply:
        """Return the reply; weights are loaded when first asked."""
        ...
