"""A scheduler asked through its own commands: what they have in common, whichever it is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import RunError
from assay.launchers.base import Limited, NotAnswering
from assay.store.notices import notice

_PATIENCE_S, _WORD_AFTER_S = 60.0, 2.0
#: ids that surely fit into one command line
_AT_ONCE = 500
#: variables of a job, but for those that a user or site sets
_OF_A_JOB = ("SLURM_", "SBATCH_", "SRUN_", "PBS_", "PMI_", "PMIX_", "PALS_", "OMPI_")
_SETTINGS = (
    "SLURM_CONF", "SLURM_CONF_SERVER", "SBATCH_ACCOUNT", "SBATCH_PARTITION", "SBATCH_QOS", "SBATCH_RESERVATION",
    "SBATCH_CLUSTERS", "PBS_CONF_FILE", "PBS_EXEC", "PBS_HOME", "PBS_SERVER", "PBS_DEFAULT",
)  # fmt: skip
_HABITS = ("SQUEUE_", "SACCT_", "SCANCEL_", "SLURM_TIME_FORMAT")


@dataclass(frozen=True, kw_only=True)
class Asking:
    """`conf` is the variable that names its configuration. `away` is what its commands say where the scheduler itself
    cannot be reached, `limits` what they say where it takes no more jobs of this user for now."""

    name: str
    conf: str
    away: tuple[str, ...]
    limits: tuple[str, ...] = ()

    def ask(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Its answer, however long that takes within reason; after two seconds we say what we wait for."""
        conf = os.environ.get(self.conf)
        if conf and not os.path.exists(conf):  # its commands would look elsewhere for a minute, without a word
            raise RunError(f"{self.conf} names `{conf}`, which does not exist", f"correct or unset {self.conf}")
        try:  # without closing files one by one, starting it costs a third
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True, errors="replace", close_fds=False,
                                       env=outside(os.environ))  # fmt: skip
        except FileNotFoundError:
            hint = f"run this where {self.name}'s commands are installed; check with: assay doctor"
            raise RunError(f"`{words[0]}` was not found", hint) from None
        try:
            try:
                out, err = process.communicate(timeout=_WORD_AFTER_S)
            except subprocess.TimeoutExpired:
                notice(self.name, f"{self.name} has not answered `{words[0]}` for {_WORD_AFTER_S:g} s; still waiting")
                out, err = process.communicate(timeout=_PATIENCE_S - _WORD_AFTER_S)
        except subprocess.TimeoutExpired as late:
            self.check_room((late.stderr or b"").decode(errors="replace"))  # it tries again by itself, for long
            raise self.silent(f"`{words[0]}` took more than {_PATIENCE_S:.0f} s") from None
        finally:
            if process.returncode is None:
                process.kill()
                process.communicate()
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def silent(self, why: str) -> NotAnswering:
        return NotAnswering(f"{self.name.lower()} does not answer: {why}")

    def check_there(self, said: str) -> None:
        """Raise if the message means that the scheduler did not receive the question."""
        if any(text in said for text in self.away):
            raise self.silent(said)

    def check_room(self, said: str) -> None:
        """Raises where a complaint means that the queue takes no more jobs now."""
        found = next((line for line in said.splitlines() if any(text in line for text in self.limits)), None)
        if found is not None:
            raise Limited(found.rpartition("error: ")[2].strip())

    def cancel(self, word: str, jobs: Mapping[str, str]) -> None:
        ids = [job_id for job_id in jobs.values() if job_id]
        for at in range(0, len(ids), _AT_ONCE):
            self.ask([word, *ids[at : at + _AT_ONCE]])


def outside(environment: Mapping[str, str]) -> dict[str, str]:
    """As if asked outside of any job: what a job's own variables say must not become part of another one's request.
    What filters or shapes the answers of `squeue` and `sacct` by habit is left out as well."""
    kept = {name: value for name, value in environment.items() if not name.startswith(_HABITS)}
    if "SLURM_JOB_ID" in kept or "PBS_JOBID" in kept:
        kept = {name: value for name, value in kept.items() if name in _SETTINGS or not name.startswith(_OF_A_JOB)}
    return kept
