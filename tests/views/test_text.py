"""What people read: units, sparklines, the closing words, the page, the live view."""

import os
import pty
import select
import struct
import subprocess
import termios
import time
from fcntl import ioctl

import pytest
from conftest import PYTHON, Assay

from assay.model.summary import Summary
from assay.units import parse_seconds, show_bytes, show_joules, show_number, show_seconds
from assay.views.logtail import plain
from assay.views.plot import plot
from assay.views.series import Series
from assay.views.sparkline import sparkline
from assay.views.timeline import timeline


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0021, "2.1 ms"),
        (0.9996, "1.00 s"),
        (9.996, "10.0 s"),
        (41.26, "41.3 s"),
        (59.96, "1m 00s"),
        (211.2, "3m 31s"),
        (7952.4, "2h 12m"),
        (200000, "2d 07h"),
    ],
)
def test_seconds_are_shown_as_people_say_them(seconds: float, text: str) -> None:
    assert show_seconds(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1023, "0.999 KiB"),
        (531 << 20, "531 MiB"),
        (1023 << 20, "0.999 GiB"),
        (4 << 40, "4 TiB"),
    ],
)
def test_bytes_are_shown_in_binary_units_by_name(count: int, text: str) -> None:
    assert show_bytes(count) == text


def test_numbers_keep_five_digits() -> None:
    assert [show_number(v) for v in (7.07812, 1234567, 0.00012345, 19253.91, 12)] == [
        "7.0781",
        "1,234,567",
        "0.000123",
        "19,254",
        "12",
    ]
    assert show_joules(41234) == "41.2 kJ"


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("1.5s", 1.5), ("10m", 600), ("1h30m", 5400), ("250ms", 0.25)]
)
def test_durations_are_read_as_people_type_them(text: str, seconds: float) -> None:
    assert parse_seconds(text) == pytest.approx(seconds)


def test_a_curve_that_was_printed_at_one_moment_is_drawn_in_its_order() -> None:
    assert sparkline([(1.0, 2.0), (1.0, 1.0), (1.0, 0.0)], 3) == "█▅▁"


def test_a_sparkline_follows_its_curve() -> None:
    curve = [(float(i), float(i)) for i in range(8)]
    assert sparkline(curve, 8) == "▁▂▃▄▅▆▇█"
    assert sparkline([(0.0, 5.0)], 3) == "▄▄▄"
    assert sparkline([], 3) == ""


def test_a_plot_has_the_size_asked_for_and_starts_high_when_the_curve_does() -> None:
    lines = plot([(0.0, 10.0), (1.0, 0.0)], 20, 4, span=(0.0, 1.0))
    assert [len(line) for line in lines] == [20] * 4
    assert lines[0].strip() and lines[0].index(lines[0].strip()[0]) == 0
    assert lines[3].rstrip()[-1] != " "


def test_lines_of_output_are_made_safe_to_show() -> None:
    assert plain("a\x1b[31mred\x1b[0m\x07\x1b]0;title\x07b") == "aredb"
    assert plain(" 10%|#\r 20%|##\r100%|####") == "100%|####"
    assert "\x1b" not in plain("\x1b\x1b[2J\x9b31m")


TRAINING = """
import assay, time
with assay.phase('load'): time.sleep(0.1)
with assay.phase('train'):
    for step in range(20):
        assay.log(step=step, loss=2 / (step + 1), samples_per_s=100 + step)
        print('step', step, flush=True)
        time.sleep(0.02)
assay.result(accuracy=0.9)
"""


def test_the_page_of_a_run_has_a_timeline(assay: Assay) -> None:
    assay("run", "-q", "--interval", "0.05", "--", PYTHON, assay.script(TRAINING))
    text = assay("show").stdout.decode()
    assert "━" in next(line for line in text.splitlines() if line.startswith("  train"))
    assert "█" in next(line for line in text.splitlines() if line.startswith("  loss"))


class Seat:
    """A person who watches a run on a terminal of 120 × 40."""

    def __init__(self, assay: Assay) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(assay.folder)
            os.execve(PYTHON, list(map(str, assay.words("show", "--live"))), assay.environment())
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.seen = b""

    def until(self, text: str) -> None:
        """Read on until it appears; what comes after it is kept."""
        ends_s = time.monotonic() + 30
        while text.encode() not in self.seen:
            assert time.monotonic() < ends_s, self.seen.decode(errors="replace")[-5000:]
            if select.select([self.fd], [], [], 1)[0]:
                self.seen += os.read(self.fd, 65536)
        self.seen = self.seen.split(text.encode(), 1)[1]

    def press(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def leave(self) -> int:
        self.press(b"q")
        self.until("\x1b[?1049l")
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def test_the_live_view_goes_back_in_time_and_its_output_with_it(assay: Assay) -> None:
    assay("run", "-q", "--interval", "0.05", "--", PYTHON, assay.script(TRAINING))
    seat = Seat(assay)
    seat.until("step 19\x1b")
    seat.until("q leave")
    seat.press(b"\x1b[H")  # to the beginning: nothing was printed yet
    seat.until("output at 0 ms")
    picture = seat.seen.split(b"q leave")[0]
    assert b"step 1\x1b" not in picture
    seat.press(b"\x1b[D\x1b[C\x1b[F")  # keys that come together count each
    seat.until("── output ──")
    seat.until("step 19\x1b")
    seat.press(b"\x1b[A\x1b[A\x1b[A")  # scrolled back by three lines
    seat.until("step 16\x1b[K\r\n←→")
    assert seat.leave() == 0


ECHO = """
import assay, sys
for line in sys.stdin:
    step = int(line)
    assay.log(step=step, loss=1 / step)
    print('at', step, flush=True)
"""


def test_the_live_view_of_a_running_run_moves(assay: Assay) -> None:
    run = assay.start("run", "-q", "--", PYTHON, "-c", ECHO, stdin=subprocess.PIPE)

    def advance(step: int) -> None:
        assert run.stdin and run.stdout
        run.stdin.write(b"%d\n" % step)
        run.stdin.flush()
        assert run.stdout.readline() == b"at %d\n" % step

    advance(1)
    seat = Seat(assay)
    seat.until("running for")
    seat.until("step 1\x1b")
    advance(2)
    seat.until("step 2\x1b")
    assert seat.leave() == 0
    run.communicate(timeout=60)


def test_a_curve_that_never_changes_is_drawn_flat() -> None:
    assert len(set(sparkline([(at / 7, 0.1) for at in range(1000)], 24))) == 1


def test_reports_within_one_moment_are_drawn_in_their_order() -> None:
    moment = [(15.30, 3.0), (15.32, 2.0), (15.33, 1.0)]
    assert list(timeline(Series(program={"loss": moment}, end_s=18.0), Summary())) == [
        "            from the first report to the last",
        "  loss      █▄▁",
    ]
    spread = [(float(at), 18.0 - at) for at in range(18)]
    first, curve = timeline(Series(program={"loss": spread}, end_s=18.0), Summary())
    assert first.split() == ["0", "18.0", "s"] and len(curve.split()[1]) > 50


def test_an_error_is_shown_once(assay: Assay) -> None:
    assay("run", "-q", "--", PYTHON, "-c", "raise ValueError('no such layer')")
    shown = assay("show").stdout.decode()
    assert shown.count("crashed: ") == 1 and "read the end of its output: assay show --output" in shown
