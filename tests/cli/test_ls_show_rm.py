"""Finding, showing and removing runs."""

import json
import os
import shutil
import subprocess

import pytest
from conftest import PYTHON, Assay, copied, wait_for

from assay.model.summary import Summary
from assay.store.find import chosen
from assay.store.layout import FORMAT


@pytest.fixture(scope="module")
def three_made(tmp_path_factory: pytest.TempPathFactory) -> Assay:
    assay = Assay(tmp_path_factory.mktemp("three"))
    for batch_size, code in ((64, 0), (128, 0), (256, 3)):
        said = f"assay.params(batch_size={batch_size}); assay.log(step=9, loss={10 / batch_size})"
        script = f"import assay, sys; {said}; sys.exit({code})"
        assay("run", "-q", "-p", f"batch_size={batch_size}", "--tag", "grid", "--", PYTHON, "-c", script)
    return assay


@pytest.fixture
def three(three_made: Assay, assay: Assay) -> Assay:
    return copied(three_made, assay)


def names(assay: Assay, *words: str) -> list[str]:
    return [summary["name"] for summary in json.loads(assay("ls", "--json", *words).stdout)]


def test_runs_are_listed_oldest_first(three: Assay) -> None:
    assert names(three) == ["bs64", "bs128", "bs256"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["status=failed"], ["bs256"]),
        (["status!=failed"], ["bs64", "bs128"]),
        (["batch_size>=128"], ["bs128", "bs256"]),
        (["params.batch_size<100"], ["bs64"]),
        (["bs1"], ["bs128"]),
        (["name~BS2"], ["bs256"]),
        (["tags=grid", "exit_code=0"], ["bs64", "bs128"]),
        (["error=unknown"], ["bs256"]),
        (["weight_decay=1"], []),
        (["--where", "status=failed"], ["bs256"]),
        (["bs1", "--where", "batchsize=128"], ["bs128"]),
        (["last"], ["bs256"]),
        (["--sort", "-batch_size"], ["bs256", "bs128", "bs64"]),
        (["--sort", "loss"], ["bs256", "bs128", "bs64"]),
        (["--last", "1"], ["bs256"]),
        (["--sort", "-batch_size", "--last", "2"], ["bs256", "bs128"]),
        (["--sort", "batch_size", "--last", "2"], ["bs128", "bs256"]),
    ],
)
def test_lists_are_filtered_and_sorted(three: Assay, words: list[str], expected: list[str]) -> None:
    assert names(three, *words) == expected


def test_a_table_for_people_has_only_columns_that_say_something(three: Assay) -> None:
    lines = three("ls").stdout.decode().splitlines()
    assert lines[0].split()[:3] == ["name", "id", "status"]
    assert "gpu" not in lines[0]
    assert len(lines) == 4
    chosen_columns = three("ls", "--columns", "name,batch_size,exit_code").stdout.decode().splitlines()
    assert chosen_columns[0].split() == ["name", "batch_size", "exit_code"]
    assert chosen_columns[3].split() == ["bs256", "256", "3"]


def test_settings_that_differ_are_columns(three: Assay) -> None:
    lines = three("ls").stdout.decode().splitlines()
    place = lines[0].split().index("batch_size")
    assert [line.split()[place] for line in lines[1:]] == ["64", "128", "256"]
    assert "batch_size" not in three("ls", "bs64").stdout.decode().splitlines()[0]


@pytest.mark.parametrize("words", [["no_such_field=1"], ["--where", "batch_sise>3"], ["--columns", "name,batch_sise"]])
def test_a_field_that_no_run_has_gets_a_suggestion(three: Assay, words: list[str]) -> None:
    done = three("ls", *words)
    assert done.returncode == 2 and b"error: no run here has a field `" in done.stderr
    assert (b"did you mean `batch_size`?" in done.stderr) == ("sise" in words[-1])


def test_last_is_the_run_made_last_and_not_a_page_that_was_read(three: Assay) -> None:
    (three.folder / "old.log").write_text(
        "2024-03-30 15:16:01 epoch 1 loss 0.5\n2024-03-30 15:16:09 epoch 2 loss 0.4\n"
    )
    assert three("ingest", "old.log").returncode == 0
    (summary,) = json.loads(three("show", "--json", "last").stdout)
    assert summary["name"] == "bs256"
    listed = json.loads(three("ls", "--json").stdout)
    assert [one["name"] for one in listed][1:] == ["bs64", "bs128", "bs256"]  # by when it ran, not when it was read
    assert listed[0]["dated"] == "2024-03-30T15:16:01Z" and "started" not in listed[0]


