"""Prepared pictures: their size, their key, and that they still show what they showed."""

import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from assay.errors import UsageError
from assay.models.pictures import decode, prepare


def scene(height, width, seed=0):
    """A smooth picture with a little noise."""
    y, x = np.mgrid[:height, :width]
    smooth = np.stack([128 + 90 * np.sin(x / 40), x * 255 / width, y * 255 / height], axis=-1)
    noise = np.random.default_rng(seed).normal(0, 3, smooth.shape)
    return np.clip(smooth + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("shape", "side", "size"),
    [
        ((480, 640), 448, (448, 336)),  # 448 / 640 = 0.7; 0.7 * 480 = 336
        ((640, 480), 448, (336, 448)),
        ((90, 120), 448, (120, 90)),  # never enlarged
        ((3, 900), 300, (300, 1)),  # 3 / 3 = 1
        ((1, 900), 300, (300, 1)),  # a third of a pixel is still one
        ((35, 51), 448, (51, 35)),  # odd sides, which colours at half the size must bear
    ],
)
def test_the_longest_side_decides(shape, side, size):
    picture = prepare(scene(*shape), side)
    assert (picture.width, picture.height) == size
    assert Image.open(io.BytesIO(picture.jpeg)).size == size
    assert decode(picture).shape == (size[1], size[0], 3)


def test_another_decoder_sees_the_scene():
    image = scene(240, 320)
    seen = np.asarray(Image.open(io.BytesIO(prepare(image).jpeg)).convert("RGB"))
    # Noise of 3 levels is most of what the coder loses, and rounding shifts colours by 1. Swapped
    # colours or a cut range (16..235) would be off by 10 and more.
    assert np.abs(seen.astype(float) - image).mean() < 4.0
    assert np.abs(seen.mean(axis=(0, 1)) - image.mean(axis=(0, 1))).max() < 2.0


def test_better_quality_is_closer_and_longer():
    image = scene(240, 320)
    made = [prepare(image, quality=q) for q in (10, 50, 85, 95)]
    lengths = [len(picture.jpeg) for picture in made]
    errors = [np.abs(decode(picture).astype(float) - image).mean() for picture in made]
    assert lengths == sorted(lengths)
    assert errors == sorted(errors, reverse=True)


@given(st.integers(0, 19), st.integers(0, 29), st.integers(0, 2), st.integers(1, 255))
def test_one_level_of_one_pixel_makes_another_key(y, x, channel, change):
    image = scene(20, 30)
    other = image.copy()
    other[y, x, channel] = (int(image[y, x, channel]) + change) % 256
    assert prepare(image).key != prepare(other).key


def test_the_preparation_and_the_shape_are_in_the_key():
    image = scene(60, 40)
    turned = image.reshape(40, 60, 3)  # the same bytes
    keys = [prepare(image).key, prepare(image, 32).key, prepare(image, quality=80).key]
    assert len({*keys, prepare(turned).key}) == 4


def test_the_key_is_of_pixels_not_of_memory():
    image = scene(40, 60)
    apart = np.repeat(image, 2, axis=1)[:, ::2]  # every second column of a wider picture
    assert not apart.flags.c_contiguous
    assert prepare(apart) is prepare(image.copy())


def test_threads_get_the_same_pictures():
    images = [scene(64, 64, seed) for seed in range(4)] * 8
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(prepare, images))
    assert [picture.key for picture in made] == [prepare(image).key for image in images]
    assert len({picture.jpeg for picture in made}) == 4


@pytest.mark.parametrize("options", [{"side": 8}, {"side": 9000}, {"quality": 0}, {"quality": 101}])
def test_sizes_that_no_picture_has_are_told(options):
    with pytest.raises(UsageError, match="not"):
        prepare(scene(20, 20), **options)
