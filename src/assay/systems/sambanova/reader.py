"""SambaNova: the BERT-large launcher and its two logs (compile, training), Model Zoo scripts, the older starter apps.

    COMPILE START AT 0 / COMPILE END AT 780 / Submitted batch job 30451 / Duration:  781
    … info - epoch:0|local_step:505|global_step:505|average_loss:8.23756|step_loss:8.2|learning_rate:7.06e-06
    … info - {'e2e_train_time': 449.95, 'training_sequences_per_second': 588431.5, 'final_loss': 8.25, …}

Two traps: `training_sequences_per_second` counts tokens (samples × 128), and `Duration` of a launcher is the compile,
or nothing at all where the compiled file was there already. Runs of one hour append to one file.
"""

from __future__ import annotations

import ast
import re

from assay.core.dates import minute, moment
from assay.lines import Line
from assay.model.event import Event, metric
from assay.reading.reader import NEW, Answer, figure, fraction
from assay.systems.sambanova.launcher import Launcher

_NUMBER = r"[-+]?(?:\d[\d,]*(?:\.\d*)?(?:[eE][-+]?\d+)?|nan|inf)"
_STEP = re.compile(
    rf"epoch:\s*(?P<epoch>\d+)\|local_step:\s*\d+\|global_step:\s*(?P<step>\d+)\|average_loss:\s*(?P<average>{_NUMBER})"
    rf"(?:\|step_loss:\s*(?P<loss>{_NUMBER}))?(?:.{0, 300}?learning_rate:\s*(?P<lr>{_NUMBER}))?"
)
_DICT = re.compile(r"\{[^{}]*?[\"'](?:e2e_train_time|training_s\w{1,40}_per_second)[\"'][^{}]*\}?")
_ENTRY = re.compile(rf"[\"'](?P<name>\w+)[\"']:\s*(?P<value>{_NUMBER})")
_PROCESS = re.compile(r"- Process ID (?P<pid>\d+) -")
_VARIABLE = re.compile(r"^\W*(?P<name>SLURM_(?:NTASKS|NNODES|JOB_NUM_NODES|NPROCS|JOB_ID))=(?P<value>\d+)\s*$")
_KILLED = re.compile(r"srun: error: (?P<host>[\w.-]+): tasks? (?P<tasks>[\d,-]+): ")
_ZOO_STEP = re.compile(
    rf"Epoch \[(?P<epoch>\d+)/(?P<epochs>\d+)\],\s*Step \[(?P<step>[\d,]+)/(?P<steps>[\d,]+)\],"
    rf"\s*Loss:\s*(?P<loss>{_NUMBER})"
)
_ZOO_SETTING = re.compile(
    r"^\s*(?P<name>Number of epochs|Batch size|Number of batches \(steps\)):\s*(?P<value>[\d,]+)\s*$"
)
_TEST = re.compile(rf"Test Accuracy:\s*(?P<accuracy>{_NUMBER})\s+Loss:\s*(?P<loss>{_NUMBER})")
_LATENCY = re.compile(rf"e2e_latency:\s*(?P<seconds>{_NUMBER}) seconds, throughput:\s*(?P<rate>{_NUMBER}) samples/s")
_TOKENS_OVERALL = re.compile(rf"^\s*tokens/second overall\s+(?P<rate>{_NUMBER})\s*$")
#: the same figures without their braces, as people paste the end of a log
_BARE = re.compile(rf"^\W*[\"'](?:e2e_train_time|training_s\w{{1,40}}_per_second|final_loss)[\"']:\s*{_NUMBER}")
_TOTAL_LATENCY = re.compile(rf"Total Latency\s+(?P<seconds>{_NUMBER})s")
_FINISHED = re.compile(r"NLP app finished|Finished training\.")
_PROOF = re.compile(
    r"sambaflow|transformers_on_rdu|SambaConnector|\[SAMBA\]|DataScale SN|XRDU_\d|\[MAC\]|samba-runtime|"
    r"sn_create_session",
    re.IGNORECASE,
)
_OWN = re.compile(
    rf"{_PROOF.pattern}|BertLarge|COMPILE (?:START|END) AT|(?:COMPILE|RUN) COMMAND|local_step:|e2e_|- Process ID \d+ -"
    r"|training_s\w{1,40}_per_second",
    re.IGNORECASE,
)


_HOT = re.compile(
    rb"[^\n\r\x1b]{0,200}?(\d{4}-\d\d-\d\d \d\d:\d\d):(\d\d,\d{3}) - [\w.]+ - Process ID (\d+) - info\s+- "
    rb"epoch:\d+\|local_step:\d+\|"
    rb"global_step:(\d+)\|average_loss:[-+.\deE]+\|step_loss:([-+.\deE]+)(?![-+.\deE])[^\r\n\x1b]*\n"
)


