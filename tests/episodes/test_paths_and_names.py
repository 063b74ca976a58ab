"""Paths stay inside, names stay short."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.episodes.names import slug
from assay.episodes.paths import inside
from assay.errors import UnsafePathError


def test_a_path_inside_is_returned_resolved(tmp_path):
    (tmp_path / "clips").mkdir()
    assert inside(tmp_path, "clips/../a.mp4") == tmp_path.resolve() / "a.mp4"


@pytest.mark.parametrize("hostile", ["../secret", "a/../../secret", "/etc/passwd", "a\0b"])
def test_a_path_that_leads_out_is_refused(tmp_path, hostile):
    with pytest.raises(UnsafePathError, match=r"manifest\.csv, row 7: the path"):
        inside(tmp_path, hostile, file="manifest.csv", row=7)


def test_a_link_that_leads_out_is_refused(tmp_path):
    root = tmp_path / "set"
    root.mkdir()
    (tmp_path / "secret.mp4").write_bytes(b"x")
    (root / "link.mp4").symlink_to(tmp_path / "secret.mp4")
    with pytest.raises(UnsafePathError, match=r"link\.mp4"):
        inside(root, "link.mp4")


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UnsafePathError, match="can't be followed"):
        inside(tmp_path, "loop/a.mp4")


def test_a_root_that_is_a_link_is_fine(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert inside(tmp_path / "link", "a.mp4") == tmp_path.resolve() / "real/a.mp4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pick up the red block.", "pick-up-the-red-block"),
        ("  Öffne   die Tür! ", "offne-die-tur"),
        ("x" * 70, "x" * 60),
        # 12 words of 5 and 11 dashes are 71 characters; whole words up to 60 are kept: 10 * 6 - 1
        ("abcde " * 12, "-".join(["abcde"] * 10)),
    ],
)
def test_slugs(text, expected):
    assert slug(text) == expected


def test_texts_without_ascii_still_differ():
    assert slug("積み木を取る") != slug("引き出しを開ける")


@given(st.text())
def test_a_slug_is_short_plain_and_never_empty(text):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(text))
    assert len(slug(text)) <= 60
    assert slug(slug(text)) == slug(text)
