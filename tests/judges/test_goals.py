"""Goals from images, folders of images and demonstrations."""

import os

import numpy as np
import pytest

import pictures_made as make
from assay.errors import InputError
from assay.judges._goals import Goals
from assay.records import View
from clips import write_clip

SIZE = 16


def looking(*views, task="push", **changes):
    """An episode of `task` with the named views."""
    shown = {name: View(make.Shown([make.grey(0)])) for name in views}
    return make.episode([], task=task, views=shown, **changes)


def levels(found):
    """The grey level of every goal picture, by view."""
    return {view: [int(picture.mean()) for picture in pictures] for view, pictures in found.items()}


def images(root, names):
    """Write one grey image per name; the levels are 10, 20, ..."""
    for place, name in enumerate(names, start=1):
        make.save(root / name, make.grey(10 * place))
    return Goals.load(root, SIZE)


@pytest.mark.parametrize("name", ["done.png", "done.jpg", "done.JPEG"])
def test_one_image_is_the_goal_of_every_task_with_one_view(tmp_path, name):
    goals = Goals.load(make.save(tmp_path / name, make.grey(70)), SIZE)
    for task in ("push", "lift"):
        found = goals.of(looking("front", task=task))
        assert levels(found) == {"front": [70]}
        assert found["front"].shape == (1, SIZE, SIZE, 3)
        assert found["front"].dtype == np.uint8


def test_one_image_of_several_views_must_say_which(tmp_path):
    nameless = Goals.load(make.save(tmp_path / "done.png", make.grey(70)), SIZE)
    named = Goals.load(make.save(tmp_path / "side.png", make.grey(80)), SIZE)
    both = looking("front", "side")
    assert nameless.of(both) == {}
    assert levels(named.of(both)) == {"side": [80]}
    assert levels(nameless.of(both, ["side"])) == {"side": [70]}


def test_a_folder_by_view(tmp_path):
    goals = images(tmp_path, ["front.png", "side.png"])
    assert levels(goals.of(looking("front", "side"))) == {"front": [10], "side": [20]}
    assert levels(goals.of(looking("side"))) == {"side": [20]}


def test_a_folder_by_task(tmp_path):
    goals = images(tmp_path, ["lift.png", "push.png"])
    assert levels(goals.of(looking("front", task="lift"))) == {"front": [10]}
    assert levels(goals.of(looking("front", task="push"))) == {"front": [20]}
    assert goals.of(looking("front", task="pull")) == {}


def test_a_folder_by_task_and_view(tmp_path):
    goals = images(tmp_path, ["lift/front.png", "push/front.png", "push/side.png"])
    both = looking("front", "side", task="push")
    assert levels(goals.of(both)) == {"front": [20], "side": [30]}
    assert levels(goals.of(looking("front", "side", task="lift"))) == {"front": [10]}


def test_a_goal_of_the_task_goes_before_one_of_any_task(tmp_path):
    goals = images(tmp_path, ["front.png", "push/front.png"])
    assert levels(goals.of(looking("front"))) == {"front": [20]}
    assert levels(goals.of(looking("front", task="lift"))) == {"front": [10]}


def test_several_ways_to_be_done_are_numbered(tmp_path):
    goals = images(tmp_path, ["push/front.1.png", "push/front.2.png", "push/front.png"])
    assert sorted(levels(goals.of(looking("front")))["front"]) == [10, 20, 30]


def test_the_instruction_names_a_task_too(tmp_path):
    goals = images(tmp_path, ["push the block.png"])
    assert levels(goals.of(looking("front", instruction="push the block"))) == {"front": [10]}


def test_what_is_lacking_is_said(tmp_path):
    goals = images(tmp_path, ["lift/front.png", "pull/front.png"])
    assert goals.lacking(("push",), ("side",)).endswith(
        "no goal picture of the task 'push' for the view side; it holds lift/front.png,"
        " pull/front.png"
    )
    # an instruction that is the task's name, or none, is not told apart
    assert "of the task 'push' for" in goals.lacking(("push", "push", ""), ("side",))


# Demonstrations: clips of one grey level each; the manifest says how they ended.

CLIPS = (("good", "push", "yes", 50), ("bad", "push", "no", 100), ("other", "lift", "yes", 150))


