"""Labels and task maps: what they change, and the sentence for every fault."""

from __future__ import annotations

import pytest

from assay.episodes.labels import read_labels, read_task_map
from assay.records import Episode, Segment, Unreadable
from labelled import episode, fault

IDS = ["ep_001", "ep_002", "ep_003"]


def write(tmp_path, text, name="labels.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_row_replaces_what_it_gives_and_nothing_else(tmp_path):
    labels = read_labels(
        write(
            tmp_path,
            "episode,task,policy,scene,instruction,success,still_start_s,still_end_s\n"
            "ep_001,place,act,s1,Put it down.,no,0.5,1.5\n"
            "ep_002,,,,,,,\n",
        )
    )
    changed = labels.apply(episode())
    assert (changed.task, changed.policy, changed.scene) == ("place", "act", "s1")
    assert changed.instruction == "Put it down."
    # The label tells the end only, so the recorded signal, which says otherwise, must go.
    assert (changed.outcome, list(changed.signals)) == (False, ["progress"])
    assert changed.segments == (Segment("still", 0.5, 1.5, kind="still"),)
    same = episode("ep_002")
    assert labels.apply(same).signals == same.signals
    assert labels.apply(same).outcome is True
    assert labels.apply(same).instruction == same.instruction
    other = episode("ep_003")
    assert labels.apply(other) is other


def test_unreadable_episodes_are_relabelled_too(tmp_path):
    text = "episode,policy,success,instruction\nep_001,act,1,Pick it up.\n"
    labels = read_labels(write(tmp_path, text))
    assert labels.apply(Unreadable("ep_001", "gone", "pick")) == Unreadable(
        "ep_001", "gone", "pick", "act", outcome=True
    )


def test_rows_that_match_nothing_are_named_with_the_nearest_ids(tmp_path):
    path = write(tmp_path, "episode,success\nep_001,1\n\nep_03,0\nxyz,0\n")
    labels = read_labels(path)
    assert labels.unmatched(IDS) == ["ep_03", "xyz"]
    assert fault(labels.check, IDS) == (
        f"{path}, row 4: no episode 'ep_03'; nearest: 'ep_003', 'ep_002', 'ep_001'. "
        "1 more row matches nothing."
    )
    labels.check([*IDS, "ep_03", "xyz"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ": has no rows."),
        ("episode,task\n", ": has no rows."),
        (
            "episod,task\na,b\n",
            ": the column 'episode' is missing. Nearest: 'episod'. Columns found: episod, task.",
        ),
        (
            "episode,sucess\na,1\n",
            (
                ": the column 'sucess' is not known. Nearest: 'success'. "
                "Allowed: episode, task, policy, scene, instruction, success, still_start_s, "
                "still_end_s."
            ),
        ),
        ("episode,task\na,b\na,c\n", ", row 3: episode 'a' stands in row 2 already."),
        ("episode,task\n,b\n", ", row 2: 'episode' is empty."),
        ("episode,task\na\n", ", row 2: the row has 1 cell, the header has 2."),
        (
            "episode,success\na,won\n",
            ", row 2: success is 'won'; allowed: 1, 0, true, false, yes, no, or an empty cell.",
        ),
        (
            "episode,still_start_s,still_end_s\na,1,\n",
            ", row 2: still_end_s is empty and still_start_s is not.",
        ),
        (
            "episode,still_end_s\na,1\n",
            ", row 2: still_start_s is empty and still_end_s is not.",
        ),
        (
            "episode,still_start_s,still_end_s\na,x,1\n",
            ", row 2: still_start_s is 'x', which is not a number.",
        ),
        (
            "episode,still_start_s,still_end_s\na,2,1\n",
            ", row 2: the still stretch goes from 2 s to 1 s; it needs 0 <= start < end.",
        ),
    ],
)
def test_faulty_labels_are_refused(tmp_path, text, words):
    path = write(tmp_path, text)
    assert fault(read_labels, path) == f"{path}{words}"


def test_missing_file_is_refused(tmp_path):
    path = tmp_path / "labels.csv"
    assert fault(read_labels, path) == f"{path}: can't be read: No such file or directory."


def test_a_task_map_renames_by_task_and_by_instruction(tmp_path):
    path = write(tmp_path, "from,to\npick,grasp\nStack the cup,stack\n", "map.csv")
    tasks = read_task_map(path)
    assert tasks.apply(episode()).task == "grasp"
    assert tasks.apply(Episode("a", "stack-the-cup", "Stack the cup")).task == "stack"
    assert tasks.apply(Unreadable("a", "gone", "pick")).task == "grasp"
    assert tasks.apply(Episode("a", "pour")).task == "pour"
    tasks.check(["pick", "Stack the cup", "pour"])
    assert fault(tasks.check, ["picks", "Stack the cup"]) == (
        f"{path}, row 2: no task or instruction 'pick'; nearest: 'picks'."
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "from,into\na,b\n",
            ": the column 'to' is missing. Nearest: 'into'. Columns found: from, into.",
        ),
        (
            "from,to,note\na,b,c\n",
            ": the column 'note' is not known. Allowed: from, to.",
        ),
        ("from,to\na,b\na,c\n", ", row 3: from 'a' stands in row 2 already."),
        ("from,to\na,\n", ", row 2: 'to' is empty."),
    ],
)
def test_faulty_task_maps_are_refused(tmp_path, text, words):
    path = write(tmp_path, text, "map.csv")
    assert fault(read_task_map, path) == f"{path}{words}"
