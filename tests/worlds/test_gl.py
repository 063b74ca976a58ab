"""Which GL library is chosen, and what is said where there is none.

A process chooses once: PyOpenGL and the drivers can't be unloaded. So whatever loads a library or
renders runs in a process of its own; the sentences are tested here.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from assay.errors import MissingExtraError, MissingLibraryError, UsageError
from assay.worlds import gl

EGL_PACKAGES = "libegl1 libegl-mesa0 libgl1-mesa-dri libopengl0"
# A red ball fills the middle of 16 x 16 pixels, whichever library draws it.
RENDER = """
def frame():
    import mujoco
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><visual><headlight ambient='1 1 1'/></visual><worldbody>"
        "<geom size='.1' rgba='1 0 0 1'/></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, 16, 16) as renderer:
        renderer.update_scene(data)
        return renderer.render().copy()
"""
SHOW = """
red, green, blue = frame()[8, 8].tolist()
print(name, "red" if red > 200 and max(green, blue) < 50 else (red, green, blue))
"""
CHOOSE = "from assay.worlds.gl import choose\nname = choose()\n"
NO_EGL = {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent"}  # libEGL without Mesa's half of it
# Hide the libraries whose names begin so from ctypes.
HIDE = """
import ctypes
class Hiding(ctypes.CDLL):
    def __init__(self, name, *args, **options):
        if str(name).startswith({hidden!r}):
            raise OSError(f"{{name}}: cannot open shared object file")
        super().__init__(name, *args, **options)
