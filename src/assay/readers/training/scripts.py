"""What scripts that people write themselves print beside their figures.

    Training time: 6.05 s               Training took 0:11:12               Finished training in 3.2 minutes
    took 3m20s                          Elapsed time: 183.1 s               Peak memory: 1326.9 MiB
    Fit time: 0.467s                    Training time (s): 6.05             Done in 0m 12.5s
    p50: 1.21 ms, p99: 3.42 ms          Latency p50/p90/p99: 1.21 / 2.02 / 3.42 ms

The trap: the time may be that of one epoch. It is that of the training only where no more training follows it.
"""

from __future__ import annotations

import re

from assay.core.dates import DURATION, seconds, unit_seconds
from assay.readers.sizes import PEAK, peak
from assay.readers.told import TOKENS_PER_STEP, Form, Told
from assay.reading.shapes import scaled

_TIME = re.compile(
    r"(?i)\b(?:(?:total )?(?:train(?:ing)?|fit(?:ting)?)(?: (?:time|took|done in|completed? in|finished in|duration))|"
    r"(?:finished|completed|done|end of) (?:train|fitt)ing (?:in|after)|(?:trained|fitted|fit) (?:in|for))"
    rf"(?: \((?P<in>s|sec|seconds|min|minutes)\)[:= ]{{1,4}}(?P<bare>\d{{1,9}}(?:\.\d{{1,9}})?)(?![\w.:])|"
    rf"[:= ]{{1,4}}(?:{DURATION}))"
)
_TOOK = re.compile(
    r"(?i)^\s{0,8}(?:it |this |all )?"
    r"(?:took|(?:total |time )?elapsed(?: time)?|(?:total )?(?:run ?|wall ?|execution )?time(?: taken)?|"
    r"(?:done|finished|completed)[!.,]? (?:in|after)|"
    r"(?:gesamt|lauf|trainings)zeit|(?:gesamt)?dauer|tiempo(?: total| de (?:entrenamiento|ejecución))?)"
    rf"[:= ]{{1,4}}(?:{DURATION})\W{{0,3}}$"
)
#: `Done. 50 steps, 3200 samples in 0.27s (11726.9 samples/s)`
#: what seconds of two digits may be off by
_ROUNDED = 0.05
_COUNT = r"\d[\d,]{0,14}"
_ALL = re.compile(
    rf"(?i)(?:^|[\s:])(?:(?P<steps>{_COUNT}) (?:steps|iterations|iters)(?:,| and)? )?"
    rf"(?P<samples>{_COUNT}) (?:samples|images|examples) in (?:{DURATION})(?![\w/])"
    r"(?:[ (,;:=@]{1,4}(?P<rate>\d[\d,]{0,14}(?:\.\d{1,9})?) ?(?:samples|images|examples|imgs?)/s)?"
)
_MEMORY = re.compile(
    r"(?i)^(?:peak|max(?:imum)?) (?:gpu )?mem(?:ory)?(?: (?:allocated|usage|used|reserved))?[:= ]{1,4}"
    r"\d[\d.]{0,14} ?[KMGT]i?B$"
)
_TAIL = re.compile(
    r"(?i)\bp(?P<rank>50|90|95|99)\b[^\d\n]{0,20}(?P<value>\d{1,9}(?:\.\d{1,9})?) ?(?P<unit>ms|us|µs|s)\b"
)
_LIST = re.compile(
    r"(?i)\bp50\s?/\s?p90\s?/\s?p99\b[^\d\n]{0,20}(?P<p50>[\d.]{1,12})\s?/\s?(?P<p90>[\d.]{1,12})\s?/\s?"
    r"(?P<p99>[\d.]{1,12}) ?(?P<unit>ms|us|µs|s)\b"
)
#: nanoGPT, before its first step
_PER_STEP = re.compile(r"(?i)^tokens per (?:iteration|iter|step)(?: will be)?[:= ]{1,3}(?P<count>\d[\d,]{0,14})$")
#: the unit before the figures: `Latency (ms): mean 1.21 p50 1.10 p90 2.02 p99 3.42`
_UNIT_FIRST = re.compile(r"(?i)\blatenc(?:y|ies) ?[(\[](?P<unit>ms|us|µs|s)[)\]]")
_BARE = re.compile(
    r"(?i)\b(?P<name>mean|avg|average|p50|p90|p95|p99|min|max|std)\b[ :=]{1,3}(?P<value>\d{1,9}(?:\.\d{1,9})?)(?![\w.])"
)
_MEANS = ("mean", "avg", "average")
_MS = {"ms": 1.0, "us": 1e-3, "µs": 1e-3, "s": 1e3}


