"""run.json: what was asked for, on which machine, with which code; of an imported run, where it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.model.code import Code
from assay.model.record import LAST_T, Record, fact
from assay.model.values import NOTHING, Value

#: raised when a file of a run can no longer be understood by an older Assay
FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Host(Record):
    """The machine that a run began on."""

    name: str | None = fact("Its name.")
    boot: str | None = fact("Its boot, by the kernel's id.")
    os: str | None = fact("Operating system and release.")
    machine: str | None = fact("Architecture.")
    cpu: str | None = fact("The CPU's model.")
    cores: int | None = fact("Number of cores.")
    cores_usable: int | None = fact("Cores this process may use.")
    memory_bytes: int | None = fact("Size of the memory.")
    limits: Mapping[str, Value] = fact("Limits of the container or job.", NOTHING)
    gpus: tuple[str, ...] = fact("Names of the GPUs.", ())
    gpu_driver: str | None = fact("Version of their driver.")
    gpu_problem: str | None = fact("Why the GPUs could not be queried.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)


@dataclass(frozen=True, kw_only=True)
class Git(Record):
    """The state of the repository that the command started in."""

    commit: str | None = fact("The commit.")
    branch: str | None = fact("The branch.")
    dirty: bool | None = fact("Whether files differ from that commit.")
    diff: str | None = fact("How they differ.")
    diff_problem: str | None = fact("Why the difference was not kept.")
    diff_masked: bool | None = fact("Whether a secret was hidden in it.")
    diff_left_out: tuple[str, ...] = fact("Private files that are not in it.", ())
    untracked: tuple[str, ...] = fact("Files that git does not track.", ())
    problem: str | None = fact("Why git could not be queried.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)


@dataclass(frozen=True, kw_only=True)
class Script(Record):
    """The script that the command names."""

    path: str | None = fact("Its path.")
    sha256: str | None = fact("The hash of its content.")
    text: str | None = fact("Its content, of older runs; now it is among the files of the code.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)


@dataclass(frozen=True, kw_only=True)
class ConfigFile(Record):
    """A configuration file that the command names."""

    path: str | None = fact("Its path, as in the command.")
    sha256: str | None = fact("The hash of its content.")
    kept: str | None = fact("The name of the copy in the run's folder.")
    masked: bool | None = fact("Whether a secret was hidden in the copy.")
    text: str | None = fact("Its content, before the copy is written.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)


@dataclass(frozen=True, kw_only=True)
class PlaceFacts(Record):
    """Where a job was sent."""

    name: str | None = fact("The place's name.")
    launcher: str | None = fact("What starts jobs there.")
    nodes: int = fact("How many nodes it takes.", 1)
    procs: int | None = fact("Processes per node, started by torchrun.")
    tasks: int | None = fact("Tasks in all, started by the scheduler inside the job.")
    job_name: str | None = fact("What the job is called there.")
    extra: Mapping[str, object] = fact("Its other keys, as the places file has them.", NOTHING)


@dataclass(frozen=True, kw_only=True)
class Prepared(Record):
    """What the set-up lines of a place gave."""

    python: str | None = fact("The Python that is found first.")
    python_version: str | None = fact("Its version.")
    packages: Mapping[str, str] = fact("Versions of its main packages.", NOTHING)
    modules: tuple[str, ...] = fact("Modules that are loaded.", ())
    environment: str | None = fact("The virtual or conda environment that is active.")
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)


@dataclass(frozen=True, kw_only=True)
class Request(Record):
    """One run as it was asked for."""

    v: int = fact("Version of the format.", FORMAT)
    id: str = fact("The run's id.", "")
    name: str = fact("What the run is called.", "")
    folder: str | None = fact("The name of its folder, of an imported run.")
    workload: str | None = fact("The built-in workload that it starts.")
    command: tuple[str, ...] = fact("The command, secrets masked.", ())
    cwd: str | None = fact("The folder that it started in.")
    params: Mapping[str, Value] = fact("Settings given with --param or by a study.", NOTHING)
    tags: tuple[str, ...] = fact("Tags given with --tag.", ())
    note: str | None = fact("What someone wrote about it on the live page.")
    interval_s: float | None = fact("Seconds between two samples.")
    timeout_s: float | None = fact("Seconds after which it is ended.")
    again_of: str | None = fact("The run that it repeats.")
    replay: str | None = fact("The log that it prints again.")
    asked_t: float | None = fact("When it was started or submitted.", most=LAST_T)
    dated_t: float | None = fact("The first date in its log, of an imported run.", most=LAST_T)
    submitted_t: float | None = fact("When it was submitted to the scheduler.", most=LAST_T)
    recorder_pid: int | None = fact("The recorder's process.")
    host: Host | None = fact("The machine.")
    scheduler: Mapping[str, str] = fact("The scheduler's variables.", NOTHING)
    environment: Mapping[str, str] = fact("Variables that change how programs run.", NOTHING)
    set_environment: Mapping[str, str] = fact("Variables set with --env, secrets masked.", NOTHING)
    versions: Mapping[str, str] = fact("Versions of Assay, the interpreter and its packages.", NOTHING)
    packages: Mapping[str, str] = fact("Versions of all its other packages; kept in code.json.", NOTHING)
    git: Git | None = fact("The repository.")
    script: Script | None = fact("The script.")
    code: Code | None = fact("The version of the program: its files and their hash.")
    configs: tuple[ConfigFile, ...] = fact("Configuration files that the command names.", ())
    ranks: int | None = fact("Processes of a parallel launch, each recorded by itself.")
    place: PlaceFacts | None = fact("Where it was sent.")
    prepared: Prepared | None = fact("What the set-up lines of that place gave.")
    study: str | None = fact("The study it belongs to.")
    study_file: str | None = fact("The file of that study.")
    study_about: str | None = fact("The question of that study, from `about` in its file.")
    cell: str | None = fact("Its cell.")
    repeat: int | None = fact("Which repeat it is.")
    seed: int | None = fact("Its seed.")
    warmup: bool | None = fact("Whether it is a warm-up run.")
    target: str | None = fact("The kind of hardware it was started for.")
    mode: str | None = fact("run, validate, cpu, …: how the target runs it.")
    validates: bool | None = fact("Whether it is only lowered for the hardware.")
    system: str | None = fact("The system whose log it is.")
    device: str | None = fact("Which device of a table that compares two.")
    how: str | None = fact("parsed, of an imported run.")
    source: str | None = fact("The file it was read from.")
    lines: tuple[int, int] | None = fact("First and last line in that file.")
    prose: bool | None = fact("Whether it appears only in prose.")
    said_command: str | None = fact("The command line above its log.")
    claims: Mapping[str, Value] = fact("Settings as the command, its files, --param or a page state them.", NOTHING)
    claim_sources: Mapping[str, str] = fact("Where each is stated: command, config FILE, --param, …", NOTHING)
    claim_lines: Mapping[str, int] = fact("The lines that state them.", NOTHING)
    extra: Mapping[str, object] = fact("Fields of a newer version.", NOTHING)
