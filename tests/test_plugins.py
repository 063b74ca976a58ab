"""The plug-in finder and the vocabulary it stands on."""

import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import plugins
from assay.errors import (
    EpisodeError,
    InputError,
    MissingExtraError,
    MissingLibraryError,
    PolicyFault,
    UnknownNameError,
    UsageError,
    nearest,
)
from assay.records import STATUSES, Episode, Series, Unreadable, worst_status


def test_file_names_become_names_with_dashes():
    assert "last-frame" in plugins.names("assay.judges")


def test_helpers_and_the_contract_are_no_plugins():
    assert not {"base", "-null", "-curves"} & set(plugins.names("assay.judges"))


def test_listing_imports_nothing():
    sys.modules.pop("assay.judges.ramp", None)
    plugins.names("assay.judges")
    assert "assay.judges.ramp" not in sys.modules


def test_a_colon_reaches_code_only_where_the_command_line_says_so():
    with pytest.raises(UnknownNameError):
        plugins.find("assay.judges", "os:system")


def test_a_missing_object_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'brightness'"):
        plugins.find("assay.judges", "judge_functions:brightnes", outside=True)


def test_entry_points_count(monkeypatch):
    class Point:
        name = "mine"

        def load(self):
            return "loaded"

    monkeypatch.setattr(plugins, "entry_points", lambda group: [Point()])
    assert "mine" in plugins.names("assay.judges")
    assert plugins.find("assay.judges", "mine") == "loaded"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a plug-in folder, `mine.tasks`, that is empty yet."""
    place = tmp_path / "mine" / "tasks"
    place.mkdir(parents=True)
    for made in (place, place.parent):
        (made / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield place
    for name in [name for name in sys.modules if name.split(".")[0] == "mine"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1\ndef f(:\n", r"task 'lay-tile' can't be loaded: SyntaxError: .*tile\.py, line 2\)"),
        ("from os import nil\n", r"ImportError: cannot import name 'nil'.*tile\.py, line 1\)"),
        ("import json\n\n1 / 0\n", r"ZeroDivisionError: .*lay_tile\.py, line 3\)"),
        ("__all__ = []\n", "exactly one object in __all__, found 0"),
        ("__all__ = ['Tile']\n", "names 'Tile' in __all__ and has no such object"),
    ],
)
def test_a_broken_file_is_named_with_its_line(folder, text, sentence):
    (folder / "lay_tile.py").write_text(text)
    with pytest.raises(UsageError, match=sentence):
        plugins.find("mine.tasks", "lay-tile")


@pytest.mark.parametrize("plugin", [object, print])
def test_what_has_no_options_is_no_plugin(plugin):
    with pytest.raises(UsageError, match=f"{plugin.__name__} is no dataclass"):
        plugins.configure(plugin, {})


def test_nearest_ignores_case():
    assert nearest("RAMP", ["ramp", "constant"]) == ["ramp"]


def test_errors_word_file_and_row():
    assert str(InputError("no column 't'.", "a.csv", 7)) == "a.csv, row 7: no column 't'."


def test_install_hint_is_worded_once():
    error = MissingExtraError("The rerun writer", "rerun", "rerun")
    assert str(error) == "The rerun writer needs the package 'rerun': pip install 'assay[rerun]'."
    assert isinstance(error, UsageError)


def test_an_episode_error_keeps_its_status_between_processes():
    error = pickle.loads(pickle.dumps(EpisodeError("gone", "transport")))
    assert (str(error), error.status) == ("gone", "transport")


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError("judge", "rmap", ["ramp"]),
        MissingExtraError("The rerun writer", "rerun", "rerun"),
        MissingLibraryError("Rendering", "EGL", "it is not there", "libegl1"),
        InputError("no column 't'.", "a.csv", 7),
        PolicyFault("It took too long.", "slow"),
    ],
)
def test_errors_cross_to_another_process_as_they_were_worded(error):
    found = pickle.loads(pickle.dumps(error))
    assert (type(found), str(found), vars(found)) == (type(error), str(error), vars(error))


@given(st.lists(st.sampled_from(STATUSES)))
def test_the_worst_status_is_the_last_in_the_order(found):
    expected = max(found, key=STATUSES.index) if found else "ok"
    assert worst_status(np.array(found, dtype="<U16")) == expected


def signal(times, values):
    return Episode(id="e", task="t", signals={"s": Series(np.array(times), np.array(values))})


def test_resampling_holds_the_previous_value():
    # 0.9 s still shows the value of 0 s; after the end the last value holds
    episode = signal([0.0, 1.0], [10.0, 20.0])
    assert episode.at("s", np.array([-1.0, 0.9, 1.0, 5.0])).tolist() == [10, 10, 20, 20]


def test_resampling_to_the_nearest():
    episode = signal([0.0, 1.0], ["a", "b"])
    assert episode.at("s", np.array([0.4, 0.6]), "nearest").tolist() == ["a", "b"]


def test_resampling_linearly():
    episode = signal([0.0, 2.0], [0.0, 1.0])
    assert episode.at("s", np.array([0.5, 1.0, 9.0]), "linear").tolist() == [0.25, 0.5, 1.0]


def test_resampling_vectors_linearly():
    episode = signal([0.0, 2.0], [[0.0, 10.0], [1.0, 20.0]])
    assert episode.at("s", np.array([1.0]), "linear").tolist() == [[0.5, 15.0]]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=20, unique=True))
def test_every_resampler_returns_the_samples_at_their_own_times(times):
    times = sorted(times)
    values = np.arange(len(times), dtype=float)
    episode = signal(times, values)
    assert np.array_equal(episode.at("s", np.array(times), "previous"), values)
    assert np.allclose(episode.at("s", np.array(times), "linear"), values)


def test_an_episode_keeps_its_length_and_groups_when_parts_of_it_go():
    episode = replace(signal([0.0, 3.5], [0, 1]), seed=7, perturbation="dark")
    assert episode.keeping(set()).duration() == 3.5
    lost = Unreadable.of(episode, "gone")
    assert (lost.id, lost.seed, lost.perturbation, lost.status) == ("e", 7, "dark", "missing_frame")


def test_the_length_of_an_episode_is_its_longest_clock():
    assert signal([0.0, 3.5], [0, 1]).duration() == 3.5
    assert Episode(id="e", task="t").duration() == 0.0
