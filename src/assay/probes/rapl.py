"""Energy of the processor packages, from RAPL's counters in /sys/class/powercap.

The counters cover the whole package, so everything that runs on the host, and are readable by root alone on most
systems: where they are not, no figure is made up.
"""

from __future__ import annotations

from pathlib import Path

from assay.model.event import Sample

POWERCAP = Path("/sys/class/powercap")


class RaplProbe:
    """Joules of all packages since the probe was made."""

    name = "rapl"

    def __init__(self, folder: Path = POWERCAP) -> None:
        self._domains = packages(folder)
        self._last_uj = {domain: _uj(domain) for domain in self._domains}
        self._total_uj = 0

    def sample(self) -> list[Sample]:
        for domain, before in self._last_uj.items():
            now = _uj(domain)
            if now is not None and before is not None:
                wrapped = now < before  # the counter is small and starts again from zero
                self._total_uj += now - before + (_limit_uj(domain) if wrapped else 0)
            self._last_uj[domain] = now
        return [Sample(cpu_energy_j=self._total_uj / 1e6)]


def packages(folder: Path = POWERCAP) -> list[Path]:
    """Readable package domains: `intel-rapl:0`, not the cores and memory inside it, which would count twice."""
    found = []
    for domain in sorted(folder.glob("intel-rapl:*")):
        try:
            is_package = (domain / "name").read_text().startswith("package")
        except OSError:
            continue
        if is_package and _uj(domain) is not None:
            found.append(domain)
    return found


def _uj(domain: Path) -> int | None:
    try:
        return int((domain / "energy_uj").read_text())
    except (OSError, ValueError):
        return None


def _limit_uj(domain: Path) -> int:
    try:
        return int((domain / "max_energy_range_uj").read_text())
    except (OSError, ValueError):
        return 0
