"""Study files and places: what is wrong with one is told with its line, before anything starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Assay
from hypothesis import given
from hypothesis import strategies as some

from assay.errors import UsageError
from assay.launchers.places import load_places, parse_place
from assay.strictyaml import parse
from assay.study.file import load_study
from assay.study.grid import points
from assay.study.plan import plan
from assay.study.template import fill, literal, names_in


def written(folder: Path, text: str) -> Path:
    path = folder / "study.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("comand: true", "study.yaml:1: unknown key `comand`", "did you mean `command`?"),
        ("name: rates", "study.yaml:1: unknown key `name`", "did you mean `study`?"),
        ("command: echo\nquestion: why", "study.yaml:2: unknown key `question`", "did you mean `about`?"),
        ("command: true\ngrid:\n", "study.yaml:2: the grid is empty", "name a setting"),
        ("command: true\ngrid: {}", "study.yaml:2: the grid is empty", "name a setting"),
        ("command: echo {x}\ngrid:\n  x: []", "study.yaml:3: `x` has no values", "list at least one"),
        ("command: echo {y}\ngrid:\n  x: [1]", "study.yaml:1: the command uses `{y}`", "give `y` values in"),
        ("command: echo\ngrid:\n  x: [1, 2]", "study.yaml:3: the command does not use `x`", "write {x} where"),
        (
            "command: [echo, {x: fast}]\ngrid: {x: [on]}",
            "`{x: fast}` in the command is not a setting and its flag",
            "write {setting: --flag}",
        ),
        (
            "command: [echo, {x: --fast}]\ngrid: {x: [1, 2]}",
            "study.yaml:2: `x` turns a flag on or off, but its value is `2`",
            "list on and off",
        ),
        ("command: echo\nparams: {x: [1, 2]}", "study.yaml:2: `x` must be a single number or word", "under `grid`"),
        ("command: echo\nset:\n  x: 1", "study.yaml:3: the command does not use `x`", "write {x} where"),
        ("command: echo {x}\nset: {x: [1, 2]}", "`x` must be a single number or word", "belong under `grid`"),
        ("command: echo {x}\ngrid: {x: [1]}\non: nowhere", "study.yaml:3: no place called `nowhere`", "one of: "),
        ("command: echo\non:\n  place: slurm\n  node: 3", "study.yaml:4: unknown key `node`", "did you mean `nodes`?"),
        ("command: echo\non: {place: slurm, nodes: 0}", "`nodes` must be a whole number above 0", None),
        ("command: echo\nrepeat: 0", "study.yaml:2: `repeat` must be a whole number", None),
        ("command: echo\nrepeat: two", "study.yaml:2: `repeat` must be a whole number", None),
        ("command: echo\nseeds: [1, 2]", "study.yaml:2: the command does not use `{seed}`", "write {seed} where"),
        (
            "command: echo {seed}\nseeds: [1, 2]\nrepeat: 3",
            "study.yaml:2: there are 2 seeds for 3 repeats",
            "one seed for each",
        ),
        ("command: echo\norder: random", "study.yaml:2: no order called `random`", None),
        ("command: echo\nsuccess: [accuracy]", "study.yaml:2: `accuracy` is not a condition", "write name=value"),
        ("command: echo\nlimits: {tim: 3}", "study.yaml:2: unknown key `tim`", "did you mean `time`?"),
        ("command: echo\nlimits: {time: soon}", "study.yaml:2: `soon` is not a duration", None),
        (
            "command: echo {x} | tee log\ngrid: {x: [1]}",
            "`|` has no effect, because no shell reads the command",
            "put a pipeline into",
        ),
        ("command: sh -c 'echo {x}'\ngrid: {x: [1]}", "`{x}` is inside a shell script", "as an argument"),
        ("command: env bash -lc 'echo {x}'\ngrid: {x: [1]}", "`{x}` is inside a shell script", "as an argument"),
        ("command: 'echo \"'", "the command cannot be read", None),
        ("command: echo\nworkload: mnist", "a study needs a `command` or a `workload`", "write one of the two"),
        ("grid: {x: [1]}", "a study needs a `command` or a `workload`", None),
        ("command: echo\ncommand: true", "study.yaml:2: `command` appears twice", None),
        ("command: echo\ncwd: nowhere", "study.yaml:2: `nowhere` is not a folder", None),
        ("- a\n- b", "study.yaml:1: not `key: value` lines", None),
        ("command: [a\n", "study.yaml:", None),
        ("command: echo {x}\ngrid: {x: [1, 1]}", "`x=1` is in the grid twice", "use `repeat`"),
        ("command: echo {x}\ngrid: {x: {from: 1, to: 5, by: 0}}", "the range never reaches its end", None),
        ("command: echo {x}\ngrid: {x: {from: 1, to: 5, step: 1}}", "unknown key `step`", None),
        ("command: echo {x}\ngrid: {x: [1, 2]}\nexclude: [{y: 1}]", "unknown key `y`", None),
        ("command: echo {x}\ngrid: {x: [1, 2]}\nexclude: [{x: 3}]", "nothing to exclude", None),
        ("command: echo {x}\ngrid: {x: [1, 2]}\nexclude: [{x: [1, 2]}]", "every combination is excluded", None),
        ("command: echo {run} {seed}\ngrid: {run: [1]}", "`run` cannot be a setting of the grid", None),
    ],
)
def test_an_error_in_a_file_names_its_line_before_anything_starts(
    assay: Assay, text: str, message: str, hint: str | None
) -> None:
    path = written(assay.folder, text)
    done = assay("study", path.name)
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert said.startswith("error: ") and message in said
    assert hint is None or hint in said.partition("hint: ")[2]
    assert assay.run_dirs() == []


def test_a_million_combinations_are_refused_at_once(tmp_path: Path) -> None:
    lines = "\n".join(f"  p{index}: {{from: 1, to: 10}}" for index in range(6))
    words = " ".join(f"{{p{index}}}" for index in range(6))
    with pytest.raises(UsageError, match=r"study.yaml:2: 1,000,000 combinations"):
        load_study(written(tmp_path, f"command: echo {words}\ngrid:\n{lines}"))


def test_a_range_of_a_billion_values_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at most 10,000 values"):
        load_study(written(tmp_path, "command: echo {x}\ngrid: {x: {from: 0, to: 1000000000}}"))


def test_an_expansion_bomb_is_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(UsageError, match="too many values"):
        parse("\n".join(lines), tmp_path / "study.yaml")


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ("{x: [1, 2], y: [a, b]}", [(1, "a"), (1, "b"), (2, "a"), (2, "b")]),
        ("{x: {from: 1, to: 7, by: 3}, y: [a]}", [(1, "a"), (4, "a"), (7, "a")]),
        ("{x: {from: 0.001, to: 0.1, times: 10}, y: [a]}", [(0.001, "a"), (0.01, "a"), (0.1, "a")]),
        ("{x: {from: 0.1, to: 0.3, by: 0.1}, y: [a]}", [(0.1, "a"), (0.2, "a"), (0.3, "a")]),
        ("{x: {from: 0, to: 1, count: 3}, y: [a]}", [(0, "a"), (0.5, "a"), (1, "a")]),
        ("{x: [1e-3, 010, '1e-3'], y: [on]}", [(0.001, "on"), (10, "on"), ("1e-3", "on")]),
        ("{pair: [{x: 1, y: a}, {x: 2, y: b}]}", [(1, "a"), (2, "b")]),
        ("[{x: [1, 2], y: [a]}, {x: [9], y: [b]}]", [(1, "a"), (2, "a"), (9, "b")]),
    ],
)
def test_grids_are_spelled_out(tmp_path: Path, grid: str, expected: list[tuple[object, object]]) -> None:
    found = points(parse(f"grid: {grid}", tmp_path / "study.yaml"))
    assert [(point["x"], point["y"]) for point in found] == expected


@given(some.lists(some.text(min_size=1).filter(lambda text: "\0" not in text), min_size=1, max_size=3))
def test_a_value_stays_one_word_whatever_it_holds(values: list[str]) -> None:
    settings = {f"p{index}": value for index, value in enumerate(values)}
    words = [f"--{name}={{{name}}}" for name in settings]
    assert fill(words, settings) == [f"--{name}={value}" for name, value in settings.items()]


def test_braces_that_name_no_setting_are_left_alone() -> None:
    words = ['{"a": 1}', "{}", "{0}", "{{x}}", "{x}"]
    assert names_in(words) == ["x"]
    assert fill(words, {"x": "v"}) == ['{"a": 1}', "{}", "{0}", "{x}", "v"]


def test_runs_are_interleaved_and_shuffled_the_same_way_each_time(tmp_path: Path) -> None:
    text = "command: echo {x}\ngrid: {x: [1, 2, 3, 4, 5, 6]}\nrepeat: 3"
    study = load_study(written(tmp_path, text))
    units = plan(study, load_places())
    rounds = [[unit.settings["x"] for unit in units[at : at + 6]] for at in (0, 6, 12)]
    assert [sorted(one) for one in rounds] == [[1, 2, 3, 4, 5, 6]] * 3  # every combination once a round
    assert len({tuple(one) for one in rounds}) == 3
    assert [unit.key for unit in plan(study, load_places())] == [unit.key for unit in units]
    listed = plan(load_study(written(tmp_path, text + "\norder: listed")), load_places())
    assert [unit.settings["x"] for unit in listed[:4]] == [1, 1, 1, 2]


def test_editing_the_file_adds_cells_and_changes_none(tmp_path: Path) -> None:
    def cells(text: str) -> set[str]:
        return {unit.cell for unit in plan(load_study(written(tmp_path, text)), load_places())}

    before = cells("command: echo {x} {y}\nset: {y: 1}\ngrid: {x: [1, 2]}")
    assert cells("about: more\ngrid: {x: [1, 2, 3]}\nset: {y: 1}\ncommand: echo {x} {y}\nrepeat: 2") > before
    assert not cells("command: echo {x} {y}\nset: {y: 2}\ngrid: {x: [1, 2]}") & before
    assert not cells("command: echo -n {x} {y}\nset: {y: 1}\ngrid: {x: [1, 2]}") & before


def test_places_are_read_strictly(tmp_path: Path) -> None:
    path = tmp_path / "places.yaml"
    path.write_text("gc:\n  launcher: slurm\n  ipus: 1\n  extra: --qos 'my qos'\n")
    place = load_places(path)["gc"]
    assert (place.ipus, place.extra) == (1, ("--qos", "my qos"))
    for text, message in [
        ("gc: {launcher: slrum}", "no launcher called `slrum`"),
        ("gc: {ipus: 1}", "`gc` has no launcher"),
        ("gc:\n  launcher: slurm\n  partitions: x", "places.yaml:3: unknown key `partitions`"),
        ("gc: slurm", "`gc` is not a place"),
        ("gc: {launcher: slurm, time: soon}", "`soon` is not a duration"),
    ]:
        path.write_text(text)
        with pytest.raises(UsageError, match=r"places\.yaml:") as problem:
            load_places(path)
        assert message in problem.value.message


def test_a_place_on_the_command_line_takes_resources() -> None:
    place = parse_place("slurm,nodes=3,procs=2,time=1h30m", load_places("/dev/null"))
    assert (place.nodes, place.procs, place.time_s) == (3, 2, 5400)
    with pytest.raises(UsageError, match="unknown key `node`"):
        parse_place("slurm,node=3", load_places("/dev/null"))
    with pytest.raises(UsageError, match="no place called `slrm`"):
        parse_place("slrm", load_places("/dev/null"))


def test_a_dry_run_shows_every_command_and_leaves_nothing(assay: Assay) -> None:
    path = written(assay.folder, f"command: echo {{x}}\ngrid: {{x: {json.dumps(['a b', '$(id)'])}}}")
    done = assay("study", path, "--dry-run")
    assert b"echo 'a b'" in done.stdout and b"echo '$(id)'" in done.stdout
    assert not assay.runs.exists()


@pytest.mark.parametrize(
    "command",
    [
        "[t.py, {chkpt: --do_chkpt --every 5}, end]",
        "t.py {chkpt:--do_chkpt --every 5} end",
        "'t.py {chkpt: --do_chkpt --every 5} end'",
        "[t.py, '{chkpt:--do_chkpt --every 5}', end]",
    ],
)
@pytest.mark.parametrize("values", ["[on, off]", "[true, false]", "['yes', 'no']", "[1, 0]"])
def test_a_flag_is_there_where_its_setting_is_on(tmp_path: Path, command: str, values: str) -> None:
    study = load_study(written(tmp_path, f"command: {command}\ngrid:\n  chkpt: {values}"))
    filled = [fill(study.command, point) for point in study.points]
    assert filled == [["t.py", "--do_chkpt", "--every", "5", "end"], ["t.py", "end"]]
    assert [point["chkpt"] for point in study.points] == [True, False]  # as a program that prints it says it


def test_braces_that_are_no_flag_are_left_alone() -> None:
    words = ["{a:1}", '{"a": 1}', "{{x:--flag}}", "${HOME}", "x{{y}}z", "{}", "{a: b}"]
    assert fill(words, {"HOME": 5}) == ["{a:1}", '{"a": 1}', "{x:--flag}", "$5", "x{y}z", "{}", "{a: b}"]
    assert fill(literal(["{x}", "{{x}}", "{seed}", "{x:--flag}"], ["seed"]), {"seed": 3}) == [
        "{x}", "{{x}}", "3", "{x:--flag}",
    ]  # fmt: skip
