"""The voices of a page: whose English it is, and how a sentence is made of its wording."""

from __future__ import annotations

import re
from random import Random

VOICES = ("plain", "terse", "chatty", "formal", "second", "plain", "chatty", "plain", "second")

#: wordings by the kind of figure, then by voice
Table = dict[str, dict[str, tuple[str, ...]]]

#: words of jobs that train nothing
_NO_TRAINING = (
    ("total training time", "duration"), ("training time", "duration"), ("The whole training", "The whole benchmark"),
    ("Training was", "The benchmark was"), ("Training took", "The benchmark took"), ("training took", "the benchmark took"),
    ("to train", "to finish"), ("The model was trained", "The benchmark was run"), ("I trained", "I ran it"),
    ("was trained", "was done"), ("models were trained", "runs were done"), ("for the training", "for it"),
    ("of training", "of benchmarking"), ("the training is", "the benchmark is"), ("The training", "The benchmark"),
)  # fmt: skip


_ARTICLE = re.compile(r"\b([Aa]) (?=[aeio](?!ne\b))")


def pick(table: Table, kind: str, voice: str, rng: Random) -> str:
    """A sentence of this kind; a voice that has none speaks plainly."""
    by_voice = table.get(kind) or table["any"]
    own = by_voice.get(voice, ())
    return rng.choice((*own, *own, *by_voice["plain"]))


def of_work(text: str, work: str) -> str:
    """A server trains nothing."""
    if work in ("serving", "inference"):
        for word, other in _NO_TRAINING:
            text = text.replace(word, other)
    return text


def filled(template: str, **fields: str) -> str:
    """The sentence, its first letter large where it is a whole one."""
    text = _ARTICLE.sub(r"\1n ", template.format(**fields))
    return text[0].upper() + text[1:] if text.endswith((".", "!")) and "=" not in text.split(" ")[0] else text


_OPENERS = (
    "Interestingly, ", "However, ", "As we can see, ", "Overall, ", "In my case, ", "To sum up, ", "In short, ", "Also, ",
    "From the logs we see that ", "So ", "Note that ", "One can see that ", "Surprisingly, ", "Finally, ", "On the other hand, ",
)  # fmt: skip
_TAILS = (
    ", which is what I expected", ", probably because the device is better used", ", at least on this node", " in my experiments",
    ", as the log shows", ", I think because of the caches", ", see the output", " here", ", which surprised me a bit",
)  # fmt: skip


def adorned(texts: tuple[str, ...], voice: str, rng: Random) -> tuple[str, ...]:
    """The same few words before or behind a sentence, as people write when they do not fill in forms."""
    draw = rng.random()
    if voice == "terse" or draw > 0.45 or not all(one.endswith(".") for one in texts):
        return texts
    if draw < 0.2:
        tail = rng.choice(_TAILS)
        return tuple(f"{one[:-1]}{tail}." for one in texts)
    opener = rng.choice(_OPENERS)
    return tuple(opener + (one if one.startswith("I ") else one[0].lower() + one[1:]) for one in texts)
