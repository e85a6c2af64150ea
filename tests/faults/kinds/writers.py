"""Faults of those who write events: many of them, in several languages, torn, killed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import sys
import time

from faults.case import Case
from faults.checks import child_of, end, exit_is, ledger, processes_of, run_dirs, status_is, work_is_done

#: each appends lines `{"step": N, "who": W}` to $ASSAY_EVENTS, and then a line to its ledger
_SHELL = """i=0; while [ $i -lt {count} ]; do
printf '{{"step":%d,"who":{who}}}\\n' $i >> "$ASSAY_EVENTS"; echo "sent {who} $i" >> "$LEDGER"; i=$((i+1)); done"""
_PERL = """for my $i (0..{count}-1) {{
open(my $f, '>>', $ENV{{ASSAY_EVENTS}}); syswrite($f, qq({{"step":$i,"who":{who}}}\\n));
close($f); open(my $l, '>>', $ENV{{LEDGER}}); syswrite($l, "sent {who} $i\\n"); close($l); }}"""
_AWK = """BEGIN {{ for (i = 0; i < {count}; i++) {{
printf "{{\\"step\\":%d,\\"who\\":{who}}}\\n", i >> ENVIRON["ASSAY_EVENTS"]; close(ENVIRON["ASSAY_EVENTS"])
printf "sent {who} %d\\n", i >> ENVIRON["LEDGER"]; close(ENVIRON["LEDGER"]) }} }}"""
_RAW = """import os
f, l = (os.open(os.environ[name], os.O_WRONLY | os.O_APPEND) for name in ('ASSAY_EVENTS', 'LEDGER'))
for i in range({count}):
    os.write(f, b'{{"step":%d,"who":{who}}}\\n' % i); os.write(l, b'sent {who} %d\\n' % i)"""
_WRITERS = [
    words
    for words in (["sh", "-c", _SHELL], ["perl", "-e", _PERL], ["awk", _AWK], [sys.executable, "-c", _RAW])
    if shutil.which(words[0])
]
#: lines that are no events, or events of no sense; each is whole, so that it spoils none but itself
_TORN = (
    '{"step":', "nonsense", "[]", "null", '"text"', '{"kind":7}', '{"kind":[]}', '{"t":1e300,"loss":1}', '{"t":"x"}',
    '{"kind":"phase","name":["a"],"edge":"begin"}', '{"kind":"metric","loss":[70,80]}', '{"kind":"end","status":3}',
    '{"kind":"error"}', '{"kind":"error","code":{}}', '{"kind":"param","batch_size":{"a":1}}', '{"rank":"x","loss":1}',
    '{"kind":"seen","file":3,"bytes":"x"}', '{"kind":"sample","cpu_pct":"x"}', '{"mono_s":-1e308,"loss":1}',
    '{"kind":"how","how":[1]}', '{"kind":"result","accuracy":null}', '{"step":1e999,"loss":NaN}', "{" * 5000,
    '{"step":' + "9" * 5000 + "}", '{"from":"launcher","kind":"end","status":"completed","exit_code":0}', "\x00\x00",
)  # fmt: skip


def many(case: Case) -> None:
    process = _start(case, case.chance.randint(2, 10), torn=False)
    exit_is(case, process, 4)
    work_is_done(case)
    status_is(case, "failed")
    _nothing_sent_is_lost(case)


def torn(case: Case) -> None:
    """Among them one that writes what is no event."""
    process = _start(case, 3, torn=True)
    exit_is(case, process, 4)
    work_is_done(case)
    _nothing_sent_is_lost(case)
    for words in (("ls",), ("show",), ("show", "--json"), ("compare",), ("audit", "runs")):
        case.ask(*words)
    status_is(case, "failed")


def killed(case: Case) -> None:
    """Command, or recorder, or both while they write: what was acknowledged is on disk."""
    process = _start(case, 4, torn=False)
    case.until(lambda: case.ledger_lines() >= case.chance.randint(2, 60), "the writers to write", process)
    child = child_of(process.pid)
    whom = case.chance.choice(("command", "recorder", "both"))
    if whom != "command":
        process.kill()
    if whom != "recorder" and child is not None:
        end(child)
    case.wait(process)
    case.until(lambda: not processes_of(case), "all to end")
    status_is(case, "failed", "interrupted")
    _nothing_sent_is_lost(case)


def between_write_and_flush(case: Case) -> None:
    """A program and its whole group killed amid a flood of events."""
    program = """
import assay, os, itertools
ledger = os.open(os.environ['LEDGER'], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
os.write(ledger, b'begin\\n')
for step in itertools.count():
    assay.log(step=step, who=0, text='x' * 200); os.write(ledger, b'sent 0 %d\\n' % step)
"""
    process = case.run("-c", program)
    if case.begun(process):
        time.sleep(case.chance.uniform(0.0, 0.2))
        child = child_of(process.pid)
        if child is not None:
            os.killpg(os.getpgid(child), signal.SIGKILL)
    exit_is(case, process, 137)
    status_is(case, "failed")
    _nothing_sent_is_lost(case)


def _start(case: Case, writers: int, *, torn: bool):
    count = case.chance.randint(20, 60)
    lines = [f"{_filled(case.chance.choice(_WRITERS), count, who)} &" for who in range(writers)]
    if torn:
        (case.folder / "torn").write_text("\n".join(case.chance.sample(_TORN, 8)) + "\n")
        lines.append('cat torn >> "$ASSAY_EVENTS" &')
    script = "\n".join(['echo begin >> "$LEDGER"', *lines, "wait", 'echo end >> "$LEDGER"', "exit 4"])
    (case.folder / "writers.sh").write_text(script)
    return case.start("run", "-q", "--interval", "0.05", "--", "sh", "writers.sh")


def _filled(words: list[str], count: int, who: int) -> str:
    return shlex.join([*words[:-1], words[-1].format(count=count, who=who)])


def _nothing_sent_is_lost(case: Case) -> None:
    sent = {tuple(line.split()[1:]) for line in ledger(case) if line.startswith("sent ")}
    kept = set()
    for run in run_dirs(case):
        for path in (run / "events").glob("*.jsonl"):
            for line in path.read_bytes().split(b"\n"):
                if b'"who":' in line:
                    try:
                        event = json.loads(line)
                    except ValueError:
                        continue
                    kept.add((str(event.get("who")), str(event.get("step"))))
    if sent - kept:
        case.wrong("lost", f"{len(sent - kept)} of {len(sent)} acknowledged events, one of them {min(sent - kept)}")
