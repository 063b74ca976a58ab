"""Drawn episodes whose scores can be worked out by hand."""

from __future__ import annotations

import pytest

from assay.benchmarks.passport.lines import WORLDS
from passport_made import Sees, material_of


@pytest.fixture
def sees():
    return Sees()


@pytest.fixture
def rising():
    """Brightness rises by 10 a frame, 21 frames at 5 a second: 0 to 200 in 4 s."""
    return material_of(list(range(0, 210, 10)))


@pytest.fixture
def known():
    """The same with its truth known."""
    return material_of(list(range(0, 210, 10)), WORLDS)
