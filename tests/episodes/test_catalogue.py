"""Any path: which format reads it, how sources are put together, what is said when none does."""

from __future__ import annotations

from pathlib import Path

import pytest

import clips
from assay import plugins
from assay.episodes import catalogue
from assay.episodes.base import Format
from assay.episodes.catalogue import Source
from assay.errors import InputError, UnknownNameError, UsageError

FORMATS = "assay.episodes.formats"
CURVES = "episode,task,policy,t,progress\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder, so that messages hold short paths."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_curves(path, *ids):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CURVES + "".join(f"{name},k,recorded,0,0.5\n" for name in ids))
    return path


def fault(call, *args, kind=InputError, **options):
    with pytest.raises(kind) as caught:
        list(call(*args, **options))
    return str(caught.value)


def shown(sources, **options):
    return [(str(s), e.id, e.policy) for s, e in catalogue.read_all(sources, **options)]


def samples(root):
    """Make one path of each kind, by the name of the format that must claim it; None for none."""
    (root / "set/meta").mkdir(parents=True)
    (root / "set/meta/info.json").write_text("{}")
    (root / "set/videos").mkdir()
    (root / "clips/deep").mkdir(parents=True)
    clips.write_clip(root / "clips/deep/a.mp4", frames=2)
    (root / "set/videos/a.mp4").write_bytes((root / "clips/deep/a.mp4").read_bytes())
    (root / "set/sarm_progress.parquet").write_bytes(b"PAR1")
    (root / "listed").mkdir()
    for name in ("manifest.csv", "manifest.jsonl", "manifest.json"):
        (root / "listed" / name).write_text("file\n")
    for name in ("c.csv", "c.tsv", "c.jsonl", "c.txt", "c.parquet"):
        (root / name).write_text("episode\n")
    (root / "sets").mkdir()
    (root / "set2").mkdir()
    (root / "sets/one").symlink_to(root / "set")
    return {
        "set": "lerobot",
        "set/sarm_progress.parquet": "lerobot-progress",
        "clips": "video-folder",
        "clips/deep/a.mp4": "video-folder",
        "listed": "video-folder",
        "listed/manifest.csv": "video-folder",
        "listed/manifest.jsonl": "video-folder",
        "listed/manifest.json": "video-folder",
        "c.csv": "curves",
        "c.tsv": "curves",
        "c.jsonl": "curves",
        "c.txt": None,
        "c.parquet": None,
        "set2": None,
        "sets": None,
    }


def test_one_format_claims_each_kind_of_path(tmp_path):
    for name, wanted in samples(tmp_path).items():
        assert catalogue.sniff(tmp_path / name) == ([wanted] if wanted else []), name


def test_every_format_keeps_the_contract(tmp_path):
    claimed = set(samples(tmp_path).values()) - {None}
    assert set(plugins.names(FORMATS)) == claimed
    for name in claimed:
        found = plugins.find(FORMATS, name)()
        assert isinstance(found, Format)
        assert "\n" not in found.reads
        assert found.sniff(tmp_path / "gone") is False


def test_the_format_is_found_or_named(here):
    path = write_curves(Path("a.csv"), "e")
    assert catalogue.format_of(path) == "curves"
    assert [e.id for e in catalogue.read(path)] == ["e"]
    path.rename("a.txt")
    assert [e.id for e in catalogue.read(Path("a.txt"), format="curves")] == ["e"]
    words = fault(catalogue.read, Path("a.txt"), format="curve", kind=UnknownNameError)
    assert words.startswith("There is no format named 'curve'. Did you mean 'curves'?")


def test_a_path_that_no_format_reads_is_described(here):
    folder = here / "runs"
    folder.mkdir()
    looked = " Looked for " + "; ".join(
        f"{name}: {plugins.find(FORMATS, name).reads}" for name in plugins.names(FORMATS)
    )
    assert fault(catalogue.read, Path("runs")) == (
        f"runs: no format reads it. It is empty.{looked}."
    )
    (folder / "notes").mkdir()
    for number in range(8):
        (folder / f"{number}.npz").write_text("x")
    assert fault(catalogue.read, Path("runs")) == (
        "runs: no format reads it. It holds '0.npz', '1.npz', '2.npz', '3.npz', '4.npz', '5.npz', "
        f"'6.npz', '7.npz' and 1 more.{looked}."
    )
    assert fault(catalogue.read, Path("runs/1.npz")) == (
        f"runs/1.npz: no format reads it. It is a file of 1 bytes.{looked}."
    )


