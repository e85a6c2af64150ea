"""Settings as people state them: `batch size of 512`, `20 epochs`, `lr = 0.03`, `from 10 to 20 epochs`, a file name.

These are claims: what someone writes about a run, never what the run shows. `language/` works out what a sentence says;
here it becomes what one line states about one run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.core.commandline import as_setting, settings_of_command
from assay.language import modality
from assay.language.claims import only_settings, said_in
from assay.language.filenames import settings_of_name
from assay.language.lex import lex
from assay.language.said import Said, Value
from assay.language.vocabulary import words
from assay.quantities import BY_NAME

#: settings that a sentence may claim of a run; `4 GPUs` may be those of a node, so processes are not among them
_CLAIMED = (
    "lr", "epochs", "batch_size", "num_tasks", "num_nodes", "seq_len", "max_steps", "concurrency", "request_rate",
    "input_len", "output_len", "grad_accum", "dropout", "weight_decay", "warmup_steps",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """One setting that someone gave one value; `line` 0 is the file's name.

    `part`: it may be only a part of the run. `failed`: the sentence is about something that did not work.
    `others`: what the same words may also stand for: `1k` is 1000 or 1024.
    """

    name: str
    value: int | float
    line: int
    text: str
    changed_from: int | float | None = None
    part: bool = False
    failed: bool = False
    others: tuple[int | float, ...] = ()
    place: int = 0  # in the text, of the sentence that says it


def statements(text: str, line: int, decimal_comma: bool = False, also: tuple[str, ...] = ()) -> list[Statement]:
    """What one line states; a setting with several values at once is not a claim about one run.

    `also` names settings that count only where a title gives them: `Two workers` over a list of figures.
    """
    if not any(sign.isalnum() for sign in text):
        return []
    everything = list(said_in(text, decimal_comma))
    if any(one.modality == modality.ADMITTED for one in everything):
        return []
    values = [value for one in everything for value in _of_runs(one, also)]
    found: list[Statement] = []
    for failed in (False, True):
        for name in dict.fromkeys(value.name for value in values if value.failed is failed):
            told = [value for value in values if value.name == name and value.failed is failed]
            made = _single(told, line, text)
            if made is not None and all(other.name != name for other in found):
                sentence = next(one.text for one in everything if told[0] in one.values)
                found.append(replace(made, place=max(0, text.find(sentence))))
    return found


def _of_runs(one: Said, also: tuple[str, ...] = ()) -> Iterator[Value]:
    """Settings of runs that took place; `each of 4 GPUs had a batch size of 16` is not the batch of the run."""
    if _compares(one):
        return
    for value in one.values:
        if value.name not in (*_CLAIMED, *also) or value.modality != modality.DONE or value.denied:
            continue
        if value.scope == "device" or (value.number.in_words and one.changes) or value.bound:
            continue
        yield value


def _compares(one: Said) -> bool:
    """`The throughput went from 824 to 364, going from 64 to 8`: what came of two runs, and no setting of one."""
    if any(change.of and change.than for change in one.changes) and not all(value.is_setting for value in one.values):
        return True
    if "compared" in one.roles and any(value.denied and value.is_setting for value in one.values):
        return True  # `64 concurrent requests vs concurrency 32: …`
    return any(value.was is not None and not value.is_setting for value in one.values) and any(
        value.was is not None and value.is_setting for value in one.values
    )


def _single(told: list[Value], line: int, text: str) -> Statement | None:
    if len({value.number.value for value in told}) > 1 or any(value.listed for value in told):
        return None
    first = told[0]
    value = as_setting(BY_NAME[first.name], first.number.value)
    if not value:
        return None
    was = as_setting(BY_NAME[first.name], first.was.value) if first.was is not None else None
    others = tuple(made for one in first.number.others if (made := as_setting(BY_NAME[first.name], one)))
    return Statement(first.name, value, line, text, was, part=first.part, failed=first.failed, others=others)


def is_only(text: str) -> bool:
    """`Epochs: 20`, `BS=512`: a line that gives settings their values, and holds nothing else."""
    return only_settings(text)


def is_told(text: str) -> bool:
    """`The endpoint delivered 6.4 requests/s, which is a lot.`: what a person says of a log is no part of it."""
    spoken = text.split()
    return (
        len(spoken) >= _FEWEST_TOLD
        and text.rstrip("*_` ").endswith((".", "!"))
        and text[:1].isupper()
        and not any(sign in text for sign in "=|{")  # a line of a log may be quoted in it
        and sum(word.lower().strip(",;:") in _TOLD for word in spoken) >= 2  # programs print phrases
    )


_FEWEST_TOLD = 6
_TOLD = words("TOLD") | words("FOREIGN")


def flag_statements(command: str, line: int) -> Iterator[Statement]:
    """Settings on a command line."""
    return (Statement(name, value, line, command) for name, value in settings_of_command(command) if name in _CLAIMED)


def file_name_statements(name: str) -> Iterator[Statement]:
    """`mnist_b12_e20_lr0.01.txt`, `bert_bs1024.log`, `ntasks08`; a number without a word is not a setting."""
    return (Statement(setting, value, 0, name) for setting, value in settings_of_name(name))


def listed_values(text: str, name: str, decimal_comma: bool = False) -> set[float]:
    """Every value that a sentence lists for a setting: `different batch sizes, specifically 2048, and 512`."""
    tokens = lex(text, decimal_comma)
    if not any(token.term == name for token in tokens):
        return set()
    return {
        token.number.value for token in tokens if token.number is not None and not token.number.unit and not token.rate
    }
