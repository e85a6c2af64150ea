"""The voices of a page: whose English it is, or which other language, and how a sentence is made of its wording."""

from __future__ import annotations

import re
from random import Random

VOICES = ("plain", "terse", "chatty", "formal", "second", "plain", "chatty", "plain", "second", "de", "es")

#: wordings by the kind of figure, then by voice
Table = dict[str, dict[str, tuple[str, ...]]]

#: words of figures, and of jobs that train nothing
_TRANSLATED = {
    "de": (
        ("about ", "etwa "), ("roughly ", "rund "), ("minutes", "Minuten"), ("seconds", "Sekunden"), ("percent", "Prozent"),
        (" per second", " pro Sekunde"), (" times", " Mal"), ("milliseconds", "Millisekunden"),
    ),
    "es": (
        ("about ", "unos "), ("roughly ", "casi "), ("minutes", "minutos"), ("seconds", "segundos"), ("percent", "por ciento"),
        (" per second", " por segundo"), (" times", " veces"), ("milliseconds", "milisegundos"),
    ),
}  # fmt: skip
_NO_TRAINING = (
    ("total training time", "duration"), ("training time", "duration"), ("The whole training", "The whole benchmark"),
    ("Training was", "The benchmark was"), ("Training took", "The benchmark took"), ("training took", "the benchmark took"),
    ("to train", "to finish"), ("The model was trained", "The benchmark was run"), ("I trained", "I ran it"),
    ("was trained", "was done"), ("models were trained", "runs were done"), ("for the training", "for it"),
    ("of training", "of benchmarking"), ("the training is", "the benchmark is"), ("The training", "The benchmark"),
    ("entrenamientos", "ensayos"), ("El entrenamiento", "El ensayo"), ("el entrenamiento", "el ensayo"),
    ("Das Training", "Der Benchmark"), ("das Training", "der Benchmark"), ("Trainingszeit", "Laufzeit"),
)  # fmt: skip


_ARTICLE = re.compile(r"\b([Aa]) (?=[aeio](?!ne\b))")


def foreign(table: Table, kind: str, voice: str) -> bool:
    """Whether the voice is a language that has no sentence of this kind."""
    return voice in _TRANSLATED and voice not in (table.get(kind) or table["any"])


def pick(table: Table, kind: str, voice: str, rng: Random) -> str:
    """A sentence of this kind; a voice that has none speaks plainly."""
    by_voice = table.get(kind) or table["any"]
    own = by_voice.get(voice, ())
    pool = own if voice in _TRANSLATED and own else (*own, *own, *by_voice["plain"])
    return rng.choice(pool)


def translated(text: str, voice: str) -> str:
    for word, other in _TRANSLATED.get(voice, ()):
        text = text.replace(word, other)
    return text


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
    if voice in (*_TRANSLATED, "terse") or draw > 0.45 or not all(one.endswith(".") for one in texts):
        return texts
    if draw < 0.2:
        tail = rng.choice(_TAILS)
        return tuple(f"{one[:-1]}{tail}." for one in texts)
    opener = rng.choice(_OPENERS)
    return tuple(opener + (one if one.startswith("I ") else one[0].lower() + one[1:]) for one in texts)


def with_commas(text: str) -> str:
    """`91.2` as it is written in German and Spanish: `91,2`."""
    return re.sub(r"(?<=\d)\.(?=\d)", ",", re.sub(r"(?<=\d),(?=\d{3})", "", text))