def test_a_folder_of_one_table_says_to_pass_the_table(here):
    write_curves(Path("runs/curves.csv"), "e")
    assert "To read runs/curves.csv, pass it by name." in fault(catalogue.read, Path("runs"))


def test_two_claims_are_refused(here, monkeypatch):
    path = write_curves(Path("a.csv"), "e")
    names = plugins.names
    monkeypatch.setattr(plugins, "names", lambda package: [*names(package), "curves"])
    assert fault(catalogue.read, path) == "a.csv: several formats claim it: curves, curves."


def test_a_path_that_is_not_there_gets_its_neighbours(here):
    write_curves(Path("runs/pi0.csv"), "e")
    assert fault(catalogue.read, Path("runs/pi.csv")) == (
        "runs/pi.csv: there is no such path. Nearest: 'runs/pi0.csv'."
    )
    assert fault(catalogue.read, Path("xyz")) == "xyz: there is no such path."
    assert fault(catalogue.read, Path("rums/pi0.csv")) == (
        "rums/pi0.csv: there is no such path, nor the folder rums."
    )


def test_sources_are_parsed(here):
    assert Source.parse("runs/a") == Source(Path("runs/a"))
    assert Source.parse("pi0=runs/a=b") == Source(Path("runs/a=b"), "pi0")
    assert str(Source.parse("pi0=runs/a")) == "pi0=runs/a"
    write_curves(Path("a=b"), "e")
    assert Source.parse("a=b") == Source(Path("a=b"))
    for text in ("=runs", "pi0="):
        assert fault(Source.parse, text, kind=UsageError) == (
            f"{text!r} is neither a path nor LABEL=PATH."
        )


def test_a_label_names_the_policy_and_keeps_ids_apart(here):
    write_curves(Path("a.csv"), "e1", "e2")
    write_curves(Path("b.csv"), "e1")
    assert shown([Source(Path("a.csv"), "pi0")]) == [
        ("pi0=a.csv", "e1", "pi0"),
        ("pi0=a.csv", "e2", "pi0"),
    ]
    both = [Source(Path("a.csv"), "pi0"), Source(Path("b.csv"))]
    assert shown(both, limit=1) == [
        ("pi0=a.csv", "pi0/e1", "pi0"),
        ("b.csv", "e1", "recorded"),
    ]


def test_unreadable_episodes_are_labelled_too(here):
    Path("a.csv").write_text(CURVES + "e,k,p,-1,0\n")
    write_curves(Path("b.csv"), "e")
    assert shown([Source(Path("a.csv"), "pi0"), Source(Path("b.csv"), "act")]) == [
        ("pi0=a.csv", "pi0/e", "pi0"),
        ("act=b.csv", "act/e", "act"),
    ]


def test_an_id_in_two_sources_is_refused(here):
    write_curves(Path("a.csv"), "e1", "e2")
    write_curves(Path("b.csv"), "e2")
    words = (
        "name the sources with LABEL=PATH to keep their ids apart, each with a label of its own."
    )
    a, b = Path("a.csv"), Path("b.csv")
    assert fault(catalogue.read_all, [Source(a), Source(b)]) == (
        f"b.csv: the episode 'e2' stands in a.csv too; {words}"
    )
    assert fault(catalogue.read_all, [Source(a, "x"), Source(b, "x")]) == (
        f"b.csv: the episode 'x/e2' stands in x=a.csv too; {words}"
    )
    assert fault(catalogue.read_all, [Source(a), Source(a)]) == (
        "a.csv: the episode 'e1' stands there twice; one id must stand for one episode."
    )
