"""Any path: which format reads it, how sources are put together, what is said when none does."""

from __future__ import annotations

import pickle
import runpy
from pathlib import Path

import pytest

from assay import plugins
from assay.episodes import catalogue
from assay.episodes.base import Format
from assay.episodes.catalogue import Source
from assay.errors import InputError, UnknownNameError, UsageError
from assay.records import Episode

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


def samples(name, root):
    """Return paths that the format `name` must claim; a format brings them in a file of its own."""
    file = Path(__file__).parent / "samples" / f"{name.replace('-', '_')}.py"
    if not file.exists():
        pytest.fail(
            f"the format {name!r} needs samples/{file.name} beside this test, with a function "
            "make(root) that returns paths to claim; the first one can be read."
        )
    return runpy.run_path(str(file))["make"](root)


@pytest.mark.parametrize("name", plugins.names(FORMATS))
def test_one_format_claims_each_sample(name, tmp_path):
    for path in samples(name, tmp_path):
        assert catalogue.sniff(path) == [name], path


@pytest.mark.parametrize("name", plugins.names(FORMATS))
def test_every_format_keeps_the_contract(name, tmp_path):
    found = catalogue._format(name, trust_pickles=True)
    assert isinstance(found, Format)
    assert "\n" not in found.reads
    assert found.sniff(tmp_path / "gone") is False
    sample = samples(name, tmp_path)[0]
    first, second = list(found.read(sample)), list(found.read(sample))
    assert all(isinstance(episode, Episode) for episode in first)
    assert len({episode.id for episode in first}) == len(first) > 0
    # The same episodes in the same order, and frames that another process knows by the same key.
    assert [e.id for e in first] == [e.id for e in second]
    assert keys_of(first) == keys_of(pickle.loads(pickle.dumps(second)))


def keys_of(episodes):
    return [{name: v.frames.key() for name, v in e.views.items()} for e in episodes]


def test_what_is_of_no_format_is_claimed_by_none(tmp_path):
    samples("lerobot", tmp_path)
    for name in ("c.txt", "c.parquet"):
        (tmp_path / name).write_text("episode\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets/one").symlink_to(tmp_path / "set")
    for name in ("c.txt", "c.parquet", "empty", "sets"):
        assert catalogue.sniff(tmp_path / name) == [], name


def test_a_format_that_cannot_be_imported_is_left_out_with_one_warning(here, monkeypatch, caplog):
    path = write_curves(Path("a.csv"), "e")
    names, find = plugins.names, plugins.find

    def broken(package, name):
        if name == "broken":
            raise UsageError("The format 'broken' can't be imported: No module named 'gone'.")
        return find(package, name)

    monkeypatch.setattr(plugins, "names", lambda package: ["broken", *names(package)])
    monkeypatch.setattr(plugins, "find", broken)
    with caplog.at_level("WARNING", logger="assay"):
        assert [e.id for e in catalogue.read(path)] == ["e"]
        assert catalogue.format_of(path) == "curves"
    words = "The format 'broken' can't be imported: No module named 'gone'."
    assert caplog.messages == [f"the format 'broken' is left out: {words}"]
    assert fault(catalogue.read, path, format="broken", kind=UsageError) == words
    # What was looked for is told without it.
    assert "broken" not in fault(catalogue.read, Path())


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


def test_a_run_directory_is_told_from_a_dataset(here):
    write_curves(Path("report/log.jsonl"), "e")
    Path("report/run.json").write_text('{"schema": "assay.run/1", "verb": "audit"}')
    assert fault(catalogue.read, Path("report")) == (
        "report: is a run of assay audit, which holds no episodes. Look at it with assay show "
        "report, or give what assay audit was given."
    )


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"schema": "other", "verb": "audit"}', "\xff"])
def test_a_run_json_of_others_says_nothing(here, text):
    Path("runs").mkdir()
    Path("runs/run.json").write_text(text, encoding="latin-1")
    assert "no format reads it. It holds 'run.json'" in fault(catalogue.read, Path("runs"))


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