def test_an_import_without_a_date_stands_where_it_was_read_and_is_last_where_nothing_was_recorded(assay: Assay) -> None:
    for name, loss in (("b.log", 0.5), ("a.log", 0.25)):
        (assay.folder / name).write_text(f"epoch 1 loss {2 * loss}\nepoch 2 loss {loss}\n")
        assay("ingest", name)
        os.utime(assay.run_dirs()[0] / "run.json", None)
    for run in assay.run_dirs():
        source = json.loads((run / "run.json").read_bytes())["source"]
        os.utime(run / "run.json", (1e9, 1e9) if source == "b.log" else (2e9, 2e9))
    assert [one["source"] for one in json.loads(assay("ls", "--json").stdout)] == ["b.log", "a.log"]
    assert json.loads(assay("show", "last", "--json").stdout)[0]["source"] == "a.log"
    assay("run", "-q", "--name", "made", "--", "true")
    assert [one.get("source") for one in json.loads(assay("ls", "--json").stdout)] == ["b.log", "true", "a.log"]


def test_a_run_that_goes_on_is_listed_first(three: Assay) -> None:
    going = three.start("run", "-q", "--name", "going", "--", "sleep", "60")
    try:
        wait_for(lambda: "going" in names(three), "the run to begin")
        assert names(three) == ["going", "bs64", "bs128", "bs256"]
        assert names(three, "-n", "2") == ["going", "bs256"]
    finally:
        going.terminate()
        going.wait()


def test_a_list_is_ascii_in_a_c_locale(three: Assay) -> None:
    three("run", "-q", "--name", "café ± 1", "--", "true")
    three.env.update(LC_ALL="C")
    assert "cafe ~ 1" in three("ls").stdout.decode("ascii")
    assert three("show", "bs64").stdout.decode("ascii")


def test_a_condition_that_is_none_is_explained(three: Assay) -> None:
    done = three("ls", "=5")
    assert done.returncode == 2
    assert b"error: `=5` is not a condition" in done.stderr


def test_an_empty_folder_is_no_error(assay: Assay) -> None:
    assert assay("ls").returncode == 0
    assert assay("ls", "--json").stdout == b"[]\n"


def test_a_run_is_found_by_prefix_id_last_and_path(three: Assay) -> None:
    folder = next(three.runs.glob("bs128-*"))
    run_id = folder.name.removeprefix("bs128-")
    for word in ("bs128", "bs12", run_id, folder.name, str(folder)):
        (summary,) = json.loads(three("show", "--json", word).stdout)
        assert summary["name"] == "bs128"
    (summary,) = json.loads(three("show", "--json", "last").stdout)
    assert summary["name"] == "bs256"


def test_a_word_that_fits_several_runs_is_not_guessed(three: Assay) -> None:
    done = three("show", "bs")
    assert done.returncode == 1
    assert b"error: `bs` matches 3 runs" in done.stderr


def test_a_run_that_is_not_there_gets_a_suggestion(three: Assay) -> None:
    done = three("show", "bs65")
    assert done.returncode == 1
    assert b"error: no run called `bs65`" in done.stderr
    assert b"hint:" in done.stderr


def test_sorting_by_a_field_that_no_run_has_is_an_error(three: Assay) -> None:
    done = three("ls", "--sort", "los")
    assert done.returncode == 2
    assert b"no run here has a field `los`" in done.stderr
    assert b"did you mean `loss`?" in done.stderr


def test_what_moves_a_cursor_in_a_name_is_not_shown(assay: Assay) -> None:
    done = assay("run", "--name", "red\x1b[31m\nline", "--", "true")
    shown = done.stderr + assay("show").stdout + assay("ls").stdout + assay("show", "--live").stdout
    assert b"\x1b" not in shown
    assert shown.count(b"red?[31m?line") == 4


def test_show_tells_claims_effects_evidence_and_machine(three: Assay) -> None:
    text = three("show", "bs256").stdout.decode()
    for part in (
        "failed after",
        "exit code 3",
        "claimed   batch_size = 256",
        "in effect batch_size = 256",
        "evidence",
        "cores",
    ):
        assert part in text
    assert "loss = 0.0390625: reported by the program" in text


def test_show_output_is_byte_for_byte(assay: Assay) -> None:
    assay("run", "-q", "--", "printf", r"\377\000x")
    assert assay("show", "--output").stdout == b"\xff\x00x"


def test_a_run_of_a_newer_version_is_refused_and_the_others_still_listed(three: Assay) -> None:
    path = next(three.runs.glob("bs64-*")) / "run.json"
    asked = json.loads(path.read_bytes())
    path.write_text(json.dumps({**asked, "v": FORMAT + 1}))
    (path.parent / "summary.json").unlink()
    assert b"newer Assay" in three("show", "bs64").stderr
    done = three("ls", "--json")
    assert done.returncode == 0
    assert [summary["name"] for summary in json.loads(done.stdout)] == ["bs128", "bs256"]
    assert b"newer Assay" in done.stderr


