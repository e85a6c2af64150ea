"""Figures are over the seconds that were spent on them, and a bar is drawn for people alone."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from running import environment

from assay_workloads.report import NotFinite, Reporter, peak_flops

TALKS = """
from assay_workloads.report import Reporter
reporter = Reporter(total_steps=4, log_every=2)
with reporter.phase('train'):
    for step in range(1, 5):
        if reporter.due(step): reporter.log(step=step, samples=8 * step, losses=[0.5, 0.25])
reporter.result(samples=32, accuracy=0.5)
"""


def test_the_clock_of_training_stops_for_what_is_inside_it() -> None:
    reporter = Reporter(total_steps=10, log_every=5, speaks=False)
    with reporter.phase("load"):
        assert reporter.seconds() == 0
    with reporter.phase("train"):
        with reporter.phase("eval"):
            stopped = reporter.seconds()
            assert sum(range(100_000)) and reporter.seconds() == stopped
        sum(range(100_000))
        assert reporter.seconds() > stopped
    ended = reporter.seconds()
    assert sum(range(100_000)) and reporter.seconds() == ended


def test_the_step_at_which_a_loss_broke_is_named() -> None:
    reporter = Reporter(total_steps=100, log_every=5, speaks=False)
    with pytest.raises(NotFinite) as broken:
        reporter.log(step=20, samples=160, losses=[1.0, 0.9, float("nan"), 0.8, float("inf")])
    assert broken.value.step == 18


def test_figures_are_due_every_so_often_and_at_the_end() -> None:
    reporter = Reporter(total_steps=12, log_every=5, speaks=False)
    assert [step for step in range(1, 13) if reporter.due(step)] == [5, 10, 12]


def test_a_resumed_run_counts_on() -> None:
    reporter = Reporter(total_steps=12, log_every=5, speaks=False)
    reporter.go_on_from(800, 2.0)
    found = reporter.result(samples=800)
    assert (found["train_s"], found["samples_per_s_avg"]) == (2.0, 400.0)


def test_a_pipe_gets_lines_and_a_terminal_a_bar() -> None:
    piped = subprocess.run([sys.executable, "-c", TALKS], env=environment(), capture_output=True, text=True, check=True)
    assert piped.stdout.startswith("step 2/4  loss 0.3750") and "\r" not in piped.stdout + piped.stderr
    ours, theirs = pty.openpty()
    child = subprocess.Popen([sys.executable, "-c", TALKS], env=environment(), stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:  # the other end is closed: how Linux tells the end of a terminal
            break
        if not block:
            break
        seen += block
    assert child.wait() == 0
    os.close(ours)
    assert "100 %  loss 0.3750" in seen.decode() and b"step 2/4" not in seen
    assert b"accuracy=0.5" in seen


def test_the_peak_of_a_cpu_is_not_made_up() -> None:
    assert peak_flops("cpu", "fp32") is None


def test_the_peak_of_memory_is_our_own_and_not_of_whoever_started_us() -> None:
    big = (
        "import subprocess, sys; held = bytearray(600 << 20); held[::4096] = b'x' * len(held[::4096])\n"
        "asks = 'from assay_workloads.report import peak_memory_bytes; print(peak_memory_bytes(sys.argv[1]))'\n"
        "subprocess.run([sys.executable, '-c', 'import sys; ' + asks, 'cpu'], check=True)"
    )
    done = subprocess.run([sys.executable, "-c", big], env=environment(), capture_output=True, text=True, check=True)
    assert 1 << 20 < int(done.stdout) < 500 << 20
