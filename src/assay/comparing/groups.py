"""Runs of the same settings are one group: by what the evidence shows, else by what is claimed, and marked so."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter

from assay.comparing.codes import CODE, confounded_note, hash_of, is_mixed, labels_of, split_note
from assay.comparing.rows import CLAIMED, INFERRED, Row, same
from assay.comparing.varying import value_of, varying
from assay.errors import UsageError, did_you_mean
from assay.model.values import Value
from assay.stats import Figures
from assay.units import show_number

_MOST_GROUPS_SHOWN = 200
#: what their values are called is plain without their name
_PLAIN = ("system", "device", "model", "engine", "data", "host", "name", "place")
#: of ten thousand rows, quickly
_SYSTEM, _MODEL = attrgetter("summary.system"), attrgetter("summary.model")
#: by the first word of a claim's source
_PLACES = {
    "command": "comes from the command line",
    "config": "comes from a configuration file",
    "--param": "was given with --param",
    "--env": "was given with --env",
    "study": "comes from the study",
    "text": "is stated in the text",
    "file": "comes from the name of a file",
    "default": "is the default in the source",
}


@dataclass(frozen=True, kw_only=True)
class Group:
    """Runs that count as repeats of each other."""

    key: tuple[Value | None, ...]
    label: str
    rows: list[Row]
    simulated: bool = False
    marks: str = ""  # `*` for a claimed value, `~` for an inferred one
    _samples: dict[str, Figures] = field(default_factory=dict, repr=False, compare=False)

    def sample(self, name: str) -> Figures:
        """The figure over those runs that know it; gathered once, since everything asks for it."""
        if name not in self._samples:
            rows = self.rows if name in self._known else []
            self._samples[name] = Figures([row.figures[name] for row in rows if name in row.figures])
        return self._samples[name]

    def mark(self, name: str) -> str:
        """`*` where one setting is only claimed, `~` where it is inferred."""
        return _marks({row.settings[name].origin for row in self.rows if name in row.settings})

    @cached_property
    def _known(self) -> frozenset[str]:
        """Figures that at least one run knows: most are asked for in vain."""
        return frozenset().union(*(row.figures for row in self.rows))

    @cached_property
    def systems(self) -> frozenset[str | None]:
        """The systems of its runs; None for a run whose system is unknown."""
        return frozenset(map(_SYSTEM, self.rows))

    @cached_property
    def models(self) -> frozenset[str | None]:
        return frozenset(map(_MODEL, self.rows))

    @cached_property
    def tasks(self) -> frozenset[tuple[str | None, str | None]]:
        """What its runs do: the program that ran and the data it worked on."""
        return frozenset((row.summary.program, row.summary.data) for row in self.rows)


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """`by` are the names of what varies; none, where all runs are repeats."""

    by: list[str]
    groups: list[Group]
    notes: list[str]


def group(rows: Sequence[Row], by: Sequence[str] = ()) -> Grouping:
    """Grouped by the names asked for, else by all that varies; simulated runs are always apart from the rest."""
    names = list(by) or varying(rows)
    for name in by:
        if all(value_of(row, name) is None for row in rows):
            known = {key for row in rows for key in row.settings} | {"name", "system", "device", "host", "model"}
            raise UsageError(f"no run reports `{name}`", did_you_mean(name, known))
    labels, notes = labels_of(rows), list[str]()
    found = _by_values(rows, names, labels)
    if is_mixed(rows) and CODE not in names:
        if any(is_mixed(alike) for alike in found.values()):
            names = [*names, CODE]
            found, notes = _by_values(rows, names, labels), [split_note(rows)]
        elif (note := confounded_note(rows, names)) is not None:
            notes = [note]
    ages = {label: at for at, label in enumerate(labels.values())}
    ordered = sorted(found.items(), key=lambda item: [_order(value, ages) for value in item[0]])
    groups = _told_apart([_group(key, rows, names) for key, rows in ordered], names)
    return Grouping(by=names, groups=groups, notes=notes + _notes(groups, names))


def _by_values(
    rows: Sequence[Row], names: Sequence[str], labels: Mapping[str | None, str]
) -> dict[tuple[Value | None, ...], list[Row]]:
    found: dict[tuple[Value | None, ...], list[Row]] = {}
    for row in rows:
        values = [labels.get(hash_of(row)) if name == CODE else value_of(row, name) for name in names]
        found.setdefault((row.simulated, *values), []).append(row)
    return found


def _group(key: tuple[Value | None, ...], rows: list[Row], names: Sequence[str]) -> Group:
    simulated, values = bool(key[0]), key[1:]
    origins = {row.settings[name].origin for row in rows for name in names if name in row.settings}
    marks = _marks(origins)
    label = _label(names, values, unknown=False) or ("–" if names else "all runs")
    return Group(
        key=values, label=label + (" (simulated)" if simulated else ""), rows=rows, simulated=simulated, marks=marks
    )


def _marks(origins: Collection[str]) -> str:
    return ("*" if CLAIMED in origins else "") + ("~" if INFERRED in origins else "")


def _told_apart(groups: list[Group], names: Sequence[str]) -> list[Group]:
    """A setting that a group does not know is left out of its name, unless another group would then be called alike."""
    labels = [one.label for one in groups]
    if len(set(labels)) == len(labels):
        return groups
    return [
        replace(one, label=_label(names, one.key, unknown=True) + (" (simulated)" if one.simulated else ""))
        for one in groups
    ]


def _label(names: Sequence[str], values: Sequence[Value | None], *, unknown: bool) -> str:
    """`512` where one setting varies, `cuda · batch_size 512 · lr 0.1` where several do."""
    bare = len(names) == 1
    pairs = [
        (name, show_setting(value)) for name, value in zip(names, values, strict=True) if unknown or value is not None
    ]
    return " · ".join(text if bare or name in _PLAIN else f"{name} {text}" for name, text in pairs)


def show_setting(value: Value | None) -> str:
    if value is None:
        return "–"
    return show_number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _order(value: Value | None, ages: Mapping[str, int]) -> tuple[int, float, str]:
    """Numbers by size, words by letter, versions of the code by age, and what is unknown last."""
    if value is None:
        return 2, 0.0, ""
    if isinstance(value, str) and value in ages:
        return 1, float(ages[value]), ""
    return (0, float(value), "") if isinstance(value, (int, float)) else (1, 0.0, str(value))


def _notes(groups: Sequence[Group], names: Sequence[str]) -> list[str]:
    rows = [row for one in groups for row in one.rows]
    notes = list(_stated(rows, names))
    contradicted = sum(_contradicted(row) for row in rows)
    if contradicted:
        notes.append(f"{contradicted} of {len(rows)} runs claim a setting that did not take effect: see assay audit")
    if any(one.simulated for one in groups):
        notes.append("simulated figures come from a stand-in: they are compared with nothing else, and are never best")
    return notes


def _stated(rows: Sequence[Row], names: Sequence[str]) -> Iterator[str]:
    """A sentence for each place that settings are known from, where no output confirms them."""
    places: dict[str, dict[str, int]] = {}
    for row in rows:
        for name in names:
            if name in row.settings and row.settings[name].origin == CLAIMED:
                source = row.summary.claim_sources.get(name, "")
                place = _PLACES.get(source.split(" ")[0].rstrip(","), "is as stated")
                places.setdefault(place, {}).setdefault(name, 0)
                places[place][name] += 1
    for place, counts in places.items():
        several, few = len(counts) > 1, f" of {len(rows)} runs)"
        verb = place.replace("comes", "come").replace("was", "were").replace("is ", "are ") if several else place
        words = [f"{name} (in {count}{few}" if count < len(rows) else name for name, count in counts.items()]
        said = " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
        yield f"* {said} {verb}; the output does not confirm {'them' if several else 'it'}"


def _contradicted(row: Row) -> bool:
    claims, params = row.summary.chosen, row.summary.params
    if claims == params:
        return False
    shared = [(same(claims[name]), same(params[name]), name) for name in claims if name in params]
    sources = row.summary.claim_sources
    # `bf16` on a command line is `torch.bfloat16` in a log: of words, only those that someone set apart are compared
    return any(a != b and (name not in sources or not isinstance(a, str)) for a, b, name in shared)


def find_group(groups: Sequence[Group], by: Sequence[str], word: str) -> Group:
    """By its label, `name=value`, a value, or the name or id of one of its runs."""
    text = word.strip().lower()
    for one in groups:
        pairs = dict(zip(by, one.key, strict=True))
        said = {one.label.lower(), one.label.replace(",", "").lower()} | {str(value).lower() for value in one.key}
        said |= {f"{name}={value}".lower() for name, value in pairs.items()}
        said |= {" · ".join(show_setting(value).lower() for value in one.key if value is not None)}
        said |= {",".join(f"{name}={value}".lower() for name, value in pairs.items())}
        if text in said:
            return one
    for one in groups:
        for row in one.rows:
            if row.summary.id.startswith(word) or row.summary.name == word:
                return one
    labels = [one.label for one in groups[:_MOST_GROUPS_SHOWN]]
    raise UsageError(f"no group called `{word}`", did_you_mean(word, labels))
