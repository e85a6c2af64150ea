"""GNU time: `/usr/bin/time -v`, and what the shell's own `time` prints.

    Command being timed: "python example.py --size=50000000"
    User time (seconds): 54.44
    Percent of CPU this job got: 84%
    Elapsed (wall clock) time (h:mm:ss or m:ss): 1:05.97
    Maximum resident set size (kbytes): 1993080
    Exit status: 0
    real    1m2.345s                                    real 62.34
    user    3m20.120s                                   user 200.12
    sys     0m5.005s                                    sys 5.00
    python train.py  120.31s user 4.20s system 180% cpu 1:09.11 total                                  of zsh

The trap: the largest size is that of one process, not of all; and a word before the block says that it failed.
"""

from __future__ import annotations

import re

from assay.lines import Line
from assay.readers.accounting.account import Account, Format
from assay.readers.accounting.amounts import seconds
from assay.readers.accounting.states import State
from assay.reading.reader import NEW, Answer, figure

_COMMAND = re.compile(r"\s*Command being timed: \"(?P<command>.*)\"\s*$")
_STOPPED = re.compile(
    r"\s*Command (?:exited with non-zero status (?P<code>\d+)|terminated by signal (?P<signal>\d+))\s*$"
)
_SHORT = re.compile(
    r"(?P<user>[\d.]+)user (?P<system>[\d.]+)system (?P<elapsed>[\d:.]+)elapsed (?P<percent>\d+)%CPU "
    r"\(\d+avgtext\+\d+avgdata (?P<rss>\d+)maxresident\)k"
)
_SHELL = re.compile(r"(?P<what>real|user|sys)\s+(?:(?P<m>\d{1,6})m)?(?P<s>\d{1,9}(?:[.,]\d{1,9})?)(?P<unit>s?)")
_ZSH = re.compile(
    r"(?P<user>[\d.]{1,12})s user (?P<system>[\d.]{1,12})s system (?P<percent>\d{1,6})% cpu "
    r"(?P<elapsed>[\d:.]{1,15}) total$"
)
_PAIR = re.compile(r"\s*(?P<label>[A-Z][\w ()/:-]{3,50}?)\s*: (?P<value>[\d.:]+|\?)%?\s*$")
_LABELS = {
    "User time (seconds)": "user", "System time (seconds)": "system", "Percent of CPU this job got": "cpu_pct_mean",
    "Elapsed (wall clock) time (h:mm:ss or m:ss)": "wall_s", "Maximum resident set size (kbytes)": "rss_bytes_max",
    "Exit status": "exit",
}  # fmt: skip


class TimeV(Format):
    """From the command to its exit status."""

    anchors = (
        "command being timed", "command exited", "command terminated", "time (seconds)", "percent of cpu",
        "elapsed (wall clock)", "maximum resident",
        "exit status", "maxresident",
        "real\t", "% cpu ", "real  ", *(f"real {digit}" for digit in range(10)),
    )  # fmt: skip

    def __init__(self) -> None:
        self._user_s: float | None = None
        self._inside = False
        self._shell: dict[str, float] | None = None  # what the shell's `time` has said so far

    def read(self, account: Account, line: Line, text: str) -> Answer:
        found = _STOPPED.match(text)
        if found:
            return self._stopped(account, line, found)
        found = _COMMAND.match(text)
        if found:
            if account.facts:
                return NEW
            self._user_s, self._inside = None, True
            account.strong = True
            return [account.fact("how", line, command=found["command"][:500])]
        found = _SHORT.match(text) or (_ZSH.search(text) if text.endswith(" total") else None)
        if found:
            return self._short(account, line, found)
        found = _SHELL.fullmatch(text.strip()) if len(text) < 40 else None
        if found or self._shell is not None:
            return self._of_shell(account, line, found)
        found = _PAIR.match(text) if self._inside else None
        name = _LABELS.get(found["label"]) if found else None
        return self._pair(account, line, name, found["value"]) if found and name else None

    def _of_shell(self, account: Account, line: Line, found: re.Match[str] | None) -> Answer:
        """Three lines that make sense together alone: `real`, `user`, `sys`."""
        before, self._shell, account.in_table = self._shell or {}, None, False
        if found is None or found["what"] != ("real", "user", "sys")[len(before)]:
            return None
        held = {**before, found["what"]: 60 * int(found["m"] or 0) + float(found["s"].replace(",", "."))}
        if found["what"] != "sys":
            self._shell, account.in_table = held, True
            return []
        answer = account.tell(line, {"wall_s": held["real"], "cpu_s": round(held["user"] + held["sys"], 6)})
        account.ended = isinstance(answer, list)
        return answer

    def _short(self, account: Account, line: Line, found: re.Match[str]) -> Answer:
        """What it prints without `-v`."""
        facts = {"cpu_s": round(float(found["user"]) + float(found["system"]), 6), "wall_s": seconds(found["elapsed"]),
                 "cpu_pct_mean": float(found["percent"])}  # fmt: skip
        most = found.groupdict().get("rss")
        answer = account.tell(line, {**facts, **({"rss_bytes_max": int(most) * 1024} if most else {})})
        account.ended = isinstance(answer, list)
        return answer

    def _stopped(self, account: Account, line: Line, found: re.Match[str]) -> Answer:
        if account.facts:
            return NEW
        if found["signal"]:
            state = State(
                "failed", "out-of-memory" if found["signal"] == "9" else "crashed", "see the end of its output"
            )
            state = state if found["signal"] != "2" else State("interrupted", "interrupted", "stopped by hand")
            return account.end(line, state, 128 + int(found["signal"]), line.text.strip())
        return account.end(
            line, State("failed", "unknown", "see the end of its output"), int(found["code"]), line.text.strip()
        )

    def _pair(self, account: Account, line: Line, name: str, value: str) -> Answer:
        if name == "wall_s":
            return account.tell(line, {"wall_s": seconds(value)})
        number = figure(value)
        if number is None:
            return []
        if name == "user":
            self._user_s = number
            return []
        if name == "system":
            return account.tell(line, {"cpu_s": round(number + (self._user_s or 0.0), 6)})
        if name == "rss_bytes_max":
            return account.tell(line, {"rss_bytes_max": int(number) * 1024})
        if name == "exit":
            self._inside, account.ended = False, True
            return account.end(line, None, account.exit_code if account.state else int(number))
        return account.tell(line, {name: number})
