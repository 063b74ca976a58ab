"""What `assay doctor` says about a machine that can simulate, and about one that can't."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

from assay.jobs import doctor


def looked_at() -> dict[str, doctor.Check]:
    return {check.name: check for check in doctor.examine()}


@pytest.fixture
def without_worlds(monkeypatch):
    """Pretend a plain `pip install assay`."""

    def missing(name: str) -> str:
        if name in ("mujoco", "mink"):
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(doctor, "version", missing)


def test_the_worlds_have_three_lines(monkeypatch):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    checks = looked_at()
    assert checks["mujoco"].found == version("mujoco")
    assert checks["mink"].found == version("mink")
    assert checks["rendering"].found in ("egl", "osmesa")
    assert all(checks[name].ok for name in ("mujoco", "mink", "rendering"))


@pytest.mark.parametrize("name", ["mujoco", "mink"])
def test_a_plain_install_is_fit_and_hears_what_to_add(without_worlds, name):
    check = looked_at()[name]
    assert check.ok
    assert check.found.startswith("not installed. ")
    assert "pip install 'assay[worlds]'" in check.found


def test_no_gl_library_is_a_fault_where_worlds_are_installed(monkeypatch):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr("assay.worlds.gl._load", lambda *names: None)
    check = looked_at()["rendering"]
    assert not check.ok
    assert (
        "apt install libegl1 libegl-mesa0 libgl1-mesa-dri libopengl0, or libosmesa6" in check.found
    )


def test_no_gl_library_is_no_fault_of_a_plain_install(monkeypatch, without_worlds):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr("assay.worlds.gl._load", lambda *names: None)
    check = looked_at()["rendering"]
    assert check.ok
    assert check.found.startswith("none. Rendering needs EGL or OSMesa")


def test_a_wrong_variable_is_named(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "elg")
    check = looked_at()["rendering"]
    assert not check.ok
    assert "MUJOCO_GL" in check.found
    assert "Did you mean 'egl'?" in check.found
