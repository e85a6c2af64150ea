"""What differs between two runs, as a user asks for it: settings, code, packages, environment, results."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, Assay, copied

import assay as library

TRAIN = "import net, sys\nprint('loss:', net.LOSS)\nprint('throughput: 200.0 samples/s')\n"


@pytest.fixture(scope="module")
def edited_once(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    """One script in two files, run twice; between the runs a module, a setting and a variable change."""
    assay = Assay(tmp_path_factory.mktemp("edited"))
    assay.script(TRAIN, "train.py")
    assay.script("LOSS = 0.5\n", "net.py")
    assert assay("run", "-q", "-p", "lr=0.1", "--name", "old", "--", PYTHON, "train.py").returncode == 0
    assay.script("LOSS = 0.25\n", "net.py")
    assay.env["KMP_BLOCKTIME"] = "2"
    assert assay("run", "-q", "-p", "lr=0.2", "--name", "new", "--", PYTHON, "train.py").returncode == 0
    return assay


@pytest.fixture
def edited(edited_once: Assay, assay: Assay) -> Assay:
    return copied(edited_once, assay)


def found(assay: Assay, *words: str | Path) -> dict[str, Any]:
    done = assay("diff", "--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_everything_that_differs_is_named_the_most_telling_first(edited: Assay) -> None:
    done = edited("diff", "old", "new")
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    heads = ["Settings", "Code: 1 file changed", "Environment", "Results", "The same in both: packages, machine."]
    places = [text.index(f"\n{head}") for head in heads]
    assert places == sorted(places)
    assert "  lr  0.1 → 0.2  (claimed)\n" in text
    assert "  net.py: changed, 1 line added, 1 line removed\n  @@ -1 +1 @@\n  -LOSS = 0.5\n  +LOSS = 0.25\n" in text
    assert "  KMP_BLOCKTIME  not set → 2\n" in text
    assert "−0.25 (−50 %)" in text and "200 samples/s → 200 samples/s  the same" in text
    assert "\x1b" not in text


def test_an_accuracy_is_shown_once_with_its_part_of_the_data(assay: Assay) -> None:
    for at in (1, 2):
        assay.script(f"print('Final test accuracy: 8{at}.00%')\nprint('Final train accuracy: 9{at}.00%')\n", "train.py")
        assert assay("run", "-q", "--", PYTHON, "train.py").returncode == 0
    text = assay("diff").stdout.decode()
    assert text.count("81 %") == 1 and text.count("91 %") == 1
    assert "test accuracy " in text and "training accuracy " in text and "test_accuracy" not in text


def test_accuracies_of_different_parts_of_the_data_are_not_subtracted(assay: Assay) -> None:
    for name, figure in (("one", "train_accuracy=0.9"), ("two", "val_accuracy=0.7")):
        assay("run", "-q", "--name", name, "--", PYTHON, "-c", f"import assay; assay.log(step=1, {figure})")
    shown = assay("diff", "one", "two").stdout.decode()
    assert "Only A reports training accuracy." in shown and "Only B reports validation accuracy." in shown
    assert "points" not in shown.split("CPU use")[0]


def test_no_word_stands_for_the_last_run_and_one_is_compared_with_the_nearest(edited: Assay) -> None:
    for words in ([], ["old"], ["old", "last"], [run.name[-6:] for run in edited.run_dirs()][::-1]):
        answer = found(edited, *words)
        assert (answer["a"]["name"], answer["b"]["name"]) == ("old", "new"), words


def test_json_has_each_section_as_typed_values(edited: Assay) -> None:
    answer = found(edited, "old", "new")
    assert answer["settings"] == [{"name": "lr", "a": "0.1", "b": "0.2", "how": "claimed"}]
    (file,) = answer["code"]["files"]
    assert (answer["code"]["same"], file["path"], file["kind"]) == (False, "net.py", "changed")
    loss = next(one for one in answer["results"] if one["name"] == "loss")
    assert (loss["a"], loss["b"], loss["difference"], loss["percent"], loss["better"]) == (0.5, 0.25, -0.25, -50, "b")
    assert next(one for one in answer["results"] if one["name"] == "wall_s")["unit"] == "s"


def test_the_same_run_twice_differs_in_nothing(edited: Assay) -> None:
    answer = found(edited, "old", "old")
    assert all(answer[name] == [] for name in ("settings", "command", "packages", "machine", "environment", "data"))
    assert (answer["code"]["same"], "code" in answer["same"]) == (True, True)
    assert all(one["difference"] == 0 for one in answer["results"])


def test_a_page_opens_offline_and_takes_no_text_for_markup(edited: Assay) -> None:
    edited.script("LOSS = 0.25  # <script>alert(1)</script>\n", "net.py")
    assert edited("run", "-q", "--name", "odd", "--", PYTHON, "train.py").returncode == 0
    done = edited("diff", "old", "odd", "-o", "diff.html")
    page = (edited.folder / "diff.html").read_text()
    assert (done.returncode, done.stdout.decode().strip()) == (0, str(edited.folder / "diff.html"))
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page
    assert (
        '<span class="removed">-LOSS = 0.5' in page
        and "Content-Security-Policy" in page
        and "http" not in page.split("</style>")[1].split("<script>")[0]
    )


def test_a_long_diff_is_shortened_on_a_terminal_and_whole_in_a_pipe(edited: Assay) -> None:
    edited.script("".join(f"x{number} = {number}\n" for number in range(500)) + "LOSS = 1\n", "net.py")
    assert edited("run", "-q", "--name", "long", "--", PYTHON, "train.py").returncode == 0
    assert edited("diff", "new", "long").stdout.count(b"\n  +x") == 500
    terminal, inside = pty.openpty()
    process = edited.start("diff", "new", "long", stdout=inside)
    os.close(inside)
    text = b""
    while True:
        try:
            text += os.read(terminal, 1 << 16)
        except OSError:
            break
    assert process.wait() == 0
    os.close(terminal)
    assert process.stderr is not None
    process.stderr.close()
    letters = [run.name[-6:] for run in edited.run_dirs()]
    assert text.count(b"+x") < 50 and b"\x1b[32m" in text
    assert f"more lines: assay diff {letters[1]} {letters[0]} --all".encode() in text


def test_the_code_of_a_clean_and_a_dirty_commit_is_compared_without_git(assay: Assay) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *words], cwd=assay.folder, check=True, capture_output=True)

    git("init", "-q")
    assay.script("print('loss: 1')\n", "train.py")
    (assay.folder / ".gitignore").write_text("runs\n")
    git("add", ".")
    git("commit", "-qm", "one")
    assert assay("run", "-q", "--", PYTHON, "train.py").returncode == 0
    assay.script("print('loss: 2')\n", "train.py")
    assert assay("run", "-q", "--", PYTHON, "train.py").returncode == 0
    git("commit", "-qam", "two")
    assert assay("run", "-q", "--", PYTHON, "train.py").returncode == 0
    clean, dirty, committed = (run["code"] for run in assay.ls())
    assert (clean["dirty"], dirty["dirty"], committed["dirty"]) == (False, True, False)
    assert dirty["hash"] == committed["hash"] != clean["hash"] and dirty["commit"] == clean["commit"]
    text = assay("diff", assay.ls()[0]["id"], assay.ls()[1]["id"]).stdout.decode()
    assert "with uncommitted changes)" in text and "  +print('loss: 2')\n" in text
    assert "code" in found(assay)["same"]


def test_imported_runs_are_compared_as_far_as_they_are_known(assay: Assay) -> None:
    for name, loss in (("one", 0.5), ("two", 0.4)):
        (assay.folder / f"{name}.log").write_text(f"batch_size: 32\nstep 1 loss {loss}\nstep 2 loss {loss}\n")
    done = assay("diff", "one.log", "two.log")
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Code: unknown for both runs" in text and "−0.1 (−20 %)" in text
    assert "Not recorded for both: packages, machine." in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["old", "new", "old"], b"error: diff compares two runs\nhint: for more runs use"),
        (["old", "missing"], b"error: no run called `missing`"),
        (["old", "new", "--json", "-o", "x.html"], b"error: choose one of --json and -o"),
        (["old", "new", "-o", "no/such/folder.html"], b"error: cannot write `no/such/folder.html`"),
    ],
)
def test_what_cannot_be_compared_is_said_in_a_line(edited: Assay, words: list[str], said: bytes) -> None:
    done = edited("diff", *words)
    assert done.returncode in (1, 2) and done.stderr.startswith(said), done.stderr


def test_one_run_alone_has_nothing_to_differ_from(assay: Assay) -> None:
    assert assay("run", "-q", "--", "true").returncode == 0
    done = assay("diff")
    assert (done.returncode, done.stderr.split(b"\n")[0]) == (
        1,
        f"error: there are fewer than two runs in `{assay.runs}`".encode(),
    )


def test_the_library_gives_the_same_as_a_value_that_shows_itself(edited: Assay) -> None:
    runs = library.load(runs_dir=edited.runs)
    difference = library.diff(runs[0], "new", runs_dir=edited.runs)
    assert [one.name for one in difference.settings] == ["lr"]
    assert "+LOSS = 0.25" in difference.code.files[0].diff
    assert "LOSS = 0.25" in difference._repr_html_()


def test_a_run_is_compared_with_the_nearest_of_its_program_and_with_no_other(edited: Assay) -> None:
    assert edited("run", "-q", "--name", "other", "--", "true").returncode == 0
    answer = found(edited, "new")
    assert (answer["a"]["name"], answer["b"]["name"]) == ("old", "new")
    for words in ([], ["other"]):
        done = edited("diff", *words)
        said = f"error: no other run in `{edited.runs}` is of the same study or program as `other`"
        assert (done.returncode, done.stderr.decode().split("\n")[0]) == (1, said)