class SambaNova(Launcher):
    """One run on RDUs: a launcher's log or a training's."""

    name = "sambanova"
    system = "sambanova"
    hot = _HOT
    own = _OWN
    anchors = (
        "model:", "compile ", "submitted batch job", "duration:", "run command", "global_step:", "e2e_", "final_loss",
        "process id", "slurm_n", "slurm_job", "tasks", "epoch [", "number of", "batch size:", "test accuracy",
        "total latency", "app finished", "finished training", "samba", "rdu", "training_s",
        "tokens/second overall",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._step: int | None = None
        self._result: dict[str, float] = {}
        self._result_line = 0
        self._processes: set[str] = set()
        self._tasks: set[int] = set()
        self._hosts: set[str] = set()
        self._variables: dict[str, int] = {}
        self._variable_line = 0
        self._zoo = False
        self._first_t: float | None = None
        self._last_t: float | None = None

    def read(self, line: Line) -> Answer:
        answer = self.look_up(line, line.text)
        process = _PROCESS.search(line.text) if answer is not NEW else None
        if process:
            self._processes.add(process["pid"])
        return answer

    def otherwise(self, line: Line, text: str) -> Answer:
        return [] if _PROCESS.search(text) or _PROOF.search(text) else None

    def _progress(self, line: Line, found: re.Match[str]) -> Answer:
        step, t = int(found["step"]), moment(line.text)
        if self._over() or (self._step is not None and step < self._step):
            return NEW
        if step == self._step:
            return []  # another task reports the same step
        self._step, self.strong = step, True
        self._first_t = t if self._first_t is None else self._first_t
        self._last_t = t
        loss = figure(found["average"]) if found["loss"] is None else figure(found["loss"])
        return [self.fact("metric", line, t, step=step, loss=loss)]

    def read_hot(self, found: re.Match[bytes], number: int) -> Event | None:
        stamp, seconds, pid, step_text, loss = found.groups()
        step, base = int(step_text), minute(stamp)
        if self._step is None or step <= self._step or self._over() or base is None:
            return None
        self._processes.add(pid.decode())
        t = base + float(seconds.replace(b",", b"."))
        self._step, self._last_t = step, t
        return metric("reader:sambanova", number, t, {"step": step, "loss": float(loss)})

    def _dictionary(self, line: Line, found: re.Match[str]) -> Answer:
        return self._results(line, _values(found[0]))

    def _bare(self, line: Line, found: re.Match[str]) -> Answer:
        values = _values(line.text)
        return self._results(line, values if len(values) > 1 and "final_loss" in values else {})

    def _results(self, line: Line, values: dict[str, float]) -> Answer:
        if not values:
            return None
        if self._result:
            return [] if values == self._result else NEW
        self._result, self._result_line = values, line.number
        self.strong = True
        self.ended = True
        facts = {
            "train_s": values.get("e2e_train_time"),
            "tokens_per_s": values.get("training_sequences_per_second"),
            "samples_per_s": values.get("training_samples_per_second"),
            "loss": values.get("final_loss"),
        }
        facts = {name: value for name, value in facts.items() if value is not None}
        return [self.fact("result", line, moment(line.text), facts)]

    def _variable(self, line: Line, found: re.Match[str]) -> Answer:
        if found["name"] in self._variables and self.ended:
            return NEW
        self._variables.setdefault(found["name"], int(found["value"]))
        self._variable_line = line.number
        return []

    def _killed(self, line: Line, found: re.Match[str]) -> Answer:
        if not (self.strong or self.failed):
            return None
        self._hosts.add(found["host"])
        for part in found["tasks"].split(","):
            first, _, last = part.partition("-")
            if first.isdigit() and (last or first).isdigit() and int(last or first) - int(first) < 10000:
                self._tasks.update(range(int(first), int(last or first) + 1))
        return None  # the scheduler's reader has something to say of it, too

    def _zoo_step(self, line: Line, found: re.Match[str]) -> Answer:
        step = int(found["step"].replace(",", "")) + (int(found["epoch"]) - 1) * int(found["steps"].replace(",", ""))
        if self._over() or (self._step is not None and step < self._step):
            return NEW
        first = self._step is None
        self._step, self._zoo, self.strong = step, True, True
        events = [self.fact("metric", line, step=step, loss=figure(found["loss"]))]
        return [self.fact("param", line, epochs=int(found["epochs"])), *events] if first else events

    def _zoo_setting(self, line: Line, found: re.Match[str]) -> Answer:
        if self._over():
            return NEW
        names = {"Number of epochs": "epochs", "Batch size": "batch_size"}
        name = names.get(found["name"])
        return [self.fact("param", line, None, {name: int(found["value"].replace(",", ""))})] if name else []

    def _test(self, line: Line, found: re.Match[str]) -> Answer:
        accuracy = figure(found["accuracy"])
        self.strong = self.ended = True
        self._end_line = line.number
        facts = {"accuracy": fraction(accuracy), "test_loss": figure(found["loss"])}
        return [self.fact("result", line, None, facts)]

    def _latency(self, line: Line, found: re.Match[str]) -> Answer:
        self.strong = self.ended = True
        self._end_line = line.number
        return [self.fact("result", line, wall_s=figure(found["seconds"]), samples_per_s=figure(found["rate"]))]

    def _total_latency(self, line: Line, found: re.Match[str]) -> Answer:
        self.strong = self.ended = True
        self._end_line = line.number
        seconds = figure(found["seconds"]) or 0.0
        return [self.fact("result", line, total_latency_s=seconds, latency_ms=round(1000 * seconds, 9))]

    def _tokens_overall(self, line: Line, found: re.Match[str]) -> Answer:
        return [self.fact("result", line, tokens_per_s=figure(found["rate"]))] if self.strong else None

    def _finished(self, line: Line, found: re.Match[str]) -> Answer:
        if "Finished training" in line.text and not self._zoo:
            return None
        self.strong = True
        if self._zoo:
            self.ended = True
            self._end_line = line.number
        return []

    def _over(self) -> bool:
        return self.failed or self._duration is not None or bool(self._result)

    def _worked_out(self) -> list[Event]:
        """Tasks, nodes and samples: from the scheduler's variables, the processes that spoke, or the rate itself."""
        facts: dict[str, object] = {}
        tasks = self._variables.get("SLURM_NTASKS") or self._variables.get("SLURM_NPROCS")
        if tasks is None and self._tasks:
            tasks = max(self._tasks) + 1
        if tasks is None and len(self._processes) > 1 and self._step is not None:
            tasks = len(self._processes)
        if tasks is None or self._contradicted(tasks):
            tasks = self._tasks_by_rate() or tasks
        ended_all = self.failed and len(self._tasks) > 1 and len(self._tasks) == tasks
        if tasks is not None and (self._step is not None or self._result or ended_all):
            facts["num_tasks"] = tasks
        nodes = self._variables.get("SLURM_NNODES") or self._variables.get("SLURM_JOB_NUM_NODES") or len(self._hosts)
        if nodes and self._step is not None:
            facts["num_nodes"] = nodes
        number = self._variable_line or self._result_line
        return [self.fact("param", number, None, facts)] if facts else []

    def _contradicted(self, tasks: int) -> bool:
        by_rate = self._tasks_by_rate()
        return by_rate is not None and by_rate != tasks and not self._variables

    def _tasks_by_rate(self) -> int | None:
        rate = self._result.get("training_samples_per_second")
        if rate is None and "training_sequences_per_second" in self._result:
            rate = self._result["training_sequences_per_second"] / self._tokens
        seconds = self._result.get("e2e_train_time")
        if rate is None or not seconds or not self._step or self._zoo:
            return None
        tasks = rate * seconds / (self._step * self._per_task)
        return round(tasks) if tasks > 0.9 and abs(tasks - round(tasks)) < 0.01 * tasks else None

    def finish(self) -> list[Event]:
        events = self._worked_out()
        tasks = events[0].figure("num_tasks") if events else None
        if tasks and self._step and self._result and not self._zoo:
            samples = self._step * self._per_task * tasks
            events.append(self.fact("result", self._result_line, samples=samples))
        if self._first_t is not None and self._last_t is not None and self._result:
            events.append(
                self.fact("phase", self._result_line, name="train", seconds=self._result.get("e2e_train_time", 0.0))
            )
        # what failed after a compile was never trained, however long the launcher says that it took
        done = bool(self._result) if self.failed and self._compiled else self.ended or self._compiled
        outcome = "failed" if self.failed and not done else "completed" if done else "unfinished"
        events.append(self.fact("end", self._end_line or self._result_line, status=outcome))
        return events

    table = (
        (_FINISHED, _finished),
        (_STEP, _progress),
        (_DICT, _dictionary),
        (_BARE, _bare),
        *Launcher.launching,
        (_VARIABLE, _variable),
        (_KILLED, _killed),
        (_ZOO_STEP, _zoo_step),
        (_ZOO_SETTING, _zoo_setting),
        (_TEST, _test),
        (_LATENCY, _latency),
        (_TOTAL_LATENCY, _total_latency),
        (_TOKENS_OVERALL, _tokens_overall),
    )


def _values(text: str) -> dict[str, float]:
    """The values of a printed dictionary, complete or cut at the width of a pasted line."""
    try:
        parsed = ast.literal_eval(text)
        if isinstance(parsed, dict):
            return {str(name): float(value) for name, value in parsed.items() if isinstance(value, (int, float))}
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        pass
    found = {name: figure(value) for name, value in _ENTRY.findall(text)}
    return {name: value for name, value in found.items() if value is not None}
