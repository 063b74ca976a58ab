"""What models cost, by a file of the user's, and how much a request can come to at most.

Prices change and differ by contract, so none are built in.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import InputError, UnknownNameError
from assay.models.base import Address, Picture, Request

__all__ = ["Estimate", "Price", "estimate", "load_prices", "price_of"]

_PATCH = 28  # px: one token shows so large a square, or a larger one
_PER_PATCH = 2.5  # the most that models in use multiply their patches by
_PER_PART = 16  # tokens that a chat template puts around a part
_FIELDS = ("input", "output", "picture")


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one model.

    Attributes:
        input: USD per million input tokens.
        output: USD per million output tokens.
        picture: Tokens that one picture counts at most; None goes by its size.
    """

    input: float
    output: float
    picture: int | None = None

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Return what so many tokens cost [USD]."""
        return (self.input * input_tokens + self.output * output_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a request can come to at most.

    Attributes:
        input_tokens: Of the question.
        output_tokens: Of the answer.
        cost: [USD]; None when no price is known.
    """

    input_tokens: int
    output_tokens: int
    cost: float | None


def estimate(request: Request, price: Price | None) -> Estimate:
    """Return what `request` can come to at most.

    A token of text is at least one byte. A picture is counted by its size, as the models do that
    count most, unless the price file says how many tokens it has.
    """
    texts = [request.system, *(part for part in request.parts if isinstance(part, str))]
    if request.schema is not None:
        texts.append(json.dumps(request.schema, default=dict))
    fixed = price.picture if price is not None else None
    asked = sum(len(text.encode()) for text in texts)
    asked += sum(_tokens(picture) if fixed is None else fixed for picture in request.pictures)
    asked += _PER_PART * (len(request.parts) + 1)
    answered = request.sampling.max_tokens
    return Estimate(asked, answered, None if price is None else price.cost(asked, answered))


def _tokens(picture: Picture) -> int:
    patches = math.ceil(picture.width / _PATCH) * math.ceil(picture.height / _PATCH)
    return math.ceil(_PER_PATCH * patches)


def price_of(prices: Mapping[str, Price], address: Address) -> Price | None:
    """Return the price of a model: by its whole address, by provider and name, or by name."""
    names = (str(address), f"{address.provider}:{address.name}", address.name)
    return next((prices[name] for name in names if name in prices), None)


def load_prices(path: Path) -> dict[str, Price]:
    """Return the prices in a TOML or JSON file, by model.

    Raises:
        InputError: The file can't be read, or is not a table of prices.
    """
    try:
        text = path.read_text(encoding="utf-8")
        found: Any = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise InputError(f"The prices can't be read: {error.strerror}.", path) from error
    except ValueError as error:
        raise InputError(f"The prices are no {path.suffix[1:] or 'TOML'}: {error}.", path) from None
    if not isinstance(found, dict):
        raise InputError("Prices are a table: a model, and under it `input` and `output`.", path)
    return {str(name): _price(name, fields, path) for name, fields in found.items()}


def _price(name: str, fields: object, path: Path) -> Price:
    if not isinstance(fields, dict) or not {"input", "output"} <= fields.keys():
        raise InputError(
            f"The price of {name!r} needs `input` and `output`, in USD per million tokens.", path
        )
    for field, value in fields.items():
        if field not in _FIELDS:
            raise InputError(
                str(UnknownNameError(f"field of a price ({name!r})", field, _FIELDS)), path
            )
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 0 <= value < math.inf
        ):
            raise InputError(f"{field} of {name!r} must be a number, 0 or more: {value!r}.", path)
    tokens = fields.get("picture")
    return Price(
        float(fields["input"]), float(fields["output"]), None if tokens is None else int(tokens)
    )