ctypes.CDLL = Hiding
"""


def run(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in a fresh interpreter without a choice of ours; warnings are errors there too."""
    ours = ("MUJOCO_GL", "PYOPENGL_PLATFORM", "EGL_LOG_LEVEL")
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", RENDER + code],
        env={**clean, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def machine(monkeypatch):
    """Pretend a machine where EGL and OSMesa have the given faults; None is no fault."""
    for name in ("MUJOCO_GL", "PYOPENGL_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)

    def pretend(egl: str | None = None, osmesa: str | None = None) -> None:
        monkeypatch.setattr(gl, "_egl_fault", lambda: egl)
        monkeypatch.setattr(gl, "_osmesa_fault", lambda: osmesa)

    return pretend


# --- the choice


@pytest.mark.parametrize(
    ("egl", "osmesa", "found"),
    [(None, None, "egl"), (None, "missing", "egl"), ("missing", None, "osmesa")],
)
def test_egl_comes_first_and_osmesa_when_it_fails(machine, egl, osmesa, found):
    machine(egl, osmesa)
    assert gl.find() == found


@pytest.mark.parametrize("asked", ["osmesa", "OSMesa", " osmesa "])
def test_a_variable_that_is_set_decides(machine, monkeypatch, asked):
    machine()
    monkeypatch.setenv("MUJOCO_GL", asked)
    assert gl.find() == "osmesa"


def test_a_window_needs_a_display(machine, monkeypatch):
    machine()
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    with pytest.raises(UsageError, match=r"there is no display: unset MUJOCO_GL\.$"):
        gl.find()
    monkeypatch.setenv("DISPLAY", ":0")
    assert gl.find() == "glfw"


def test_a_wrong_variable_is_told_what_is_allowed(machine, monkeypatch):
    machine()
    monkeypatch.setenv("MUJOCO_GL", "vulkan")
    with pytest.raises(UsageError, match=r"MUJOCO_GL.*'vulkan'.*Known: egl, glfw, osmesa\.$"):
        gl.find()


def test_two_variables_that_disagree_are_named(machine, monkeypatch):
    machine()
    monkeypatch.setenv("PYOPENGL_PLATFORM", "osmesa")
    with pytest.raises(UsageError, match=r"^PYOPENGL_PLATFORM is 'osmesa', .* uses 'egl'"):
        gl.find()
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    assert gl.find() == "osmesa"


def test_no_library_says_what_to_install(machine):
    machine(egl="libEGL is not there", osmesa="libOSMesa is not there")
    with pytest.raises(MissingLibraryError) as caught:
        gl.find()
    assert str(caught.value) == (
        "Rendering needs EGL or OSMesa, but libEGL is not there and libOSMesa is not there: "
        f"apt install {EGL_PACKAGES}, or libosmesa6."
    )


def test_the_library_that_was_asked_for_is_the_one_to_install(machine, monkeypatch):
    machine(egl="EGL finds no device that works")
    monkeypatch.setenv("MUJOCO_GL", "egl")
    with pytest.raises(MissingLibraryError) as caught:
        gl.find()
    assert str(caught.value) == (
        "Rendering with MUJOCO_GL=egl needs EGL, but EGL finds no device that works: "
        f"apt install {EGL_PACKAGES}."
    )


# --- real libraries, in processes of their own


def test_the_chosen_library_renders_and_the_exit_is_silent():
    done = run(CHOOSE + SHOW)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in ("egl red\n", "osmesa red\n")


def test_mujoco_that_was_imported_before_renders_too():
    done = run("import mujoco\n" + CHOOSE + SHOW)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in ("egl red\n", "osmesa red\n")


def test_without_a_device_osmesa_renders_or_is_named():
    """OSMesa is not there on every machine; either way the caller learns where he stands."""
    there = run("from assay.worlds import gl\nprint(gl._osmesa_fault() is None)").stdout
    done = run(CHOOSE + SHOW, **NO_EGL)
    if there == "True\n":
        assert (done.stdout, done.stderr) == ("osmesa red\n", "")
    else:
        assert done.stderr.endswith(f"apt install {EGL_PACKAGES}, or libosmesa6.\n")


def test_looking_leaves_the_variables_alone():
    code = "import os\nfrom assay.worlds.gl import choose, find\nbefore = dict(os.environ)\n"
    code += "name = find()\nassert dict(os.environ) == before\nchoose()\n"
    done = run(f"{code}print({{**before, 'MUJOCO_GL': name}} == dict(os.environ))")
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_egl_without_a_device_is_found_out():
    done = run("from assay.worlds import gl\nprint(gl._egl_fault())", **NO_EGL)
    assert (done.stdout, done.stderr) == ("EGL finds no device that works\n", "")


def test_a_driver_that_does_not_load_is_found_out_quietly():
    """Mesa would print a warning for each driver it can't load; newer ones load none."""
    code = "from assay.worlds import gl\nprint(gl._egl_fault())"
    done = run(code, LIBGL_DRIVERS_PATH="/nonexistent")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("look", "hidden", "fault"),
    [
        ("_egl_fault", ("libEGL",), "libEGL is not there"),
        ("_egl_fault", ("libOpenGL", "libGL."), "libEGL is there without libOpenGL"),
        ("_osmesa_fault", ("libOSMesa",), "libOSMesa is not there"),
    ],
)
def test_a_library_that_is_not_there_is_named(look, hidden, fault):
    done = run(HIDE.format(hidden=hidden) + f"from assay.worlds import gl\nprint(gl.{look}())")
    assert (done.stdout, done.stderr) == (f"{fault}\n", "")


# --- MuJoCo itself


def test_mujoco_and_mink_are_imported():
    done = run(
        "from assay.worlds.gl import require_mujoco\nrequire_mujoco()\n"
        "import sys\nprint('mujoco' in sys.modules, 'mink' in sys.modules)"
    )
    assert (done.stdout.strip(), done.stderr) == ("True True", "")


@pytest.mark.parametrize("missing", ["mujoco", "mink"])
def test_a_missing_package_is_named_with_its_extra(machine, monkeypatch, missing):
    machine()
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError) as caught:
        gl.require_mujoco()
    expected = f"Simulating needs the package {missing!r}: pip install 'assay[worlds]'."
    assert str(caught.value) == expected


def test_a_wrong_variable_is_told_before_mujoco_dies_of_it(machine, monkeypatch):
    machine()
    monkeypatch.setenv("MUJOCO_GL", "vulkan")
    with pytest.raises(UsageError, match="MUJOCO_GL"):
        gl.require_mujoco()
