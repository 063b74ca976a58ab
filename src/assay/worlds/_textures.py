"""Surfaces of the room: drawn by us from noise and waves, the same on every machine.

Every material shows its texture number 0, the plain one. Numbers 1 to 5 wait in the model for the
background perturbation, which copies them over number 0: that takes 1 ms, another model a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.records import Floats, Image

__all__ = ["MATERIALS", "VARIANTS", "add_textures", "texels"]

VARIANTS = 5
_SIZE = 128


def add_textures(spec: Any) -> None:  # noqa: ANN401 - mujoco.MjSpec
    """Add every texture, and the materials that show number 0 of each."""
    import mujoco

    for material, drawings in MATERIALS.items():
        for number, draw in enumerate(drawings):
            texture = spec.add_texture(
                name=_texture_name(material, number),
                type=int(mujoco.mjtTexture.mjTEXTURE_2D),
                width=_SIZE,
                height=_SIZE,
                nchannel=3,
            )
            texture.data = draw().tobytes()
        # Without gloss a pixel is its texel times the light, the same factor in all channels.
        surface = spec.add_material(name=material, specular=0.0, shininess=0.0, reflectance=0.0)
        surface.textures[int(mujoco.mjtTextureRole.mjTEXROLE_RGB)] = _texture_name(material, 0)
        surface.texrepeat = list(_REPEATS[material])
        surface.texuniform = False
    spec.add_material(name="thing", specular=0.25, shininess=0.4, reflectance=0.0)


def texels(model: Any, material: str, number: int) -> Image:  # noqa: ANN401 - mujoco.MjModel
    """Return one texture of a material as a view into the model, uint8 of shape (S, S, 3)."""
    texture = model.texture(_texture_name(material, number)).id
    start = int(model.tex_adr[texture])
    part: Image = model.tex_data[start : start + _SIZE * _SIZE * 3]
    return part.reshape(_SIZE, _SIZE, 3)


def _texture_name(material: str, number: int) -> str:
    return f"{material}-{number}"


def _grid() -> tuple[Floats, Floats]:
    """Return x and y in 0..1 of every pixel, each of shape (S, S)."""
    line = (np.arange(_SIZE) + 0.5) / _SIZE
    x, y = np.meshgrid(line, line)
    return x, y


def _noise(seed: int, cells: int) -> Floats:
    """Return smooth periodic noise in 0..1 of shape (S, S): few waves with random phases."""
    rng = np.random.default_rng(seed)
    x, y = _grid()
    total: Floats = np.zeros((_SIZE, _SIZE))
    for _ in range(12):
        u, v = rng.integers(-cells, cells + 1, 2)
        total += np.cos(2 * np.pi * (u * x + v * y + rng.random()))
    low, high = float(total.min()), float(total.max())
    return (total - low) / (high - low)


def _blend(low: tuple[int, int, int], high: tuple[int, int, int], weight: Floats) -> Image:
    """Return the colours between `low` and `high` by weights in 0..1, uint8 (S, S, 3)."""
    mixed: Floats = np.array(low) + weight[..., None] * (np.array(high) - np.array(low))
    return np.asarray(np.round(mixed), dtype=np.uint8)


def _wood(low: tuple[int, int, int], high: tuple[int, int, int], rings: int, seed: int) -> Image:
    _, y = _grid()
    return _blend(low, high, 0.5 + 0.5 * np.sin(2 * np.pi * (rings * y + 0.6 * _noise(seed, 2))))


def _tiles(low: tuple[int, int, int], high: tuple[int, int, int], count: int) -> Image:
    x, y = _grid()
    weight: npt.NDArray[np.float64] = ((np.floor(x * count) + np.floor(y * count)) % 2).astype(
        float
    )
    return _blend(low, high, weight)


def _stripes(low: tuple[int, int, int], high: tuple[int, int, int], count: int) -> Image:
    x, _ = _grid()
    return _blend(low, high, (np.floor(x * 2 * count) % 2).astype(float))


def _cloud(low: tuple[int, int, int], high: tuple[int, int, int], cells: int, seed: int) -> Image:
    return _blend(low, high, _noise(seed, cells))


_REPEATS = {"table": (1.0, 1.0), "floor": (8.0, 8.0), "wall": (1.0, 1.0)}
MATERIALS: dict[str, tuple[Callable[[], Image], ...]] = {
    "table": (
        lambda: _wood((178, 150, 118), (192, 164, 132), 6, 1),
        lambda: _cloud((208, 211, 214), (234, 236, 238), 3, 2),
        lambda: _tiles((142, 158, 170), (162, 178, 190), 8),
        lambda: _wood((150, 150, 112), (170, 168, 130), 8, 3),
        lambda: _stripes((196, 168, 168), (212, 186, 184), 6),
        lambda: _cloud((30, 36, 48), (52, 58, 72), 5, 4),
    ),
    "floor": (
        lambda: _tiles((120, 122, 126), (132, 134, 138), 2),
        lambda: _wood((140, 104, 72), (164, 126, 92), 4, 5),
        lambda: _cloud((66, 78, 70), (92, 104, 94), 6, 6),
        lambda: _tiles((180, 176, 168), (206, 202, 194), 4),
        lambda: _cloud((104, 88, 96), (134, 116, 124), 4, 7),
        lambda: _stripes((92, 96, 112), (112, 116, 132), 4),
    ),
    "wall": (
        lambda: _cloud((206, 210, 214), (218, 222, 226), 2, 8),
        lambda: _stripes((176, 190, 176), (196, 208, 196), 8),
        lambda: _cloud((120, 140, 164), (150, 168, 190), 3, 9),
        lambda: _tiles((198, 186, 168), (212, 200, 182), 10),
        lambda: _wood((150, 122, 98), (174, 146, 120), 5, 10),
        lambda: _cloud((84, 86, 92), (112, 114, 120), 4, 11),
    ),
}