def _time(found: re.Match[str]) -> Told:
    if found["bare"]:
        return Told(closing={"train_s": float(found["bare"]) * unit_seconds(found["in"])})
    return Told(closing={"train_s": seconds(found)})


def _memory(found: re.Match[str]) -> Told | None:
    most = peak(found.string)
    if most is None:
        return None
    at, factor = most
    return Told(results={PEAK: scaled(float(found.string[at:].rstrip("KMGTiBkmgtb ")), factor)})


def _tail(found: re.Match[str]) -> Told:
    facts: dict[str, object] = {}
    for one in _TAIL.finditer(found.string):
        facts[f"latency_p{one['rank']}_ms"] = round(float(one["value"]) * _MS[one["unit"].lower()], 9)
    return Told(results=facts)


def _list(found: re.Match[str]) -> Told | None:
    try:
        values = {name: float(found[name]) * _MS[found["unit"].lower()] for name in ("p50", "p90", "p99")}
    except ValueError:
        return None
    return Told(results={f"latency_{name}_ms": round(value, 9) for name, value in values.items()})


def _unit_first(found: re.Match[str]) -> Told | None:
    facts: dict[str, object] = {}
    for one in _BARE.finditer(found.string, found.end()):
        name = one["name"].lower()
        field = "latency_ms" if name in _MEANS else f"latency_{name}_ms"
        facts.setdefault(field, round(float(one["value"]) * _MS[found["unit"].lower()], 9))
    return Told(results=facts) if len(facts) > 1 else None


def _took(found: re.Match[str]) -> Told:
    """A whole line of it: of what, is not said, so it is the time that the script took."""
    return Told(closing={"wall_s": seconds(found)})


def _all(found: re.Match[str]) -> Told:
    counts = {name: int(found[name].replace(",", "")) for name in ("steps", "samples") if found[name]}
    took_s, rate = seconds(found), float((found["rate"] or "0").replace(",", ""))
    exact_s = counts["samples"] / rate if rate else took_s  # of which few digits are printed
    if abs(exact_s - took_s) > _ROUNDED * took_s:
        return Told(closing={**counts, "train_s": took_s})
    return Told(closing={**counts, "train_s": exact_s, **({"samples_per_s_avg": rate} if rate else {})})


def _per_step(found: re.Match[str]) -> Told:
    return Told(settings={TOKENS_PER_STEP: int(found["count"].replace(",", ""))})


FORMS = (
    Form("okens per", _PER_STEP, _per_step),
    Form(" in ", _ALL, _all),
    Form("took", _TOOK, _took),
    Form("lapsed", _TOOK, _took),
    Form("ime", _TOOK, _took),
    Form("zeit", _TOOK, _took),
    Form("auer", _TOOK, _took),
    Form("iempo", _TOOK, _took),
    Form(" in ", _TOOK, _took),
    Form(" after ", _TOOK, _took),
    Form("rain", _TIME, _time),
    Form("it", _TIME, _time),
    Form("emory", _MEMORY, _memory),
    Form("atenc", _UNIT_FIRST, _unit_first),
    Form("p50", _LIST, _list),
    Form("p50", _TAIL, _tail),
    Form("p99", _TAIL, _tail),
)
