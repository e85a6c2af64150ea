"""timm's train.py, and scripts that print a figure with its mean behind it.

    Train: 29 [  50/1251 (  4%)]  Loss: 6.814 (6.81)  Time: 0.946s, 1082.47/s  (0.951s, 1076.8/s)  LR: 3.908e-02
    Test: [ 196/196]  Time: 0.112 (0.512)  Loss: 0.8911 (1.0211)  Acc@1: 79.1 (76.05)  Acc@5: 93.2 (93.01)
    *** Best metric: 76.05 (epoch 29)

The trap: of a training the last figure counts and not the mean; of a test the mean over all batches and not the last
one.
"""

from __future__ import annotations

import re

from assay.readers.split import part_of
from assay.readers.told import Form, Told
from assay.reading.reader import figure

_NUMBER = r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?"
_TRAIN = re.compile(
    rf"Train: (?P<epoch>\d+) \[ *\d+/\d+ +\( *\d+%\)\] +Loss: +(?P<loss>{_NUMBER}|nan) \( *[^)]{{1,20}}\) +"
    rf"Time: [\d.]+s, +(?P<rate>[\d.]+)/s +\( *[\d.]+s, +(?P<average>[\d.]+)/s\)"
)
_TEST = re.compile(r"(?P<part>Test|Val|Validation|Eval)(?: \(EMA\))?: +\[ *\d+/\d+\]")
_MEAN = re.compile(rf"(?P<name>Loss|Acc@1|Acc@5|Prec@1):? +{_NUMBER} \( *(?P<mean>{_NUMBER})\)")
#: what is printed once the test is over: ` * Acc@1 20.084 Acc@5 44.162`, `Test:  Acc@1 15.120 Acc@5 35.890`
_FINAL = re.compile(
    r"(?:^|\s)(?:\*|Test: ) +(?:Acc|Prec)@1:? +(?P<accuracy>\d+(?:\.\d+)?)\b"
    r"(?:\s{1,4}(?:Acc|Prec)@5:? +(?P<top5>\d+(?:\.\d+)?)\b)?"
)
_NAMES = {"Loss": "loss", "Acc@1": "accuracy", "Prec@1": "accuracy", "Acc@5": "top5"}


def _train(found: re.Match[str]) -> Told:
    rates = {"samples_per_s": figure(found["rate"]), "samples_per_s_avg": figure(found["average"])}
    return Told(facts={"epoch": int(found["epoch"]), "loss": figure(found["loss"]), **rates})


def _test(found: re.Match[str]) -> Told | None:
    facts: dict[str, object] = {}
    for mean in _MEAN.finditer(found.string, found.end()):
        value = float(mean["mean"])
        facts[f"{part_of(found['part'])}_{_NAMES[mean['name']]}"] = (
            value if mean["name"] == "Loss" else round(value / 100, 12)
        )
    return Told(facts=facts) if facts else None


def _final(found: re.Match[str]) -> Told:
    known = {"test_accuracy": found["accuracy"], "test_top5": found["top5"]}
    return Told(facts={name: round(float(value) / 100, 12) for name, value in known.items() if value})


FORMS = (
    Form("Train: ", _TRAIN, _train),
    Form(": [", _TEST, _test),
    Form("@1", _FINAL, _final),
)
