"""`assay audit` with a model, on the command line."""

import json
import sys

import pytest

from assay.cli._app import run
from assay.errors import RunError
from assay.models.ledger import Ledger
from clips import write_clip
from model_server import ModelServer
from models_loopback import by_schema, instruct
from models_tiny import llava


@pytest.fixture
def clips(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_LEDGER", str(tmp_path / "ledger.sqlite"))
    folder = tmp_path / "clips"
    folder.mkdir()
    write_clip(folder / "clip.mp4", frames=16, fps=8)
    instruct(folder)
    return folder


@pytest.fixture
def server():
    with ModelServer(by_schema) as server:
        yield server


def assay(*arguments):
    """Run a command; return its exit code."""
    with pytest.raises(SystemExit) as caught:
        run([str(a) for a in arguments])
    return caught.value.code or 0


def test_the_same_command_with_a_model_and_without_one(clips, server, tmp_path, capsys):
    command = ("audit", clips, "--fps", 2, "--jobs", 1)
    asking = ("--judge", "vlm-pairwise", "--model", f"openai:stub@{server.url}")
    assert assay(*command, "--out", tmp_path / "asked", *asking) == 0
    told = capsys.readouterr()
    assert "4 calls sent, 0 answers from the ledger" in told.err
    assert f"openai:stub@{server.url}: answered as 'stub-2026-01'." in told.err
    said = "4 questions (4 ok), 400 + 40 tokens, no price known, answered as stub-2026-01."
    assert said in " ".join(told.out.split())
    assert assay(*command, "--out", tmp_path / "own", "--judge", "prm-mini") == 0
    assert "calls sent" not in capsys.readouterr().err
    asked, own = (json.loads((tmp_path / n / "audit.json").read_text()) for n in ("asked", "own"))
    assert [cell["n"] for cell in asked["cells"]] == [cell["n"] for cell in own["cells"]]
    assert "asked" not in own


def test_the_same_command_with_a_model_on_this_machine(clips, tmp_path, capsys):
    command = ("audit", clips, "--fps", 0.5, "--jobs", 1, "--judge", "vlm-pairwise")
    small, large = (tmp_path / name for name in ("small", "large"))
    models = (llava(small), llava(large, terse=True, context=8192))
    told = [("--model", f"transformers:{model}", "--out", tmp_path / "run") for model in models]
    assert assay(*command, *told[0]) == 2
    assert "takes 512 tokens, question and answer together" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    # It speaks one token at random, which is no direction: a status, and no value.
    assert assay(*command, *told[1]) == 1
    assert "Not scored, invalid_value: 1 of 1 episodes" in capsys.readouterr().err
    assert (tmp_path / "run" / "index.html").is_file()
    (asked,) = json.loads((tmp_path / "run" / "audit.json").read_text())["asked"].values()
    assert asked["status"] == {"invalid_value": asked["questions"]}


def test_a_plan_is_printed_and_nothing_is_spent(clips, server, tmp_path, capsys):
    prices = tmp_path / "prices.toml"
    prices.write_text("[stub]\ninput = 1.0\noutput = 10.0\npicture = 100\n")
    command = ("audit", clips, "--out", tmp_path / "run", "--fps", 2, "--plan", "--prices", prices)
    asking = ("--judge", "vlm-pairwise", "--model", f"openai:stub@{server.url}")
    assert assay(*command, *asking) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1 episode; nothing was sent."
    # Three pictures a hop, but for the first, which goes from the start: 12 in 4 calls.
    assert f"openai:stub@{server.url}: 4 calls to send with 12 pictures" in lines[1]
    assert assay(*command, *asking, "--json") == 0
    (planned,) = json.loads(capsys.readouterr().out)["models"].values()
    assert planned["calls"] == 4
    assert assay(*command, "--judge", "ramp") == 0
    assert capsys.readouterr().out == "Nothing would be asked of any model.\n"
    assert server.count == 0
    assert {p.name for p in tmp_path.iterdir()} == {"clips", "prices.toml"}  # and no ledger


def test_what_must_be_installed_is_told_by_its_name(clips, server, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    asking = ("--judge", "vlm-pairwise", "--model", f"openai:stub@{server.url}")
    assert assay("audit", clips, "--out", tmp_path / "run", *asking) == 2
    assert "needs the package 'aiohttp': pip install 'assay[models]'." in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_full_disk_ends_the_command(clips, server, tmp_path, capsys, monkeypatch):
    def put(self, *row):
        raise RunError("No space is left for the ledger.")

    command = ("audit", clips, "--out", tmp_path / "run", "--fps", 2, "--judge", "vlm-pairwise")
    asking = ("--model", f"openai:stub@{server.url}")
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "put", put)
        assert assay(*command, *asking) == 2
    assert "No space is left for the ledger." in capsys.readouterr().err
    assert not (tmp_path / "run" / "audit.json").exists()
    assert assay(*command, *asking) == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("--judge ramp --model openai:x", "--model is for judges that ask a model, and ramp does"),
        ("--judge gvl", "The judge gvl asks a model and was given none"),
        ("--judge gvl@", "The judge gvl asks a model and was given none"),
        ("--judge gvl@openai:x --model URL", "Two models are given: --model"),
        ("--judge prm-mini@openai:x", "The judge prm-mini asks no model: leave out @openai:x."),
        ("--judge vlm-answer", "The judge vlm-answer gives no progress: it can't audit."),
        ("--judge gvl@URL --set seed=-1", "Option seed of gvl must be from 0 to 4294967295"),
        ("--judge gvl --model openai", "'openai' names a provider but no model."),
        ("--judge gvl --model opnai:x", "Did you mean 'openai'?"),
        ("--judge gvl --model openai:x@localhost:1", "must begin with http:// or https://"),
        ("--judge gvl --model openai:x@http://127.0.0.1:9/v1", "127.0.0.1:9"),
        ("--judge gvl --model openai:x", "OPENAI_API_KEY"),
        ("--judge gvl --model URL --set model=openai:y", "Two models are given: --model"),
        ("--judge gvl --model URL --max-cost 1", "--max-cost needs the price of 'stub'"),
        ("--judge gvl --model URL --max-cost -1", "max_cost must be a number of 0 or more"),
        ("--judge gvl --model URL --in-flight 0", "in_flight must be 1 or more"),
        ("--judge gvl --model URL --prices none.toml", "The prices can't be read"),
        ("--judge gvl --model URL --ledger DIR", "clips"),
    ],
)
def test_what_can_be_known_is_told_before_anything_is_spent(
    clips, server, tmp_path, capsys, monkeypatch, asked, said
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = asked.replace("URL", f"openai:stub@{server.url}").replace("DIR", str(clips)).split()
    assert assay("audit", clips, "--out", tmp_path / "run", "--jobs", 1, *words) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert (printed.out, len(printed.err.splitlines())) == ("", 1)
    assert server.count == 0
    assert not (tmp_path / "run").exists()
