"""The program under measurement: it counts, reports and prints each step, and keeps a ledger of what it has done.

    measured.py STEPS PAUSE_S EXIT_CODE die|listen

A line of the ledger is written after the call it speaks of has returned: what it says was logged must be on disk,
whatever happens next. With `listen`, TERM, INT and HUP make it leave of its own accord, with code 7.
"""

import os
import signal
import sys
import time

import assay

steps, pause_s, code, on_term = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
ledger = os.open(os.environ["LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)


def note(text: str) -> None:
    os.write(ledger, text.encode() + b"\n")


def leave(number: int, frame: object) -> None:
    note(f"heard {number}")
    os._exit(7)


for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, leave if on_term == "listen" else signal.SIG_DFL)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # no words of Python's own among what is looked at
note("begin")
for step in range(steps):
    assay.log(step=step, loss=1 / (step + 1))
    note(f"logged {step}")
    os.write(1, b"step %d loss %.6f\n" % (step, 1 / (step + 1)))
    note(f"printed {step}")
    time.sleep(pause_s)
note("end")
os._exit(code)