def test_half_written_runs_do_not_break_the_list(three: Assay) -> None:
    (three.runs / "empty-run").mkdir()
    broken = three.runs / "broken-run"
    broken.mkdir()
    (broken / "run.json").write_text("{")
    done = three("ls", "--json")
    assert len(json.loads(done.stdout)) == 3
    assert b"is not valid JSON" in done.stderr


def test_rm_removes_only_the_named_runs(three: Assay) -> None:
    done = three("rm", "--yes", "bs64")
    assert done.returncode == 0
    assert names(three) == ["bs128", "bs256"]
    assert not list(three.runs.glob(".removed-*"))


def test_rm_asks_first_and_without_anyone_to_ask_does_nothing(three: Assay) -> None:
    done = three("rm", "bs64", stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert names(three) == ["bs64", "bs128", "bs256"]


def test_rm_leaves_a_running_run_alone(assay: Assay) -> None:
    process = assay.start("run", "-q", "--", "sh", "-c", "echo up; read go", stdin=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    done = assay("rm", "--yes", "last")
    assert done.returncode == 1
    assert b"is still running" in done.stderr
    assert assay.ls()[0]["status"] == "running"
    process.communicate(b"\n", timeout=60)


def test_rm_does_not_follow_links(assay: Assay) -> None:
    precious = assay.folder / "precious"
    precious.mkdir()
    (precious / "thesis").write_text("x")
    assay("run", "-q", "--", "true")
    (assay.run_dir() / "link").symlink_to(precious, target_is_directory=True)
    assay("rm", "--yes", "last")
    assert (precious / "thesis").exists()


def test_a_view_survives_a_closed_pipe(assay: Assay) -> None:
    assay("run", "-q", "--", "head", "-c", "3000000", "/dev/zero")
    command = subprocess.list2cmdline(map(str, assay.words("show", "--output"))) + " | head -c 1; echo ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", command], env=assay.environment(), capture_output=True, check=False)
    assert done.stderr == b""
    assert done.stdout.endswith(b"141\n")


def test_json_of_odd_numbers_is_still_json(assay: Assay) -> None:
    assay("run", "-q", "--", PYTHON, "-c", "import assay; assay.result(a=float('inf'), b=float('nan'), c=1)")
    text = assay("ls", "--json").stdout.decode()

    def refuse(word: str) -> None:
        raise AssertionError(word)

    (summary,) = json.loads(text, parse_constant=refuse)
    assert summary["metrics"] == {"c": 1}


def test_commands_that_do_not_exist_get_a_suggestion(assay: Assay) -> None:
    done = assay("shwo")
    assert (done.returncode, done.stderr) == (2, b"error: no command called `shwo`\nhint: did you mean `show`?\n")


def test_help_and_version_answer_without_loading_anything(assay: Assay) -> None:
    done = subprocess.run(
        [PYTHON, "-X", "importtime", "-m", "assay", "--help"], env=assay.environment(), capture_output=True, check=False
    )
    assert b"run a command and record it" in done.stdout
    for heavy in (b"click", b"scipy", b"numpy", b"torch", b"subprocess"):
        assert b" " + heavy + b"\n" not in done.stderr
    assert assay("--version").stdout.startswith(b"assay ")


