"""Cards: what is to know of a trained network, as JSON beside its weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.errors import InputError

__all__ = ["CARD", "read_fields"]

CARD = "card.json"


def read_fields(folder: Path, schema: str, what: str) -> dict[str, Any]:
    """Return the fields of the card in a folder.

    Args:
        folder: Where the weights are.
        schema: What the card must say it is.
        what: What the folder should hold, such as "trained judge".

    Raises:
        InputError: There is no card, or it is not one of ours.
    """
    path = folder / CARD
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{folder} holds no {what}: there is no {CARD} in it.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} can't be read: {error}.") from None
    if not isinstance(found, dict) or found.pop("schema", None) != schema:
        noun = what.rsplit(maxsplit=1)[-1]
        raise InputError(f"{path} is not the card of a {noun} that this version can use.")
    return found
