"""Settings as scripts print them: one a line, a row of them, a Namespace, a column of dots.

    learning_rate = 1e-3 # with baby networks can afford to go a bit higher
    [2024-01-05 09:10:12,001] [INFO] [config.py:979:print]   train_batch_size ............. 32
    Namespace(data_path='/data', batch_size=32, epochs=1, lr=0.1)
    train: weights=yolov5s.pt, data=coco128.yaml, epochs=3, batch_size=16

The trap: any name with a number may be a setting. Only those that the table of quantities knows are.
"""

from __future__ import annotations

import re

from assay.readers.named import NUMBER_TEXT
from assay.readers.settings import SETTING_NAMES, setting_value
from assay.readers.split import named_part

SETTINGS_HEAD = re.compile(r"(?i:args|config|arguments|options):|(?:.{0,80}[\s:\]])?Namespace\(")
#: also `learning_rate = 1e-3 # a comment`, and `train_batch_size ............. 32` as DeepSpeed and Megatron set it
_SETTING_LINE = re.compile(
    rf"^\s*(?:--)?(?P<name>[A-Za-z][\w. -]{{1,40}}?)(?<!\s)\s*[=:]\s*(?P<value>{NUMBER_TEXT})(?:\s*,)?(?:\s*|\s+# .*)$"
)
_DOTTED = re.compile(rf"(?:^|\s)(?P<name>[a-z]\w{{1,40}}) \.{{3,}} ?(?P<value>{NUMBER_TEXT})$")
_NAMESPACE = re.compile(r"(?<!\w)(?P<name>[a-z_]\w*)=(?P<value>[^,()\s]+)")
_FEWEST_LISTED = 2
#: a word of a row of settings, of which we know not all: `precision=bf16 batch_size=32`
_ONE = re.compile(r"[A-Za-z_]\w{0,40}=[^\s=]{1,80}")
#: names of a batch that one device takes, where all of them together may have another name
PER_DEVICE = {
    "per_device_train_batch_size", "instantaneous_batch_size_per_device", "batch_size_per_rank", "batch_size_per_gpu",
    "batch_size_per_device", "per_gpu_batch_size", "local_batch_size",
}  # fmt: skip


def listed(text: str) -> dict[str, object] | None:
    """The settings of a line that contains nothing else, by our names; None for any other line."""
    if SETTINGS_HEAD.match(text):
        return _namespace(text) or None
    found = _SETTING_LINE.match(text) or (_DOTTED.search(text) if " ..." in text else None)
    if found is None:
        return None
    spelled = re.sub(r"[\s-]+", "_", found["name"].strip().lower())
    name = SETTING_NAMES.get(spelled) or _of_a_part(spelled)
    value = setting_value(name or "", found["value"])
    if not name or value is None:
        return None
    return {spelled if spelled in PER_DEVICE else name: value}


def _of_a_part(spelled: str) -> str | None:
    """`train.batch_size` is the batch size, and `eval.batch_size` is not."""
    head, _, last = spelled.rpartition(".")
    return (
        SETTING_NAMES.get(last) if head and not named_part(head.replace(".", " ")).startswith(("val", "test")) else None
    )


def in_a_row(text: str) -> dict[str, object] | None:
    """Several settings in a row, and nothing measured."""
    if text.count("=") < _FEWEST_LISTED:
        return _in_words(text) if text.count(":") >= _FEWEST_LISTED else None
    facts = _namespace(text)
    if len(facts) >= _FEWEST_LISTED or (facts and all(map(_ONE.fullmatch, text.split()))):
        return facts
    return _in_words(text)


def _in_words(text: str) -> dict[str, object] | None:
    """`batch size = 256, learning rate = 0.1, epochs = 5`: each of them a setting, with no word beside."""
    facts: dict[str, object] = {}
    for piece in text.split(","):
        one = listed(piece.strip())
        if one is None:
            return None
        facts.update(one)
    return facts


def _namespace(text: str) -> dict[str, object]:
    said = dict(_NAMESPACE.findall(text))
    known = {n: setting_value(n, v) for n, v in said.items() if n.lower() in SETTING_NAMES}
    found: dict[str, object] = {SETTING_NAMES[n.lower()]: v for n, v in known.items() if v is not None}
    # `batch` alone counts batches; among settings it is the size
    size = setting_value("batch_size", said.get("batch", "")) if len(found) >= _FEWEST_LISTED else None
    return found if size is None else {"batch_size": size, **found}