@pytest.mark.parametrize("name", ["run", "ls", "show", "rm", "psrecord"])
def test_every_command_explains_itself(assay: Assay, name: str) -> None:
    done = assay(name, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: assay {name}".encode())


def test_conditions_on_summaries_compare_numbers_as_numbers() -> None:
    runs = [Summary(steps=9), Summary(steps=10), Summary(steps=100), Summary()]
    assert [run.steps for run in chosen(runs, ["steps>9"])] == [10, 100]
    assert chosen([Summary(params={"x": "abc"})], ["x>abb"])


def test_the_runs_folder_is_chosen_by_flag_then_variable_then_default(assay: Assay) -> None:
    assay("run", "-q", "--runs-dir", assay.folder / "flag", "--", "true")
    assert len(list((assay.folder / "flag").glob("true-*"))) == 1
    environment = {k: v for k, v in assay.environment().items() if k != "ASSAY_RUNS"}
    subprocess.run(assay.words("run", "-q", "--", "true"), cwd=assay.folder, env=environment, check=True)
    assert len(list((assay.folder / "assay-runs").glob("true-*"))) == 1
    assert os.listdir(assay.folder / "assay-runs")


def test_an_empty_word_removes_nothing(assay: Assay) -> None:
    assay("run", "-q", "--", "true")
    done = assay("rm", "--yes", "")
    assert (done.returncode, len(assay.run_dirs())) == (2, 1)


def test_a_folder_that_is_no_run_is_not_removed(assay: Assay) -> None:
    project = assay.folder / "project"
    project.mkdir()
    (project / "run.json").write_text('{"mine": 1}')
    done = assay("rm", "--yes", "./project")
    assert done.returncode == 1
    assert project.exists()


def test_a_running_program_that_reports_an_error_is_still_running(assay: Assay) -> None:
    script = "import assay, sys\nassay.error('unknown', 'a hiccup')\nprint('up', flush=True)\nsys.stdin.read()"
    process = assay.start("run", "-q", "--", PYTHON, "-c", script, stdin=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    assert assay.ls()[0]["status"] == "running"
    assert assay("rm", "--yes", "last").returncode == 1
    process.communicate(timeout=60)


@pytest.mark.parametrize("name", ["my run", "it's; rm", "x" * 300])
def test_a_run_is_found_by_the_name_it_was_given(assay: Assay, name: str) -> None:
    assay("run", "-q", "--name", name, "--", "true")
    (summary,) = json.loads(assay("show", "--json", name).stdout)
    assert summary["name"] == name


def test_a_tag_that_looks_like_a_number_is_found(assay: Assay) -> None:
    assay("run", "-q", "--tag", "5", "--", "true")
    assert len(names(assay, "tags=5")) == 1


def test_odd_encodings_do_not_break_a_view(assay: Assay) -> None:
    assay("run", "-q", "--name", "ünï漢", "--", "true")
    assay.env = {"PYTHONIOENCODING": "latin-1"}
    assert assay("ls").returncode == 0
    assert assay("show").returncode == 0


def test_our_words_do_not_stick_to_the_commands(assay: Assay) -> None:
    done = assay("run", "--", "printf", "no end", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert b"no end\nassay: printf: completed" in done.stdout


def test_the_next_commands_name_the_runs_folder(assay: Assay) -> None:
    done = assay("run", "--runs-dir", "elsewhere", "--", "true")
    assert b"assay show last --runs-dir elsewhere" in done.stderr


@pytest.mark.parametrize("word", ["bs1*", "bs?", "bs[12]", "bs128*", "*", "b.*", "bs128 ", "bs128;", "bs12"])
def test_rm_removes_no_run_that_only_begins_so(three: Assay, word: str) -> None:
    done = three("rm", "--yes", word)
    assert (done.returncode, len(three.run_dirs())) == (1, 3)
    assert done.stderr.startswith(b"error: no run")


def test_a_run_with_a_star_in_its_name_is_the_only_one_called_so(assay: Assay) -> None:
    for name in ("rm1", "rm1*", "rm1x"):
        assay("run", "-q", "--name", name, "--", "true")
    assert json.loads(assay("show", "--json", "rm1*").stdout)[0]["name"] == "rm1*"
    assert assay("rm", "--yes", "rm1*").returncode == 0
    assert names(assay) == ["rm1", "rm1x"]
    assert assay("rm", "--yes", "rm1").returncode == 0
    assert names(assay) == ["rm1x"]


def test_a_slash_in_a_word_does_not_make_it_whole(assay: Assay) -> None:
    assay("run", "-q", "--name", "a/bcd", "--", "true")
    assert (assay("rm", "--yes", "a/b").returncode, len(assay.run_dirs())) == (1, 1)
    assert (assay("rm", "--yes", "a/bcd").returncode, len(assay.run_dirs())) == (0, 0)


@pytest.mark.parametrize("how", ["format", "id", "no events", "link", "around"])
def test_rm_takes_no_folder_that_assay_did_not_make(three: Assay, how: str) -> None:
    run = next(three.runs.glob("bs64-*"))
    project = three.folder / ("precious" if how != "format" else run.name)
    shutil.copytree(run, project)
    (project / "thesis").write_text("x")
    word, options = project, {}
    if how == "format":
        (project / "run.json").write_text('{"v": 1, "name": "x"}')
    elif how == "no events":
        project = project.rename(three.folder / run.name)
        shutil.rmtree(project / "events")
        word = project
    elif how == "link":
        word = three.folder / run.name
        word.symlink_to(project)
    elif how == "around":
        project = word = project.rename(three.folder / run.name)
        (project / "inside").mkdir()
        options = {"cwd": project / "inside"}
    done = three("rm", "--yes", f"{word}{os.sep}" if how == "around" else word, **options)
    assert (done.returncode, done.stderr[:6]) == (1, b"error:"), done.stderr
    assert (project / "thesis").exists()
    assert len(three.run_dirs()) == 3


def test_rm_takes_a_run_that_was_moved_elsewhere_by_its_path(three: Assay) -> None:
    moved = next(three.runs.glob("bs64-*")).rename(three.folder / next(three.runs.glob("bs64-*")).name)
    assert three("rm", "--yes", moved).returncode == 0
    assert not moved.exists()
