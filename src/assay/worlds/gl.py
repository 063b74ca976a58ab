"""Choose the GL library that MuJoCo renders with, before MuJoCo looks for one.

MuJoCo reads the variable MUJOCO_GL once, while it is imported, and without it opens a window. A
library that is there may still not work: libEGL loads on a machine without a driver, and MuJoCo
would then fail inside its own import or at the first frame. So EGL is asked for a device here.
That takes about 30 ms, and MuJoCo does not pay them again: the driver stays loaded.

Close every `mujoco.Renderer`, best by `with`, and in the thread that made it: left to the
interpreter's exit it prints "Exception ignored in Renderer.__del__" under OSMesa, and EGL refuses
to close it from another thread.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys

from assay.errors import MissingExtraError, MissingLibraryError, UnknownNameError, UsageError

__all__ = ["choose", "find", "require_mujoco"]

ALLOWED = ("egl", "glfw", "osmesa")
PACKAGES = {"egl": "libegl1 libegl-mesa0 libgl1-mesa-dri libopengl0", "osmesa": "libosmesa6"}
LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}

EGL_PLATFORM_DEVICE = 0x313F
MOST_DEVICES = 32


def choose() -> str:
    """Set MUJOCO_GL to the library that `find` finds and return its name.

    Call it before the first frame of a process; a second call costs nothing. Processes that are
    started afterwards inherit the choice.
    """
    name = find()
    os.environ["MUJOCO_GL"] = name
    # Whoever imported MuJoCo before this call made it settle for a window: let it read again.
    module = sys.modules.get("mujoco.rendering.classic.gl_context")
    bound = getattr(module, "GLContext", None)
    if module is not None and getattr(bound, "__module__", None) != f"mujoco.{name}":
        importlib.reload(module)
    return name


def find() -> str:
    """Return "egl" if it works here, else "osmesa"; a MUJOCO_GL that is set decides alone.

    Raises:
        UsageError: MUJOCO_GL is not one of "egl", "glfw" and "osmesa", asks for a window where
            there is no display, or PYOPENGL_PLATFORM says otherwise.
        MissingLibraryError: No library works; says what to install.
    """
    asked = os.environ.get("MUJOCO_GL", "").strip().lower()
    if asked == "glfw":
        _require_display()
        return asked
    if asked and asked not in ALLOWED:
        raise UnknownNameError("GL library (variable MUJOCO_GL)", asked, ALLOWED)
    names = (asked,) if asked else ("egl", "osmesa")
    faults = {}
    for name in names:
        fault = _egl_fault() if name == "egl" else _osmesa_fault()
        if fault is None:
            _require_same_platform(name)
            return name
        faults[name] = fault
    raise MissingLibraryError(
        f"Rendering with MUJOCO_GL={asked}" if asked else "Rendering",
        " or ".join(LIBRARIES[name] for name in names),
        " and ".join(faults.values()),
        ", or ".join(PACKAGES[name] for name in names),
    )


def require_mujoco() -> None:
    """Import MuJoCo and mink; physics alone needs no GL library.

    Raises:
        MissingExtraError: One of them, or a package it needs, is not installed.
        UsageError: MUJOCO_GL is set to something that can't be used; MuJoCo's import would die.
    """
    if os.environ.get("MUJOCO_GL"):
        find()
    for name in ("mujoco", "mink"):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise MissingExtraError("Simulating", error.name or name, "worlds") from error


def _require_display() -> None:
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise UsageError(
            "MUJOCO_GL=glfw renders in a window, and there is no display: unset MUJOCO_GL."
        )


def _require_same_platform(name: str) -> None:
    """See that PyOpenGL, through which MuJoCo calls the library, was not told another one."""
    platform = os.environ.get("PYOPENGL_PLATFORM", "")
    if platform.lower() not in ("", name):
        raise UsageError(
            f"PYOPENGL_PLATFORM is {platform!r}, but rendering here uses {name!r}: "
            "unset PYOPENGL_PLATFORM, or set MUJOCO_GL to the same name."
        )


def _load(*names: str) -> ctypes.CDLL | None:
    """Return the first of the shared libraries `names` that loads."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _osmesa_fault() -> str | None:
    """Return why OSMesa can't be used, or None if it can; it needs no driver and no device."""
    found = _load("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")
    return None if found else "libOSMesa is not there"


def _egl_fault() -> str | None:
    """Return why EGL can't be used, or None if it can."""
    egl = _load("libEGL.so.1", "libEGL.so")
    if egl is None:
        return "libEGL is not there"
    if _load("libOpenGL.so.0", "libGL.so.1") is None:
        return "libEGL is there without libOpenGL"
    # The reason goes into our sentence; Mesa would print it as well, once for each driver.
    quiet = "EGL_LOG_LEVEL" not in os.environ
    if quiet:
        os.environ["EGL_LOG_LEVEL"] = "fatal"
    try:
        return None if _has_device(egl) else "EGL finds no device that works"
    finally:
        if quiet:
            del os.environ["EGL_LOG_LEVEL"]


def _has_device(egl: ctypes.CDLL) -> bool:
    """Tell whether EGL can open a device, as MuJoCo will; leave the one that works open.

    Closing it again would close it under a renderer of this process too: EGL counts no users.
    """
    handle, number = ctypes.c_void_p, ctypes.c_int
    egl.eglGetProcAddress.restype = handle
    egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
    egl.eglInitialize.argtypes = [handle, handle, handle]
    query_at = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    display_at = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if not query_at or not display_at:
        return False
    query = ctypes.CFUNCTYPE(number, number, handle, handle)(query_at)
    display = ctypes.CFUNCTYPE(handle, number, handle, handle)(display_at)
    devices, count = (handle * MOST_DEVICES)(), number()
    if not query(MOST_DEVICES, devices, ctypes.byref(count)):
        return False
    opened = (display(EGL_PLATFORM_DEVICE, devices[i], None) for i in range(count.value))
    return any(found and egl.eglInitialize(found, None, None) for found in opened)
