"""The import rule, exact `__all__`, and nothing happening on import."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import plugins

SOURCE = Path(__file__).parent.parent / "src" / "assay"
# From left to right: a folder imports only folders of earlier rows, and not its neighbours.
ROWS = (
    {"errors"},
    {"records", "metrics", "engine", "plugins"},
    {"episodes"},
    {"models"},
    {"judges", "worlds"},
    {"benchmarks"},
    {"reports"},
    {"jobs"},
    {"cli"},
    {"__main__"},
)
RANK = {folder: rank for rank, row in enumerate(ROWS) for folder in row}
PLUGIN_FOLDERS = (
    "assay.judges",
    "assay.models.providers",
    "assay.models.encoders",
    "assay.episodes.formats",
    "assay.episodes.writers",
    "assay.metrics.diagnostics",
    "assay.cli",
    "assay.benchmarks.passport.checks",
    "assay.benchmarks.glitches.injecting.injectors",
    "assay.worlds.robots",
    "assay.worlds.tasks",
    "assay.worlds.policies",
    "assay.worlds.perturbations",
)
_MODULE = r"assay(?!\.json$)(\.\w+)+"  # assay.json is a file beside a dataset
HEAVY = {
    *("scipy", "pyarrow", "av", "PIL", "typer", "rich", "pydantic", "playwright", "torch"),
    *("mujoco", "mink", "OpenGL", "onnx", "onnxruntime", "aiohttp", "transformers", "h5py"),
    *("gymnasium", "zarr", "numcodecs", "mcap", "google", "mcap_ros2", "rerun", "yaml"),
}

# `python -m assay` is there to be run: it exports nothing.
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "__main__.py")
IDS = [str(path.relative_to(SOURCE)) for path in MODULES]


def folder_of(path: Path) -> str:
    """Return the folder or file right below src/assay that `path` belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield every module or name of ours that a file mentions, as a dotted path.

    Imports inside functions count, and so do texts such as "assay.judges": they are how plug-ins
    are found.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and re.fullmatch(_MODULE, str(node.value)):
            yield str(node.value)


def faults(folder: str, tree: ast.AST) -> list[str]:
    """Return every import of ours by which `folder` breaks the rule."""
    names = [name.split(".") for name in imported(tree)]
    ours = [parts for parts in names if parts[0] == "assay" and parts[1:] != ["__version__"]]
    return [
        ".".join(parts)
        for parts in ours
        if parts[1] != folder and (parts[1] not in RANK or RANK[parts[1]] >= RANK[folder])
    ]


@pytest.mark.parametrize("path", [p for p in MODULES if p.parent != SOURCE or p.stem in RANK])
def test_folders_import_only_what_stands_further_left(path):
    assert faults(folder_of(path), ast.parse(path.read_text())) == []


def test_every_folder_has_a_place_in_the_rule():
    assert {folder_of(path) for path in SOURCE.rglob("*.py")} - {"__init__"} == set(RANK)


@pytest.mark.parametrize(
    ("folder", "code"),
    [
        ("metrics", "from assay.records import Curve"),  # a neighbour
        ("records", "import assay.jobs.audit"),  # further right
        ("episodes", "from assay import judges"),
        ("judges", "def f():\n    from assay.reports import tables"),  # hidden in a function
        ("worlds", "from assay.judges import oracle"),  # a neighbour that wants the truth
        ("engine", "find('assay.judges')"),  # by name
        ("reports", "from assay import audit"),  # the lazy name of a job
    ],
)
def test_the_rule_catches(folder, code):
    assert len(faults(folder, ast.parse(code))) == 1


def public_names(tree: ast.Module) -> set[str]:
    """Return the functions and classes that a file defines without a leading underscore."""
    defined = (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    names = {node.name for node in tree.body if isinstance(node, defined)}
    return {name for name in names if not name.startswith("_")}


def exported(tree: ast.Module) -> list[str]:
    """Return the literal `__all__` of a file; a file that is only a docstring needs none."""
    if ast.get_docstring(tree) is not None and len(tree.body) == 1:
        return []
    found = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if ast.unparse(target) == "__all__":
                found.append(ast.literal_eval(node.value))
    assert len(found) == 1, f"a file has one __all__, this one has {len(found)}"
    return list(found[0])


def bound_names(tree: ast.Module) -> set[str]:
    """Return all names that the top level of a file binds, `if TYPE_CHECKING` included."""
    names: set[str] = set()
    for node in [*tree.body, *(n for i in tree.body if isinstance(i, ast.If) for n in i.body)]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(t.id for t in targets if isinstance(t, ast.Name))
    return names


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_all_is_exact(path):
    tree = ast.parse(path.read_text())
    names = exported(tree)
    assert len(names) == len(set(names))
    assert set(names) <= bound_names(tree), "__all__ names what is not there"
    assert public_names(tree) <= set(names), "public but not in __all__"


def file_of(module: str) -> Path | None:
    """Return the file of one of our modules, or None for a module of someone else."""
    place = SOURCE.parent.joinpath(*module.split("."))
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in files if file in MODULES), None)


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_what_others_import_is_public(path):
    """A name taken from another file of ours stands in that file's `__all__`."""
    for node in ast.walk(ast.parse(path.read_text())):
        file = file_of(node.module) if isinstance(node, ast.ImportFrom) and node.module else None
        if file is None or file == SOURCE / "__init__.py":
            continue
        public = set(exported(ast.parse(file.read_text())))
        taken = {a.name for a in node.names if file_of(f"{node.module}.{a.name}") is None}
        assert taken <= public, f"not in __all__ of {node.module}"


@pytest.mark.parametrize("package", PLUGIN_FOLDERS)
def test_a_plugin_file_exports_one_object(package):
    names = plugins.names(package)
    assert names
    for name in names:
        assert callable(plugins.find(package, name))


def python(code: str) -> str:
    """Run `code` in a fresh interpreter and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_assay_brings_nothing_heavy():
    loaded = set(json.loads(python("import assay, sys, json; print(json.dumps([*sys.modules]))")))
    assert "assay" in loaded
    assert loaded & (HEAVY | {"numpy"}) == set()


def test_help_needs_no_numbers_and_no_video():
    code = """
import contextlib, io, json, sys
from assay.cli import main
sys.argv = ["assay", "--help"]
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as said:
    main()
assert "audit" in said.getvalue()
print(json.dumps([*sys.modules]))
"""
    assert set(json.loads(python(code))) & {"numpy", "scipy", "pyarrow", "av", "mujoco"} == set()


def test_importing_everything_changes_nothing():
    """No logger, no thread, no seed, no variable: importing is not doing."""
    modules = [
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in MODULES
    ]
    code = f"""
import importlib, logging, os, sys, threading, warnings
import numpy as np, scipy.stats, pyarrow.parquet, av, typer, rich.console, pydantic, mujoco, mink
def state():
    return [dict(os.environ), os.getcwd(), threading.active_count(), list(logging.root.handlers),
            logging.root.level, np.random.get_state()[1].tolist(), np.geterr(), list(sys.path)]
before = state()
for name in {modules!r}:
    importlib.import_module(name)
assert state() == before
print("same")
"""
    assert python(code).strip() == "same"
