"""What `render` returns, as pictures by view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import HarnessFault
from assay.records import Image

__all__ = ["pictures_of"]

_ONLY = "render"


def pictures_of(drawn: Any, views: Sequence[str] = ()) -> dict[str, Image]:  # noqa: ANN401 - whatever `render` returns
    """Return the pictures of one moment by view: `render` gives one picture, or several by name.

    Args:
        drawn: What `render` returned.
        views: Those that are wanted, in this order; empty for all. One picture takes any name.

    Raises:
        HarnessFault: These are no pictures, or one that is wanted is not among them.
    """
    if isinstance(drawn, dict):
        names = tuple(views) or tuple(str(name) for name in drawn)
    else:
        names = tuple(views) or (_ONLY,)
        drawn = {names[0]: drawn}
    for name in names:
        if name not in drawn:
            raise HarnessFault(
                f"`render` gave no view {name!r}, only {', '.join(map(str, drawn))}."
            )
    return {name: _picture(name, drawn[name]) for name in names}


def _picture(name: str, picture: Any) -> Image:  # noqa: ANN401 - whatever `render` returns
    if (
        not isinstance(picture, np.ndarray)
        or picture.dtype != np.uint8
        or picture.ndim != 3
        or picture.shape[2] != 3
        or 0 in picture.shape
    ):
        found = f"{getattr(picture, 'dtype', type(picture).__name__)} {np.shape(picture)}"
        raise HarnessFault(
            f"`render` gave no picture for the view {name!r}: uint8 (H, W, 3) is needed, not "
            f"{found}."
        )
    return np.ascontiguousarray(picture)
