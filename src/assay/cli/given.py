"""The words of one `assay run`, as they were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.cli.start import say, say_warning
from assay.errors import UsageError
from assay.model.values import NOTHING, Value
from assay.spec import RunSpec, check_variable, parse_setting, runs_dir
from assay.units import parse_seconds


@dataclass(frozen=True, kw_only=True)
class Given:
    """Each option by its name. `after` is what stands behind `--`; None where there is no `--`."""

    words: tuple[str, ...]
    after: Sequence[str] | None
    closed: frozenset[int]  # standard streams that we were started without
    # which run
    pid: int | None
    again: str | None
    trust: bool
    replay: str | None
    speed: float
    # where, and how it is started there
    place: str | None
    target: str | None
    mode: str | None
    config: str | None
    serve: str | None
    # how often, and with which settings
    repeat: int | None
    until: str | None
    budget: str | None
    warmup: int
    grid: tuple[str, ...]
    values: tuple[str, ...]  # of --set
    save: Path | None
    resume: bool
    # how it is done and kept
    name: str | None
    params: tuple[str, ...]
    tags: tuple[str, ...]
    interval: str
    env: tuple[str, ...]
    cwd: str | None
    timeout: str | None
    keep_daemons: bool
    quiet: bool
    runs_dir: str | None

    @property
    def several(self) -> bool:
        """Whether it asks for a study."""
        return self.repeat is not None or bool(self.grid) or self.until is not None

    @property
    def warn(self) -> Callable[[str], None]:
        return (lambda text: None) if self.quiet else say_warning

    def spec(
        self, command: Sequence[str], workload: str | None = None, claims: Mapping[str, Value] = NOTHING
    ) -> RunSpec:
        """This command, in the manner that was asked for. `claims` are the settings of a workload."""
        return RunSpec(
            workload=workload,
            command=tuple(command),
            runs_dir=runs_dir(self.runs_dir),
            name=self.name,
            params={**claims, **dict(map(parse_setting, self.params))},
            tags=self.tags,
            interval_s=parse_seconds(self.interval),
            env=dict(map(_variable, self.env)),
            cwd=Path(self.cwd).absolute() if self.cwd else None,
            timeout_s=parse_seconds(self.timeout) if self.timeout else None,
            keep_daemons=self.keep_daemons,
            replay=Path(self.replay).absolute() if self.replay else None,
        )


def with_set_values(spec: RunSpec, given: Given) -> RunSpec:
    """The spec with what --set changes, and a line about each."""
    if not given.values:
        return spec
    from assay.study.setters import with_values

    command, notes = with_values(spec.command, dict(map(parse_setting, given.values)), spec.cwd or Path.cwd())
    if not given.quiet:
        for note in notes:
            say(f"assay: {note}")
    return replace(spec, command=tuple(command))


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"`{text}` is not NAME=VALUE", "write --env NAME=VALUE")
    return check_variable(name), value