def demonstrations(root, rows=CLIPS, header="file,task,success"):
    """Write short clips that brighten from black to their level, and a manifest."""
    lines = [header]
    for name, task, success, level in rows:
        write_clip(
            root / f"{name}.mkv",
            codec="mjpeg",
            pix_fmt="yuvj444p",
            frames=3,
            draw=lambda number, size, level=level: make.grey(level * (number // 2)),
        )
        lines.append(f"{name}.mkv,{task},{success}")
    (root / "manifest.csv").write_text("\n".join(lines))
    return root


def close(found, **expected):
    """Whether the levels are the expected ones, to the loss of the clip's coding."""
    shown = levels(found)
    assert shown.keys() == expected.keys()
    for view, wanted in expected.items():
        assert shown[view] == pytest.approx(wanted, abs=4)
    return True


def test_demonstrations_give_the_last_frame_of_each_success(tmp_path):
    goals = Goals.load(demonstrations(tmp_path), SIZE)
    view = next(iter(goals.source.episodes[0].views))
    assert close(goals.of(looking(view, task="push")), **{view: [50]})
    assert close(goals.of(looking(view, task="lift")), **{view: [150]})
    assert goals.of(looking(view, task="pull")) == {}
    assert goals.of(looking("elsewhere", task="push")) == {}


@pytest.mark.parametrize("name", ["{}", "label/{}"])
def test_an_episode_is_never_its_own_goal(tmp_path, name):
    rows = (("one", "push", "yes", 50), ("two", "push", "yes", 100))
    goals = Goals.load(demonstrations(tmp_path, rows), SIZE)
    first = goals.source.episodes[0]
    view = next(iter(first.views))
    same = looking(view, name=name.format(first.id), source=str(tmp_path))
    namesake = looking(view, name=first.id, source=str(tmp_path / "elsewhere"))
    assert close(goals.of(same), **{view: [100]})
    assert close(goals.of(namesake), **{view: [50, 100]})


def test_demonstrations_without_labels_are_all_taken(tmp_path):
    rows = [(name, task, "", level) for name, task, _, level in CLIPS]
    goals = Goals.load(demonstrations(tmp_path, rows), SIZE)
    assert len(goals.source.episodes) == 3


def test_many_demonstrations_are_thinned_evenly(tmp_path):
    # 63 demonstrations are thinned to 32, so to every second one
    rows = [(f"d{k:02}", "push", "yes", k) for k in range(63)]
    goals = Goals.load(demonstrations(tmp_path, rows), SIZE)
    view = next(iter(goals.source.episodes[0].views))
    assert close(goals.of(looking(view)), **{view: list(range(0, 63, 2))})


def test_a_demonstration_that_is_cut_is_left_out_with_a_warning(tmp_path, caplog):
    rows = (("one", "push", "yes", 50), ("two", "push", "yes", 100))
    goals = Goals.load(demonstrations(tmp_path, rows), SIZE)
    view = next(iter(goals.source.episodes[0].views))
    (tmp_path / "two.mkv").write_bytes(b"")
    assert close(goals.of(looking(view)), **{view: [50]})
    assert "the end of two is left out as a goal" in caplog.text


def test_a_dataset_without_success_is_refused(tmp_path):
    rows = [(name, task, "no", level) for name, task, _, level in CLIPS]
    with pytest.raises(InputError, match="none of its 3 episodes is a success"):
        Goals.load(demonstrations(tmp_path, rows), SIZE)


def test_a_dataset_without_pictures_is_refused(tmp_path):
    file = tmp_path / "curves.csv"
    file.write_text("episode,task,policy,t,progress\na,push,p,0,0\na,push,p,1,1\n")
    with pytest.raises(InputError, match="have no pictures"):
        Goals.load(file, SIZE)


def test_a_path_that_is_not_there_names_the_nearest(tmp_path):
    make.save(tmp_path / "goals" / "front.png", make.grey(1))
    with pytest.raises(InputError, match=r"there is no such path. Nearest: .*goals"):
        Goals.load(tmp_path / "goal", SIZE)


def test_a_folder_without_images_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing to see")
    with pytest.raises(InputError, match=r"neither images \(png, jpg\) nor a dataset"):
        Goals.load(tmp_path, SIZE)


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing to see")
    with pytest.raises(InputError, match=r"notes.txt: a goal is an image \(png, jpg\), a folder"):
        Goals.load(tmp_path / "notes.txt", SIZE)


def cut(path):
    path.write_bytes(path.read_bytes()[:-40])


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda path: path.write_bytes(b"GIF89a"), "neither PNG nor JPEG"),
        (lambda path: path.write_bytes(b""), "neither PNG nor JPEG"),
        (cut, "(can't be decoded|is cut off)"),
    ],
)
@pytest.mark.parametrize("name", ["front.png", "front.jpg"])
def test_a_broken_image_is_named(tmp_path, name, spoil, sentence):
    file = make.save(tmp_path / name, make.block(3))
    spoil(file)
    with pytest.raises(InputError, match=rf"{name}: .*{sentence}"):
        Goals.load(tmp_path, SIZE).of(looking("front"))


def test_goals_are_read_once_until_they_change(tmp_path):
    goals = images(tmp_path, ["front.png"])
    assert Goals.load(tmp_path, SIZE) is goals
    assert Goals.load(tmp_path, 32) is not goals
    make.save(tmp_path / "front.2.png", make.grey(20))
    os.utime(tmp_path, (1, 1))
    assert levels(Goals.load(tmp_path, SIZE).of(looking("front"))) == {"front": [20, 10]}
