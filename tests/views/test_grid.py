"""Tables in a terminal: fitted to its width, and no figure cut."""

import os
import pty
import subprocess

import pytest
from conftest import PYTHON, Assay, wait_for

from assay.views.grid import Column, Grid, Styled
from assay.views.terminal import fitting, shortened, width_of

NAMES = Column(heading="name", cut=True)
LOSS = Column(heading="loss", right=True)


def drawn(rows: list[list[str | Styled]], room: int, *columns: Column) -> list[str]:
    return list(Grid(columns=columns or (NAMES, LOSS), rows=rows).fitted(room).lines(room))


def test_figures_stand_under_each_other_and_lines_end_with_their_text() -> None:
    assert drawn([["a", "7.125"], ["longer", "0.5"]], 80) == [
        "name     loss",
        "a       7.125",
        "longer    0.5",
    ]
    assert drawn([["a", ""]], 80)[1] == "a"


def test_a_long_text_is_cut_in_its_middle_and_a_figure_is_not() -> None:
    assert drawn([["a-name-that-goes-on", "7.125"]], 16) == ["name        loss", "a-na…s-on  7.125"]


def test_columns_without_room_are_left_out_from_the_right() -> None:
    many = [NAMES, *(Column(heading=f"figure{n}", right=True) for n in range(5))]
    assert drawn([["a", *"12345"]], 30, *many) == ["name  figure0  figure1", "a           1        2"]
    assert drawn([["a", *"12345"]], 3, *many) == ["name", "a"]


def test_text_that_may_wrap_goes_on_beneath() -> None:
    columns = [Column(heading="n", right=True), Column(heading="said", wrap=True)]
    assert drawn([["1", "four words of text\nnext"], ["2", ""]], 15, *columns) == [
        "n  said",
        "1  four words",
        "   of text",
        "   next",
        "2",
    ]


def test_a_second_line_belongs_to_its_cell_and_headings_stand_at_the_bottom() -> None:
    columns = [Column(heading="bs"), Column(heading="loss\nat 500 steps", right=True)]
    assert drawn([["8", Styled("7.1 ± 0.2", "bold", beneath="6.9–7.3")], ["16", "7"]], 80, *columns) == [
        "            loss",
        "bs  at 500 steps",
        "8      7.1 ± 0.2",
        "         6.9–7.3",
        "16             7",
    ]


def test_signs_of_two_columns_are_counted_as_two() -> None:
    assert (width_of("模型"), fitting("模型", 3), shortened("模型模型", 5)) == (4, "模", "模型…")
    assert width_of("e\u0301") == 1
    assert drawn([["模型", "1"], ["ab", "2"]], 80) == ["name  loss", "模型     1", "ab       2"]


def test_thousands_of_rows_are_the_same_table_as_a_few() -> None:
    """Rows of plain text take a short way; a styled cell among them does not."""
    few: list[list[str | Styled]] = [[f"bs{n}", str(n / 7)] for n in range(20)]
    long_way: list[list[str | Styled]] = [[Styled(str(cell)) for cell in row] for row in few]
    assert drawn(few, 80) == drawn(long_way, 80)


def on_a_terminal(assay: Assay, *words: str, **env: str) -> str:
    """What a person sees of a command in a terminal."""
    leader, follower = pty.openpty()
    environment = {**assay.environment(), "TERM": "xterm", **env}
    with subprocess.Popen(assay.words(*words), cwd=assay.folder, env=environment, stdout=follower) as process:
        os.close(follower)
        seen = bytearray()

        def ended() -> bool:
            try:
                seen.extend(os.read(leader, 65536))
            except OSError:
                return True
            return False

        wait_for(ended, "the end of the output")
    os.close(leader)
    assert process.returncode == 0
    return seen.decode().replace("\r\n", "\n")


@pytest.fixture
def failed(assay: Assay) -> Assay:
    assay("run", "--name", "broken", "--", PYTHON, "-c", "print('step 3 loss 7.125'); raise SystemExit(1)")
    return assay


def test_a_narrow_list_keeps_names_and_whole_figures_and_names_the_rest(failed: Assay) -> None:
    text = on_a_terminal(failed, "ls", COLUMNS="50", NO_COLOR="1")
    table, _, rest = text.partition("Not shown at 50 columns: ")
    assert table.splitlines()[1].startswith("broken")
    assert all(len(line) <= 50 for line in text.splitlines())
    assert "7.125" in table and "started" in rest and "(choose with --columns)" in " ".join(rest.split())


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_settings_and_status_stay_in_a_narrow_list_and_an_id_goes_first(assay: Assay, columns: int) -> None:
    for size in ("32", "256"):
        assay("run", "-q", "--", PYTHON, assay.script("print('loss: 0.5')", "train.py"), "--batch_size", size)
    text = on_a_terminal(assay, "ls", COLUMNS=str(columns), NO_COLOR="1")
    heads = text.splitlines()[0].split()
    assert {"name", "status", "batch_size"} <= set(heads)
    assert max(map(len, text.splitlines())) <= columns and "…" not in text
    assert "Not shown at 60 columns: id" in text or columns > 60


def test_colours_are_for_terminals_of_those_who_want_them(failed: Assay) -> None:
    assert "\x1b[31mfailed\x1b[0m" in on_a_terminal(failed, "ls", COLUMNS="200")
    assert "\x1b" not in on_a_terminal(failed, "ls", COLUMNS="200", NO_COLOR="1")
    assert b"\x1b" not in failed("ls").stdout
