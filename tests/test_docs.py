"""What the documentation shows: it runs, it exists, and it builds without the network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from assay.cli._app import app, run

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
SNIPPETS = DOCS / "snippets"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
DATA = "record_runs.py"  # makes the folders that the other snippets audit
MODULES = {"whiteness.py"}  # a snippet that others name, with nothing to run by itself
VERBS = typer.main.get_command(app()).commands


def execute(command: list[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    here = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": here, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """Make the two folders of clips once."""
    folder = tmp_path_factory.mktemp("data")
    execute([sys.executable, SNIPPETS / DATA], folder)
    return folder / "runs"


@pytest.mark.parametrize(
    "name", sorted(p.name for p in SNIPPETS.iterdir() if p.name not in {DATA, *MODULES})
)
def test_a_snippet_runs(name, runs, tmp_path):
    for snippet in SNIPPETS.iterdir():
        shutil.copy(snippet, tmp_path)
    (tmp_path / "runs").symlink_to(runs)
    program = ["sh", "-eu"] if name.endswith(".sh") else [sys.executable, "-W", "error"]
    execute([*program, tmp_path / name], tmp_path)
    for report in re.findall(r"(?:--out |out=\")([\w-]+)", (SNIPPETS / name).read_text()):
        assert (tmp_path / report / "index.html").stat().st_size > 0


def test_every_snippet_is_shown():
    shown = "".join(page.read_text() for page in PAGES)
    assert {f"snippets/{p.name}" for p in SNIPPETS.iterdir()} == set(
        re.findall(r"{literalinclude} (?:\.\./)?(snippets/[\w.]+)", shown)
    )


def command_lines(text: str) -> list[str]:
    """Return the lines of all `sh` blocks, and everything in `code` that starts with a program."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    spans = re.findall(r"`((?:assay|make) [^`]+)`", text)
    return [line.strip() for line in [*"\n".join(blocks).splitlines(), *spans] if line.strip()]


def wrong_with(line: str) -> str:
    """Return what a command line names that does not exist, or an empty text."""
    words = line.split("#", maxsplit=1)[0].split()
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return "" if len(words) > 1 and words[1] in targets else f"no target in {line!r}"
    if words[0] != "assay" or words[1].startswith("-"):
        return ""
    if words[1] not in VERBS:
        return f"no verb in {line!r}"
    params = VERBS[words[1]].params
    known = {name for option in params for name in (*option.opts, *option.secondary_opts)}
    unknown = [word for word in words if word.startswith("--")]
    unknown = [w for w in unknown if w.split("=")[0] not in known | {"--help"}]
    return f"no option {unknown} in {line!r}" if unknown else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_exist(page):
    assert [w for w in map(wrong_with, command_lines(page.read_text())) if w] == []


@pytest.mark.parametrize(
    "line", ["make dmeo", "make", "assay adit x", "assay audit x --juge y", "assay show --opn"]
)
def test_a_wrong_command_is_seen(line):
    assert wrong_with(line) != ""


def test_the_readme_shows_commands():
    lines = command_lines((ROOT / "README.md").read_text())
    assert sum(line.startswith("assay ") for line in lines) >= len(VERBS)
    assert [line.split()[1] for line in lines if line.startswith("make ")][:2] == ["demo", "test"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    local = [target for target in targets if not target.startswith(("http:", "https:"))]
    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_the_page_of_verbs_has_every_option_and_no_other(verb):
    text = (DOCS / "verbs.md").read_text()
    section = re.search(rf"^## {verb}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)[1]
    params = [p for p in VERBS[verb].params if p.param_type_name == "option"]
    real = {option for p in params for option in p.opts if option.startswith("--")}
    assert set(re.findall(r"^\| `(--[\w-]+)`", section, re.MULTILINE)) == real - {"--help"}


HEAD = "episode,task,policy,t,progress\n"
GOOD = "run-1,lift,pi0,0,0\nrun-1,lift,pi0,1,1\n"
REFUSED = [
    ("the column 'progress' is missing. Nearest: 'progres'.", HEAD[:-2] + "\n" + GOOD, ""),
    ("progress is 'high', which is not a number.", HEAD + "run-1,lift,pi0,0,high\n", ""),
    ("has no rows.", HEAD, ""),
    ("there is no such path. Nearest: 'runs.csv'.", HEAD + GOOD, "run.csv"),
    ("no format reads it.", HEAD + GOOD, "empty"),
    ("is a run of assay audit, which holds no episodes.", HEAD + GOOD, "report"),
    ("one id must stand for one episode.", HEAD + GOOD, "runs.csv"),
    ("no episode 'runn-1'; nearest: 'run-1'.", HEAD + GOOD, "--labels labels.csv"),
    ("There is no judge named 'recorde'. Did you mean 'recorded'?", HEAD, "--judge recorde"),
    ("There is no option of Recorded named 'foo'.", HEAD + GOOD, "--set foo=1"),
    ("There is no column to group --by named 'taks'. Did you mean 'task'?", HEAD, "--by taks"),
    ("--limit must be above 0 and at most 1,000,000, not 0.", HEAD, "--limit 0"),
    ("holds another run (settings differ in", HEAD + GOOD, "--judge ramp --out report"),
]


@pytest.mark.parametrize(("said", "curves", "more"), REFUSED)
def test_bad_input_is_answered_as_the_page_says(said, curves, more, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("runs.csv").write_text(curves)
    Path("labels.csv").write_text("episode,success\nrunn-1,1\n")
    Path("empty").mkdir()
    if "report" in more:  # what stands there already
        with pytest.raises(SystemExit):
            run(["audit", "runs.csv", "--out", "report"])
        capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        run(["audit", "runs.csv", "--out", "new", *more.split()])
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err
    assert not Path("new").exists()
    assert f"`{said}`" in (DOCS / "bad-input.md").read_text()


def test_every_promise_of_the_page_is_tested():
    section = (DOCS / "bad-input.md").read_text().split("\n## ")[1]
    assert re.findall(r"^\| .* \| `(.+)` \|$", section, re.MULTILINE) == [r[0] for r in REFUSED]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Build the documentation as `make docs` does, in a folder of its own."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    execute([*command, "-d", folder / "trees", DOCS, folder / "html"], ROOT)
    return folder / "html"


def test_the_documentation_builds_and_fetches_nothing(site):
    assert (site / "getting-started.html").exists()
    execute([sys.executable, ROOT / "scripts" / "offline.py", site], ROOT)


@pytest.mark.parametrize(
    ("page", "count"),
    [
        ('<a href="https://example.org">a link to click</a>', 0),
        ('<link rel="canonical" href="https://example.org/">', 0),
        ('<script src="local.js"></script><img src="data:image/png;base64,//8=">', 0),
        ('<script src="https://example.org/x.js"></script>', 1),
        ("<img alt='' src='//example.org/x.png'>", 1),
        ('<link rel="stylesheet" type="text/css" href="https://example.org/x.css" />', 1),
        ('<link href="https://example.org/x.woff" rel="preload">', 1),
        ("<style>@import 'https://example.org/x.css'; a {b: url(//example.org/x)}</style>", 2),
    ],
)
def test_remote_parts_of_a_page_are_found(page, count, tmp_path):
    (tmp_path / "index.html").write_text(page)
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "offline.py", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(done.stderr.splitlines()) == count
    assert done.returncode == (1 if count else 0)
