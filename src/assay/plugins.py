"""Find plug-ins: one file in a folder, an entry point, or `module:name` from the command line.

A plug-in folder is a package such as `assay.judges`. Every module in it that does not start with
an underscore and is not `base` is one plug-in: its name is the file's name with dashes, its object
the single entry of `__all__`. Nothing is imported until it is asked for by name.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import pkgutil
import sys
import traceback
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from assay.errors import AssayError, UnknownNameError, UsageError

__all__ = ["configure", "describe", "find", "kind_of", "names"]


def names(package: str) -> list[str]:
    """Return the names of all plug-ins of `package`, built in and from entry points, sorted."""
    return sorted({*_files(package), *_entries(package)})


def find(package: str, name: str, *, outside: bool = False) -> Any:  # noqa: ANN401 - a plug-in can be anything
    """Return the object of the plug-in `name` of `package`.

    Args:
        package: The plug-in folder, such as "assay.judges".
        name: A plug-in's name, or `module:object` when `outside` is true.
        outside: Whether `module:object` may be imported. Only the command line says so: a run
            file, a manifest or a web request never reaches code by name.
    """
    if ":" in name and outside:
        return _import_object(name)
    files = _files(package)
    if name in files:
        return _single_export(package, name, files[name])
    entries = _entries(package)
    if name in entries:
        return _load(package, entries[name])
    raise UnknownNameError(kind_of(package), name, names(package))


def describe(package: str, name: str) -> str:
    """Return the first line of the plug-in's docstring."""
    doc = find(package, name).__doc__ or ""
    return doc.strip().splitlines()[0] if doc.strip() else ""


def configure(plugin: type[Any], options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a plug-in can be anything
    """Make a plug-in from options given as text, such as those of `--set field=value`.

    Args:
        plugin: A frozen dataclass; its fields are its options.
        options: Field names and values; text is converted to the field's type.
    """
    from pydantic import TypeAdapter, ValidationError

    if not (isinstance(plugin, type) and dataclasses.is_dataclass(plugin)):
        called = getattr(plugin, "__name__", repr(plugin))
        raise UsageError(f"{called} is no dataclass: a plug-in is one, and its fields are options.")
    allowed = {f.name for f in dataclasses.fields(plugin) if f.init}
    for name in options:
        if name not in allowed:
            raise UnknownNameError(f"option of {plugin.__name__}", name, allowed)
    try:
        return TypeAdapter(plugin).validate_python(dict(options))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"Option {field} of {plugin.__name__} can't be {first['input']!r}: {first['msg']}."
        ) from None
    except AssayError:
        raise  # the plug-in has said it better
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise UsageError(f"{plugin.__name__} can't be made ({what}).") from error


def kind_of(package: str) -> str:
    """Return what one plug-in of `package` is called: "assay.judges" gives "judge"."""
    plural = package.rsplit(".", 1)[-1]
    return f"{plural[:-3]}y" if plural.endswith("ies") else plural.removesuffix("s")


def _files(package: str) -> dict[str, str]:
    """Map plug-in names to module names, found by listing the folder, without importing."""
    spec = importlib.util.find_spec(package)
    locations = spec.submodule_search_locations if spec else None
    found = pkgutil.iter_modules(list(locations or []))
    return {
        module.name.replace("_", "-"): f"{package}.{module.name}"
        for module in found
        if not module.name.startswith("_") and module.name != "base"
    }


def _entries(package: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=package)}


def _load(package: str, entry: EntryPoint) -> Any:  # noqa: ANN401 - a plug-in can be anything
    """Load what another package offers; a fault of that package is no fault of ours."""
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"The {kind_of(package)} {entry.name!r} ({entry.value}) can't be loaded: {error}."
        ) from error


def _single_export(package: str, name: str, module_name: str) -> Any:  # noqa: ANN401 - a plug-in can be anything
    """Return what a file of the folder offers; the sentence says where the file is broken."""
    try:
        module = importlib.import_module(module_name)
    except AssayError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {_message(error)} ({_place(error)})"
        raise UsageError(f"The {kind_of(package)} {name!r} can't be loaded: {what}.") from error
    exported = getattr(module, "__all__", [])
    if len(exported) != 1:
        raise UsageError(
            f"{module_name} must name exactly one object in __all__, found {len(exported)}."
        )
    if not hasattr(module, exported[0]):
        raise UsageError(f"{module_name} names {exported[0]!r} in __all__ and has no such object.")
    return getattr(module, exported[0])


def _message(error: Exception) -> str:
    return (error.msg if isinstance(error, SyntaxError) else str(error)).rstrip(".")


def _place(error: Exception) -> str:
    """Return the file and the line where an import failed."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    last = [frame for frame in frames if not frame.filename.startswith("<frozen")][-1]
    return f"{last.filename}, line {last.lineno}"


def _import_object(name: str) -> Any:  # noqa: ANN401 - a plug-in can be anything
    """Import `module:object`; the current folder counts as a place for modules."""
    module_name, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise UsageError(f"{name!r}: there is no module {error.name!r} to import.") from error
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}"
        raise UsageError(f"{name!r}: {module_name!r} can't be imported ({what}).") from error
    if not hasattr(module, attribute):
        public = [n for n in vars(module) if not n.startswith("_")]
        raise UnknownNameError(f"object in {module_name}", attribute, public)
    return getattr(module, attribute)
