"""The account of one job while it is read, and the formats that report it."""

from __future__ import annotations

from collections.abc import Mapping

from assay.lines import Line
from assay.model.event import Event
from assay.readers.accounting.states import State
from assay.reading.reader import NEW, Answer, Reader


class Format:
    """One way to report on a job."""

    #: what a line of interest must contain, in lower case
    anchors: tuple[str, ...] = ()

    def read(self, account: Account, line: Line, text: str) -> Answer:
        """The events of a line; None where it is not of this format."""
        raise NotImplementedError


class Account(Reader):
    """A reader that gathers what is reported of one job."""

    name = "accounting"
    system = "generic"
    of_job = True

    def __init__(self) -> None:
        super().__init__()
        self.failed = False
        self.facts: dict[str, float] = {}
        self.job = ""
        self.state: State | None = None
        self.exit_code: int | None = None
        self.message = ""
        self._state_line = 0
        self.snapshot = False  # a look at the machine: no account of a run that it stands with

    def tell(
        self, line: Line, facts: Mapping[str, float | None] | None = None, *, job: str = "", **words: str
    ) -> Answer:
        """Read one line; NEW where it reports another job."""
        known = {name: value for name, value in (facts or {}).items() if value is not None}
        if job and self.job and job != self.job:
            return NEW
        if any(name in self.facts and self.facts[name] != value for name, value in known.items()):
            return NEW
        self.facts.update(known)
        self.job = self.job or job
        self.strong = self.strong or bool(job) or bool(known)
        events: list[Event] = []
        if job:
            events.append(self.fact("how", line, job=job))
        if words:
            events.append(self.fact("how", line, None, words))
        if known:
            events.append(self.fact("result", line, None, known))
        return events

    def end(self, line: Line, state: State | None, exit_code: int | None = None, message: str = "") -> Answer:
        """How the job ended."""
        if state is not None:
            self.state, self._state_line, self.message = state, line.number, message
        self.exit_code = exit_code if exit_code is not None else self.exit_code
        return []

    def finish(self) -> list[Event]:
        over = self.state is None or self.state.status not in ("running", "queued")
        derived = _derived(self.facts) if over else {}  # of a job that goes on, little is accounted for yet
        events = [self.fact("result", 0, None, derived)] if derived else []
        if self.state is None and self.exit_code is None:
            return events
        state = self.state or State(
            "completed" if self.exit_code == 0 else "failed", "unknown" if self.exit_code else ""
        )
        if state.code:
            how = "" if self.exit_code is None else f" with exit code {self.exit_code}"
            message = state.message or self.message or f"the job failed{how}"
            events.append(self.fact("error", self._state_line, code=state.code, message=message, hint=state.hint))
        end: dict[str, object] = {"status": state.status}
        end.update({"exit_code": self.exit_code} if self.exit_code is not None else {})
        return [*events, self.fact("end", self._state_line, None, end)]


def _derived(facts: Mapping[str, float]) -> dict[str, float]:
    """Efficiencies, if used and allocated amounts are known and the report does not give them."""
    found: dict[str, float] = {}
    allocated_s = facts.get("requested_cpus", 0) * facts.get("wall_s", 0)
    if "cpu_eff" not in facts and allocated_s and "cpu_s" in facts:
        found["cpu_eff"] = round(facts["cpu_s"] / allocated_s, 6)
    if "mem_eff" not in facts and facts.get("requested_mem_bytes") and "rss_bytes_max" in facts:
        found["mem_eff"] = round(facts["rss_bytes_max"] / facts["requested_mem_bytes"], 6)
    if facts.get("requested_time_s") and "wall_s" in facts:
        found["time_eff"] = round(facts["wall_s"] / facts["requested_time_s"], 6)
    return found
