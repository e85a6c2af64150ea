"""`assay show --live`: a run on the whole terminal, as it happens or afterwards.

←/→ move a line through time, which shows the values and the output of that moment; ↑/↓ scroll the output; q leaves.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import sys
import termios
import tty
from bisect import bisect_right
from collections.abc import Iterator

from assay.store.layout import RunDir
from assay.store.reading import Follower
from assay.summary.build import sum_up
from assay.summary.tally import Tally
from assay.text import printable
from assay.units import show_bytes, show_number, show_seconds
from assay.views import words
from assay.views.logtail import offset_at, tail
from assay.views.plot import ends, plot, time_axis
from assay.views.series import Curve, Series
from assay.views.terminal import fitting, middle_cut, shortened

_REFRESH_S = 0.5
_LABEL, _LIMIT = 14, 11
_KEYS = {
    b"A": "up", b"B": "down", b"C": "right", b"D": "left", b"5~": "page up", b"6~": "page down", b"H": "home",
    b"F": "end", b"1~": "home", b"4~": "end",
}  # fmt: skip
_PRESSED = re.compile(rb"\x1b[\[O]([0-9;]*[A-Za-z~])|(.)", re.DOTALL)


def _per_cent(share: float) -> str:
    """An accuracy above 1 was given in per cent already."""
    return f"{100 * share if share <= 1 else share:.4g} %"


#: (label, where it comes from, curve names, how a value is shown, drawn from zero)
_PANES = (
    ("loss", "program", ("loss", "train_loss", "val_loss"), show_number, False),
    ("samples/s", "program", ("samples_per_s",), show_number, True),
    ("tokens/s", "program", ("tokens_per_s",), show_number, True),
    ("accuracy", "program", ("accuracy", "val_accuracy", "eval_accuracy", "test_accuracy"), _per_cent, False),
    ("cpu", "machine", ("cpu_pct",), lambda v: f"{v:.0f} %", True),
    ("memory", "machine", ("memory_bytes", "pss_bytes", "rss_bytes"), show_bytes, True),
    ("gpu", "machine", ("gpu_util_pct",), lambda v: f"{v:.0f} %", True),
    ("power", "machine", ("power_w",), lambda v: f"{v:.0f} W", True),
)


class Screen:
    """What is shown: the run so far, the moment under the line, how far the output is scrolled back."""

    def __init__(self, run: RunDir) -> None:
        self._run, self._asked = run, run.asked()
        self._follower, self._tally, self.series = Follower(run), Tally(), Series()
        self._start_mono_s: float | None = None
        self.cursor_s: float | None = None
        self.scrolled = 0

    def update(self) -> None:
        for event in self._follower.new_events():
            self.series.add(event)
            self._tally.add(event)
            if self._start_mono_s is None and event.mono_s is not None and event.at_s is not None:
                self._start_mono_s = event.mono_s - event.at_s

    def press(self, key: str) -> None:
        step_s = self.series.end_s / 60
        here_s = self.series.end_s if self.cursor_s is None else self.cursor_s
        if key == "left":
            self.cursor_s = max(0.0, here_s - step_s)
        elif key == "right":
            self.cursor_s = None if here_s + step_s >= self.series.end_s else here_s + step_s
        elif key in ("home", "end"):
            self.cursor_s, self.scrolled = (0.0 if key == "home" else None), 0
        else:
            by = {"up": 1, "down": -1, "page up": 10, "page down": -10}.get(key, 0)
            self.scrolled = max(0, self.scrolled + by)

    def lines(self, width: int, height: int) -> list[str]:
        """Exactly `height` lines."""
        summary = sum_up(self._run, self._asked, self._tally)
        name = middle_cut(summary.name, width // 2)
        title = f"{name}  {words.status_words(summary)}   {words.result_words(summary) or ''}"
        phases = words.phase_words(summary)
        head = [printable(title), *([printable(f"{'phases':<10}{phases}")] if phases else [])]
        charts = list(self._charts(width, (height - len(head) - 4) * 2 // 3))
        room = height - len(head) - len(charts) - 2
        where = "" if self.cursor_s is None else f" at {show_seconds(self.cursor_s)}"
        rule = f"── output{where} " + "─" * width
        body = [*head, *charts, rule[:width], *self._output(room)]
        body += [""] * (height - 1 - len(body))
        return [shortened(line, width) for line in body[: height - 1]] + [
            "←→ time  ↑↓ output  home/end  q leave"[:width]
        ]

    def _charts(self, width: int, height: int) -> Iterator[str]:
        panes = [(pane, self._curve(pane[1], pane[2])) for pane in _PANES]
        panes = [(pane, curve) for pane, curve in panes if curve]
        if not panes:
            return
        rows = max(1, min(5, (height - 2) // len(panes)))
        end_s, room = max(self.series.end_s, 1e-9), max(1, width - _LABEL - _LIMIT - 1)
        for (label, _, _, show, from_zero), curve in panes[: max(1, height)]:
            floor = 0.0 if from_zero else None
            drawn = plot(curve, room, rows, span=(0.0, end_s), floor=floor)
            low, high = ends([value for _, value in curve], floor)
            limits = [show(high), *[""] * (rows - 2), show(low)] if rows > 1 else [""]
            values = [label, show(self._value(curve))] if rows > 1 else [f"{label} {show(self._value(curve))}"]
            for index, line in enumerate(drawn):
                text = values[index] if index < len(values) else ""
                tick = "┤" if limits[index] else "│"
                left = f"{text:<{_LABEL}}{limits[index]:>{_LIMIT}}" if rows > 1 else f"{text:<{_LABEL + _LIMIT}}"
                yield f"{left}{tick}{self._with_cursor(line)}"
        for text in time_axis(end_s, room) if height > len(panes) + 1 else ():
            yield f"{'':<{_LABEL + _LIMIT + 1}}{self._with_cursor(text)}"

    def _with_cursor(self, line: str) -> str:
        if self.cursor_s is None or not line:
            return line
        at = min(len(line) - 1, int(self.cursor_s / max(self.series.end_s, 1e-9) * len(line)))
        return line[:at] + "│" + line[at + 1 :]

    def _curve(self, book: str, names: tuple[str, ...]) -> Curve:
        curves = self.series.program if book == "program" else self.series.machine
        return next((curves[name] for name in names if len(curves.get(name, ())) > 1), [])

    def _value(self, curve: Curve) -> float:
        if self.cursor_s is None:
            return curve[-1][1]
        return curve[max(0, bisect_right(curve, (self.cursor_s, float("inf"))) - 1)][1]

    def _output(self, lines: int) -> list[str]:
        end = None
        if self.cursor_s is not None and self._start_mono_s is not None:
            end = offset_at(self._run, self._start_mono_s + self.cursor_s)
        shown = tail(self._run, lines + self.scrolled, end=end)
        return shown[: len(shown) - self.scrolled] if self.scrolled else shown


def watch(run: RunDir) -> None:
    """Watch until q; without a terminal, print one picture."""
    screen = Screen(run)
    screen.update()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("\n".join(screen.lines(100, 40)))
        return
    with _WholeTerminal() as terminal:
        while True:
            size = shutil.get_terminal_size()
            lines = [fitting(line, size.columns) for line in screen.lines(size.columns, size.lines)]
            _write("\x1b[H" + "\x1b[K\r\n".join(lines) + "\x1b[K\x1b[J")
            keys = _keys()
            if "quit" in keys or terminal.asked_to_end:
                break
            if "suspend" in keys:
                terminal.suspend()
            for key in keys:
                screen.press(key)
            screen.update()


class _WholeTerminal:
    """The alternate screen with keys one by one; given back however we leave."""

    def __init__(self) -> None:
        self.asked_to_end = False
        self._modes = termios.tcgetattr(0)

    def __enter__(self) -> _WholeTerminal:
        self._before = {one: signal.signal(one, self._end) for one in (signal.SIGTERM, signal.SIGHUP)}
        self._take()
        return self

    def __exit__(self, *failure: object) -> None:
        self._give_back()
        for ending, handler in self._before.items():
            signal.signal(ending, handler)

    def suspend(self) -> None:
        self._give_back()
        os.kill(0, signal.SIGTSTP)
        self._take()

    def _end(self, *_: object) -> None:
        self.asked_to_end = True

    def _take(self) -> None:
        tty.setraw(0, termios.TCSANOW)
        _write("\x1b[?1049h\x1b[?25l")

    def _give_back(self) -> None:
        _write("\x1b[?25h\x1b[?1049l")
        termios.tcsetattr(0, termios.TCSANOW, self._modes)


def _keys() -> list[str]:
    """What was pressed, all of it; nothing after a moment."""
    if not select.select([0], [], [], _REFRESH_S)[0]:
        return []
    pressed = _PRESSED.findall(os.read(0, 1024))
    named = {b"q": "quit", b"\x03": "quit", b"\x1a": "suspend"}
    return [named.get(plain, "") if plain else _KEYS.get(special, "") for special, plain in pressed]


def _write(text: str) -> None:
    os.write(1, text.encode("utf-8", "replace"))
