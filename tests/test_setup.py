"""The set-up: what the shell scripts say and do on machines that lack this or that.

Each test runs the real scripts with a PATH of its own, on which dpkg-query, apt-get, id and the
Pythons are small stand-ins that write down how they were called.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from assay.worlds import gl

ROOT = Path(__file__).parent.parent
TOOLS = ("cat", "cksum", "cp", "dirname", "grep", "mkdir")
GL = gl.PACKAGES["egl"]  # what a user is told to install is what the set-up installs
BASE = f"ca-certificates {GL}"  # what every machine has before it has a Python

# Answers like a Python of the version in its name; `-m venv` makes a .venv that holds itself.
PYTHON = """#!/bin/sh
case "$*" in
    *%d-venv*) echo python3.11-venv ;;
    *ensurepip*) {ensurepip} ;;
    *version_info*) {recent} ;;
    --version) echo Python 3.11.2 ;;
    *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *"pip install"*) echo "$* constraint=$PIP_CONSTRAINT" >>pip.log ;;
esac
"""
DPKG_QUERY = """#!/bin/sh
for name; do :; done
case " {installed} " in
    *" $name "*) printf installed ;;
    *) exit 1 ;;
esac
"""


def load(script: str):
    """Import a file of scripts/, which is no package."""
    spec = importlib.util.spec_from_file_location(script, ROOT / "scripts" / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Machine:
    """A pretended machine: a folder of programs and a checkout to work in."""

    def __init__(self, folder: Path):
        self.bin = folder / "bin"
        self.checkout = folder / "checkout"
        self.bin.mkdir()
        shutil.copytree(ROOT / "scripts", self.checkout / "scripts")
        for name in ("pyproject.toml", "requirements.lock"):
            shutil.copy(ROOT / name, self.checkout)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))

    def program(self, name: str, text: str = "#!/bin/sh\n") -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def debian(self, installed: str = "", *, user: int = 1000) -> None:
        """Make it a Debian with the packages `installed`; apt-get writes down what it is asked."""
        self.program("dpkg-query", DPKG_QUERY.format(installed=installed))
        self.program("apt-get", f'#!/bin/sh\necho "$@" >>{self.checkout}/apt.log\n')
        self.program("id", f"#!/bin/sh\necho {user}\n")

    def python(self, name: str = "python3.11", *, recent: bool = True, venv: bool = True) -> None:
        words = {"recent": f"exit {int(not recent)}", "ensurepip": f"exit {int(not venv)}"}
        self.program(name, PYTHON.format(**words))

    def run(self, script: str, *words: str, **variables: str):
        return subprocess.run(
            [self.checkout / "scripts" / script, *words],
            env={"PATH": str(self.bin), **variables},
            capture_output=True,
            text=True,
            check=False,
            cwd=self.checkout,
        )

    def log(self, name: str) -> list[str]:
        file = self.checkout / name
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# --- packages.sh


def test_nothing_missing_says_nothing(machine):
    machine.debian("git chromium")
    done = machine.run("packages.sh", "git", "chromium")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_plain_user_gets_one_line_with_all_missing_names(machine):
    machine.debian("git")
    done = machine.run("packages.sh", "git", "chromium", "fonts-dejavu-core")
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if line.startswith("sudo ")]
    assert lines == ["sudo apt-get update && sudo apt-get install -y chromium fonts-dejavu-core"]
    assert machine.log("apt.log") == []


def test_root_gets_the_missing_ones_installed(machine):
    machine.debian("git", user=0)
    done = machine.run("packages.sh", "git", "chromium")
    assert done.returncode == 0
    assert machine.log("apt.log")[-1].endswith("install -y -qq --no-install-recommends chromium")


def test_root_is_told_when_apt_fails(machine):
    machine.debian(user=0)
    machine.program("apt-get", "#!/bin/sh\nexit 100\n")
    done = machine.run("packages.sh", "chromium")
    assert done.returncode == 2
    assert "could not install: chromium" in done.stderr


def test_without_dpkg_programs_are_named(machine):
    machine.program("git")
    done = machine.run("packages.sh", "ca-certificates", "git", "chromium", "fonts-dejavu-core")
    assert done.returncode == 2
    assert done.stderr.startswith("Missing: chromium. Please install")


@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize("offered", [True, False])
def test_a_welcome_package_comes_along_when_the_release_has_it(machine, user, offered):
    machine.debian(user=user)
    answer = f"case $* in *--simulate*) exit {0 if offered else 100} ;; esac"
    machine.program(
        "apt-get", f'#!/bin/sh\n{answer}\necho install "$@" >>{machine.checkout}/apt.log\n'
    )
    done = machine.run("packages.sh", "maybe:libosmesa6", "git")
    lines = machine.log("apt.log") if user == 0 else done.stderr.splitlines()
    wanted = ["git", "libosmesa6"] if offered else ["git"]
    assert re.findall(r"git|libosmesa6", lines[-1]) == wanted


def test_nothing_waits_for_a_welcome_package(machine):
    machine.debian("git")
    done = machine.run("packages.sh", "git", "maybe:libosmesa6")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert machine.log("apt.log") == []


# --- python.sh


def test_the_first_python_that_is_new_enough_is_taken(machine):
    machine.python("python3.11", recent=False)
    machine.python("python3.12")
    machine.python("python3")
    assert machine.run("python.sh").stdout.strip() == "python3.12"
    assert machine.run("python.sh", PYTHON="python3").stdout.strip() == "python3"
    assert machine.run("python.sh", PYTHON="no-such-python").stdout.strip() == "python3.12"


def test_no_python_is_exit_1(machine):
    machine.python("python3", recent=False)
    done = machine.run("python.sh")
    assert (done.returncode, done.stdout) == (1, "")


# --- setup.sh


def test_a_second_run_does_no_pip_work(machine):
    machine.debian(BASE)
    machine.python()
    first, second = machine.run("setup.sh", "base"), machine.run("setup.sh", "base")
    assert first.returncode == second.returncode == 0, first.stderr
    assert "Making .venv with Python 3.11.2" in first.stdout
    assert second.stdout == "==> .venv is up to date\n"
    [call] = machine.log("pip.log")
    assert call.endswith("--no-compile --editable .[worlds,learned] constraint=requirements.lock")


@pytest.mark.parametrize("name", ["requirements.lock", "pyproject.toml"])
def test_a_changed_file_installs_again(machine, name):
    machine.debian(BASE)
    machine.python()
    machine.run("setup.sh", "base")
    with (machine.checkout / name).open("a") as file:
        file.write("# changed\n")
    machine.run("setup.sh", "base")
    assert len(machine.log("pip.log")) == 2


def test_a_moved_checkout_installs_again(machine):
    machine.debian(BASE)
    machine.python()
    machine.run("setup.sh", "base")
    machine.checkout = machine.checkout.rename(machine.checkout.with_name("elsewhere"))
    machine.run("setup.sh", "base")
    assert len(machine.log("pip.log")) == 2


def test_the_tests_add_to_the_base_and_hold_it(machine):
    machine.debian(f"{BASE} chromium fonts-dejavu-core git libatomic1")
    machine.program("chromium")
    machine.python()
    for what in ("base", "dev", "base", "dev"):
        assert machine.run("setup.sh", what).returncode == 0
    base, dev = machine.log("pip.log")
    assert "--editable .[worlds,learned] " in base
    assert "--editable .[dev,docs] " in dev


def test_a_bare_machine_gets_everything_in_one_line(machine):
    machine.debian()
    done = machine.run("setup.sh", "dev")
    assert done.returncode == 2
    [line] = [line for line in done.stderr.splitlines() if line.startswith("sudo ")]
    ubuntu = "ID=ubuntu" in Path("/etc/os-release").read_text()
    browser = "chromium-browser" if ubuntu else "chromium"
    assert line.split(" -y ")[1].split() == [
        *("ca-certificates", "python3", "python3-venv", *GL.split()),
        *(browser, "fonts-dejavu-core", "git", "libatomic1"),
        gl.PACKAGES["osmesa"],
    ]


@pytest.mark.parametrize(
    ("python", "package"),
    [
        ({"name": "python3", "recent": False}, "python3.11 python3.11-venv"),
        ({"name": "python3.11", "venv": False}, "python3.11-venv"),
    ],
)
def test_the_python_package_that_fits_is_named(machine, python, package):
    machine.debian(f"{BASE} libosmesa6")
    machine.python(**python)
    done = machine.run("setup.sh", "base")
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(f"install -y {package}")


def test_no_python_at_all_is_a_kind_error(machine):
    machine.debian(f"{BASE} python3 python3-venv")  # dpkg says yes, yet nothing runs
    done = machine.run("setup.sh", "base")
    assert done.returncode == 2
    assert "needs Python 3.11 or newer" in done.stderr


def test_a_failing_pip_leaves_no_stamp(machine):
    machine.debian(BASE)
    machine.python()
    broken = PYTHON.replace('echo "$* constraint=$PIP_CONSTRAINT" >>pip.log', "exit 1")
    machine.program("python3.11", broken.format(recent="exit 0", ensurepip="exit 0"))
    done = machine.run("setup.sh", "base")
    assert done.returncode == 2
    assert "pip could not install" in done.stderr
    assert not (machine.checkout / ".venv" / ".ready-base").exists()


# --- the lock


def pins() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def test_the_lock_holds_names_and_versions_only():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    held = [line for line in lines if not line.startswith("#")]
    assert held
    for line in held:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line), line
    assert "torch" not in pins()


def test_the_lock_satisfies_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    wanted = project["project"]["dependencies"] + project["build-system"]["requires"]
    for name in (
        "worlds",
        "learned",
        "train",
        "models",
        "vlm",
        "zarr",
        "mcap",
        "roboarena",
        "dev",
        "docs",
    ):
        wanted += extras[name]
    held = pins()
    requirements = [(text, Requirement(text)) for text in wanted]
    apart = {project["project"]["name"], "torch"}  # an extra of ours; pinned there, see the lock
    others = [pair for pair in requirements if pair[1].name not in apart]
    assert len(requirements) == len(others) + 4  # dev and train name extras, train and vlm torch
    for text, requirement in others:
        assert requirement.specifier.contains(held[canonicalize_name(requirement.name)]), text


def report(*pairs: tuple[str, str]) -> dict:
    return {"install": [{"metadata": {"name": n, "version": v}} for n, v in pairs]}


def test_the_lock_is_sorted_and_refuses_what_other_machines_lack():
    lock = load("lock")
    text = lock.lock_text(report(("numpy", "2.0"), ("Av", "15.0")))
    assert text.splitlines()[2:] == ["Av==15.0", "numpy==2.0"]
    with pytest.raises(SystemExit, match=re.escape("other==1.0+cpu")):
        lock.lock_text(report(("numpy", "2.0"), ("other", "1.0+cpu")))


def test_the_lock_leaves_torch_to_the_pin_in_pyproject():
    text = load("lock").lock_text(report(("numpy", "2.0"), ("torch", "2.13.0+cpu")))
    assert text.splitlines()[2:] == ["numpy==2.0"]


# --- make and .ci/run


def make(*words: str):
    # MAKEFLAGS of a `make test` around us would make this one quiet or chatty.
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", *words], cwd=ROOT, env=clean, capture_output=True, text=True, check=False
    )


def test_help_comes_first_and_lists_every_target():
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    done = make()
    assert done.returncode == 0
    assert re.findall(r"^  make ([a-z-]+)", done.stdout, re.MULTILINE) == phony[1].split()


@pytest.mark.parametrize(
    ("words", "said"),
    [(("real",), "make real CLIPS=DIR"), (("real", "CLIPS=/no/such/clips"), "There is no folder")],
)
def test_real_asks_for_its_clips(words, said):
    done = make(*words)
    assert done.returncode == 2
    assert said in done.stdout


def test_integration_runs_make_test():
    run = ROOT / ".ci" / "run"
    assert os.access(run, os.X_OK)
    assert run.read_text().splitlines()[-1] == "exec make test"
