"""The summary of a run: flat, the unit in every name, absent rather than invented.

The JSON, its schema, `docs/formats.md`, the tables, the CSV and the live page are all made from this one value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import cast

from assay.model.code import Code
from assay.model.failure import Failure
from assay.model.pace import Pace
from assay.model.part import Part
from assay.model.record import Record, fact
from assay.model.values import NOTHING, Setting, Value, number

#: increased when the same record gives another summary
VERSION = 4
STATUSES = ("queued", "running", "completed", "failed", "interrupted", "unfinished")
HOWS = ("executed", "validated", "simulated", "parsed")
#: where a setting comes from that nobody chose: `default, train.py:12`
DEFAULT = "default, "
#: where other names than fields are looked up, in this order
_INSIDE = ("params", "claims", "metrics", "phases")


@dataclass(frozen=True, kw_only=True)
class Summary(Record):
    """One run, summed up."""

    v: int = fact("Version of the summary.", VERSION)
    id: str = fact("The run's id: UTC time and six random characters, or the hash of what was read.", "")
    name: str = fact("What the run is called.", "")
    source: str | None = fact("The file it was read from, or the command that ran.")
    program: str | None = fact("The script, module or executable that ran.")
    lines: tuple[int, int] | None = fact("First and last line in that file.")
    prose: bool | None = fact("Whether it appears only in prose, without a log.")
    how: str | None = fact("executed, validated, simulated or parsed.")
    system: str | None = fact("The hardware or tool whose log it is, as `assay doctor` names it; else `generic`.")
    device: str | None = fact("What it ran on, if its output names it; in a table of two devices, which of them.")
    engine: str | None = fact("The inference engine.")
    engines: tuple[Mapping[str, Value], ...] = fact("The rows of a program that measures several engines.", ())
    model: str | None = fact("The model.")
    data: str | None = fact("The data set.")
    target: str | None = fact("The kind of hardware it was started for.")
    host: str | None = fact("Where it ran.")
    place: str | None = fact("The place it was sent to.")
    nodes: tuple[str, ...] = fact("The nodes it ran on.", ())
    study: str | None = fact("The study it belongs to.")
    cell: str | None = fact("Its cell of that study.")
    repeat: int | None = fact("Which repeat of the cell it is.")
    seed: int | None = fact("The seed that the study gave it, or that its output reports.")
    warmup: bool | None = fact("Whether it is a warm-up run.")
    again_of: str | None = fact("The run that it repeats.")
    tags: tuple[str, ...] = fact("Tags given with --tag.", ())
    note: str | None = fact("What someone wrote about it on the live page.")
    code: Code | None = fact("Which version of the program ran: `hash`, `script`, `commit`, `dirty`.")
    status: str | None = fact("queued, running, completed, failed, interrupted or unfinished (a log that just stops).")
    exit_code: int | None = fact("What the command returned.")
    job_id: str | None = fact("The scheduler's id for the job; an array task keeps its `_3`.")
    queue_s: float | None = fact("Seconds that the job waited for its start.")
    requested: Mapping[str, float] = fact("What the job asked for: cpus, nodes, gpus, mem_bytes, time_s.", NOTHING)
    used: Mapping[str, float] = fact("Resources it used that have no other field: vmem_bytes.", NOTHING)
    cpu_eff: float | None = fact("CPU time over what was allocated, 0 to 1.")
    mem_eff: float | None = fact("Peak memory over what was allocated, 0 to 1.")
    time_eff: float | None = fact("Wall time over the time limit, 0 to 1.")
    attempts: int | None = fact("How often the scheduler started it.")
    started: str | None = fact("When it was started or submitted, in UTC.")
    dated: str | None = fact("The first date in the log of an imported run, in the time zone of the log.")
    ended: str | None = fact("When it ended, in UTC.")
    wall_s: float | None = fact("Seconds from start to end.")
    params: Mapping[str, Setting] = fact("Settings that the evidence shows were in effect.", NOTHING)
    claims: Mapping[str, Setting] = fact("Settings as someone stated them: a command, a page, --param.", NOTHING)
    claim_sources: Mapping[str, str] = fact(
        "Where each was stated: command, config FILE, --param, --env, study, text, file name, or `default, FILE:LINE`.",
        NOTHING,
    )
    steps: int | None = fact("Training steps.")
    epochs: float | None = fact("Passes over the data.")
    samples: float | None = fact("Samples that were trained on.")
    tokens: float | None = fact("Tokens that were trained on.")
    train_s: float | None = fact("Seconds of training.")
    loss: float | None = fact("The last training loss.")
    val_loss: float | None = fact("The last validation loss.")
    test_loss: float | None = fact("The loss of the test set.")
    not_finite: Mapping[str, str] = fact("Losses that became NaN or infinite: `loss` is `NaN at step 10`.", NOTHING)
    accuracy: float | None = fact("Accuracy, 0 to 1: of the test set, else of validation, else of training.")
    accuracy_of: str | None = fact("The data on which the accuracy was measured: test, val or train.")
    metrics: Mapping[str, float] = fact("Every other figure that the program reported.", NOTHING)
    objective: Mapping[str, Value] = fact(
        "The figure to compare first: `name`, `value`, `better` (lower or higher), and `why` it is that one.", NOTHING
    )
    samples_per_s: float | None = fact("The last rate that was printed, ranks added up.")
    samples_per_s_avg: float | None = fact("All samples over all seconds of training, as reported, ranks added up.")
    samples_per_s_own: float | None = fact("All samples over all seconds of training, as we counted.")
    samples_per_s_steady: float | None = fact("The same without the warm-up, from where the rate was steady.")
    pace: Pace | None = fact(
        "How evenly it trained: `steady`, `moves`, `change`, `from_step`, `left_out_s`, `left_out_share`, `error`."
    )
    ranks: tuple[Mapping[str, Value], ...] = fact(
        "Ranks with separate figures: rank, rates, how long each waited for the slowest; where each has a recorder, "
        "also node, status, exit_code, wall_s, cpu_s and memory_bytes_max.",
        (),
    )
    by_node: tuple[Mapping[str, Value], ...] = fact(
        "What each node used, where there are several: node, cpu_s, cpu_pct_mean, memory_bytes_max.", ()
    )
    tokens_per_s: float | None = fact("Tokens per second of training, of all devices together.")
    tokens_per_s_per_device: float | None = fact("Tokens per second of training, of one device.")
    tflops_per_device: float | None = fact("Teraflops per second of one device, as reported.")
    mfu: float | None = fact("Model FLOPs utilisation, 0 to 1, as reported.")
    requests: int | None = fact("Requests that succeeded.")
    requests_failed: int | None = fact("Requests that did not.")
    requests_per_s: float | None = fact("Completed requests per second.")
    input_tokens: int | None = fact("Prompt tokens of all requests.")
    output_tokens: int | None = fact("Generated tokens of all requests.")
    prompt_tokens_per_s: float | None = fact("Prompt tokens per second, over all requests at once.")
    output_tokens_per_s: float | None = fact("Generated tokens per second, over all requests at once.")
    total_tokens_per_s: float | None = fact("Prompt and generated tokens per second together.")
    ttft_mean_ms: float | None = fact("Time to the first token: mean.")
    ttft_p50_ms: float | None = fact("Time to the first token: median.")
    ttft_p90_ms: float | None = fact("Time to the first token: 90 % of requests stay under it.")
    ttft_p99_ms: float | None = fact("Time to the first token: 99 % of requests stay under it.")
    tpot_mean_ms: float | None = fact("Time per output token after the first: mean.")
    tpot_p50_ms: float | None = fact("Time per output token after the first: median.")
    tpot_p90_ms: float | None = fact("Time per output token after the first: 90 % of requests stay under it.")
    tpot_p99_ms: float | None = fact("Time per output token after the first: 99 % of requests stay under it.")
    itl_mean_ms: float | None = fact("Time between two tokens: mean.")
    itl_p50_ms: float | None = fact("Time between two tokens: median.")
    itl_p90_ms: float | None = fact("Time between two tokens: 90 % of requests stay under it.")
    itl_p99_ms: float | None = fact("Time between two tokens: 99 % of requests stay under it.")
    e2e_mean_ms: float | None = fact("Time of a whole request: mean.")
    e2e_p50_ms: float | None = fact("Time of a whole request: median.")
    e2e_p90_ms: float | None = fact("Time of a whole request: 90 % of requests stay under it.")
    e2e_p99_ms: float | None = fact("Time of a whole request: 99 % of requests stay under it.")
    utilisation: float | None = fact("The accelerator's own utilisation, 0 to 1.")
    latency_ms: float | None = fact("Mean latency of an inference.")
    latency_p50_ms: float | None = fact("Median latency.")
    latency_p90_ms: float | None = fact("Latency that 90 % of inferences stay under.")
    latency_p99_ms: float | None = fact("Latency that 99 % of inferences stay under.")
    inferences_per_s: float | None = fact("Inferences per second, from host to host.")
    on_chip_latency_ms: float | None = fact("Latency on the chip alone.")
    on_chip_inferences_per_s: float | None = fact("Inferences per second on the chip alone.")
    phases: Mapping[str, float] = fact("Seconds of each phase, with all that happens inside it.", NOTHING)
    phase_shares: Mapping[str, float] = fact(
        "Share of the wall time by innermost phase; with `other` they sum to 1.", NOTHING
    )
    cpu_pct_mean: float | None = fact("Mean CPU use, in per cent of one core.")
    cpu_pct_max: float | None = fact("Peak CPU use between two samples.")
    cpu_s: float | None = fact("CPU time of all processes.")
    memory_bytes_max: int | None = fact(
        "The most memory that the process tree held at once: what its processes share counted once, in full."
    )
    rss_bytes_mean: int | None = fact("Mean resident memory of the process tree.")
    rss_bytes_max: int | None = fact("Highest resident memory of the process tree.")
    rss_bytes_peak: int | None = fact("The largest resident size of any one process, from the kernel.")
    pss_bytes_mean: int | None = fact("Mean proportional size (PSS) of the process tree.")
    pss_bytes_max: int | None = fact("Highest proportional size (PSS) of the process tree.")
    parts: tuple[Part, ...] = fact("The programs that the command ran, where there are several: the largest ten.", ())
    read_bytes: int | None = fact("Bytes read from disk.")
    write_bytes: int | None = fact("Bytes written to disk.")
    cpu_wait_pct: float | None = fact("Share of the time in which a process waited for a CPU, by the kernel (PSI).")
    memory_wait_pct: float | None = fact("Share of the time in which a process waited for memory, by the kernel (PSI).")
    io_wait_pct: float | None = fact("Share of the time in which a process waited for a disk, by the kernel (PSI).")
    gpus_used: int | None = fact("GPUs that the run used.")
    gpu_util_pct_mean: float | None = fact(
        "GPU utilisation: mean share of time in which any kernel ran, however little of the chip it used."
    )
    gpu_sm_pct_mean: float | None = fact("Mean share of the GPU's processors (SMs) that were busy.")
    gpu_tensor_pct_mean: float | None = fact("Mean share of time in which the GPU's tensor cores worked.")
    gpu_dram_pct_mean: float | None = fact("Mean share of the GPU's memory bandwidth that was used.")
    gpu_mem_bytes_max: int | None = fact("Highest GPU memory of the run.")
    energy_j: float | None = fact("Energy.")
    energy_source: str | None = fact("How the energy was measured or estimated, or why it is absent.")
    compile_cached: bool | None = fact("Whether a compiled file was reused.")
    beside: tuple[str, ...] = fact("Other Assay runs on the machine at the same time.", ())
    throttled: tuple[str, ...] = fact("Why the GPU ran slower than it could.", ())
    own_cpu_s: float | None = fact("CPU time of the recorder itself.")
    error: Failure | None = fact("Why it failed.")
    problems: tuple[str, ...] = fact("Parts of the record that could not be read.", ())
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)

    @classmethod
    def trusted(cls, raw: dict[str, object]) -> Summary:
        """A summary from JSON that we wrote ourselves: its types are not checked, which is faster. `raw` is changed."""
        made = object.__new__(cls)
        for name in _LISTS:
            if name in raw:
                raw[name] = tuple(cast("Iterable[object]", raw[name]))
        if "parts" in raw:
            raw["parts"] = tuple(map(Part.of, cast("Iterable[object]", raw["parts"])))
        if "error" in raw:
            raw["error"] = Failure.of(raw["error"])
        if "pace" in raw:
            raw["pace"] = Pace.of(raw["pace"])
        if "code" in raw:
            code = object.__new__(Code)
            object.__setattr__(code, "__dict__", raw["code"])
            raw["code"] = code
        if not raw.keys() <= FIELDS:
            raw["extra"] = {name: raw.pop(name) for name in raw.keys() - FIELDS}
        object.__setattr__(made, "__dict__", raw)
        return made

    @property
    def settings(self) -> dict[str, Setting]:
        """Settings that were in effect; for the others, what was stated."""
        return {**self.claims, **self.params}

    @property
    def chosen(self) -> dict[str, Setting]:
        """Claims that someone made: all but the defaults of the source."""
        sources = self.claim_sources
        return {name: one for name, one in self.claims.items() if not sources.get(name, "").startswith(DEFAULT)}

    @property
    def handle(self) -> str:
        """`train-bs64 (x1y2z3)`: its name, and the letters of its id by which every command takes it."""
        return f"{self.name} ({self.id[-6:]})" if len(self.id) > 6 else self.name

    @property
    def is_simulated(self) -> bool:
        return self.how == "simulated"

    @property
    def throughput(self) -> float | None:
        """Samples per second of training if known, else the average that the program reports, else its last rate."""
        rates = (self.samples_per_s_own, self.samples_per_s_avg, self.samples_per_s)
        return next((rate for rate in rates if rate is not None), None)

    def by_engine(self) -> tuple[Summary, ...]:
        """Each way in which the program measured itself; none where there is only one."""
        return tuple(map(Summary.of, self.engines))

    def value(self, name: str) -> object:
        """The value with this name: a field, a setting, a metric, a phase, or `params.lr`; None if there is none."""
        held = self.__dict__  # whatever was set, and neither methods nor defaults
        found = held.get(name)
        if found or found == 0:
            return found
        if name in _MEASURED:
            return None  # `--accuracy 0.9` on a command line is a setting, not a result
        if "extra" in held and name in self.extra:
            return self.extra[name]
        for place in _INSIDE:
            inner = held.get(place)
            if inner and name in inner:
                return inner[name]
        return self._inside(*name.split(".", 1)) if "." in name else None

    def _inside(self, head: str, rest: str) -> object:
        outer = self.__dict__.get(head) or self.extra.get(head)
        inner = outer.as_json() if isinstance(outer, Record) else outer
        return inner.get(rest) if isinstance(inner, Mapping) else None

    def figure(self, name: str) -> float | None:
        """The value with this name if it is a finite number, else None."""
        return number(self.value(name))

    def reported(self, name: str) -> float | None:
        """A figure of the run itself, and never a setting: a field or a metric."""
        found = number(self.__dict__.get(name))
        return self.metrics.get(name) if found is None else found

    def figures(self, names: Iterable[str]) -> dict[str, float]:
        """Those of these fields that hold a number, in the given order."""
        held = self.__dict__
        if isinstance(names, frozenset):  # most runs know few of many
            names = held.keys() & names
        return {name: value for name in names if type(value := held.get(name)) is float or type(value) is int}

    def single(self) -> dict[str, Value]:
        """The fields that hold one value each."""
        return {name: value for name, value in self.as_json().items() if isinstance(value, (str, int, float))}

    @property
    def names(self) -> set[str]:
        """All that `value` knows by a name without a dot."""
        found = {name for name, value in self.__dict__.items() if value or value == 0}
        return found.union(self.params, self.claims, self.metrics, self.phases, self.extra) - {"extra"}


#: all that a summary can hold
FIELDS = frozenset(field.name for field in fields(Summary))
#: results, for which a setting of the same name is never used
_MEASURED = frozenset(field.name for field in fields(Summary) if str(field.type).startswith(("int |", "float |"))) - {
    "seed",
    "epochs",
    "repeat",
    "attempts",
}
_LISTS = frozenset(field.name for field in fields(Summary) if str(field.type).startswith("tuple"))
