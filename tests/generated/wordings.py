"""The sentences: many ways in which students and researchers say the same thing, by voice.

Fields: `{fig}` what the figure is of, `{val}` its value, `{w}` "with a batch size of 16", `{run}` "batch size 16", `{a}`
`{b}` two runs, `{va}` `{vb}` their figures, `{f}` a factor ("1.5x", "1.5 times"), `{p}` a percentage, `{n}` a count,
`{more}` `{less}` "larger batches" "smaller batches", `{set}` "batch size", `{best}` "the fastest", `{comp}` "faster".
"""

from __future__ import annotations

from random import Random

VOICES = ("plain", "terse", "chatty", "formal", "second", "plain", "chatty", "plain", "second", "de", "es")

Table = dict[str, dict[str, tuple[str, ...]]]

#: what came out of the run that stands right here
RESULT_HERE: Table = {
    "accuracy": {
        "plain": (
            "The {fig} is {val}.", "It reached a {fig} of {val}.", "The {fig} was {val}.",
            "We obtained a {fig} of {val}.", "This run ended with a {fig} of {val}.", "{fig}: {val}",
            "The model gets {val} on the test set.", "The result is a {fig} of {val}.",
        ),
        "terse": ("{fig} {val}", "{fig} = {val}", "got {val} {fig}", "=> {val} {fig}"),
        "chatty": (
            "Cool, that gave me {val} {fig}!", "So I ended up with {val} {fig}, not bad.",
            "As you can see above/below, we get {val} {fig} here.", "In the end it reached {val}, which is the {fig}.",
        ),
        "formal": (
            "The model attains a {fig} of {val}.", "A {fig} of {val} was achieved.",
            "Under this configuration, the {fig} amounts to {val}.",
        ),
        "second": (
            "The {fig} is arrive to {val}.", "We can see that {fig} is {val}.", "It get {val} of {fig}.",
            "Finally the {fig} what we obtained is {val}.",
        ),
        "de": ("Die Testgenauigkeit beträgt {val}.", "Das Modell erreicht eine Genauigkeit von {val}."),
        "es": ("La exactitud en el conjunto de prueba es {val}.", "Se alcanzó una precisión de {val}."),
    },
    "loss": {
        "plain": ("The {fig} is {val}.", "The {fig} was {val}.", "It ended at a {fig} of {val}.", "{fig}: {val}"),
        "terse": ("{fig} {val}", "{fig} = {val}"),
        "chatty": ("The {fig} went all the way down to {val}.", "The {fig} came out at {val}."),
        "formal": ("The {fig} amounts to {val}.", "Training concluded with a {fig} of {val}."),
        "second": ("The {fig} is arrive {val}.", "At last the {fig} is {val}."),
        "de": ("Der Loss am Ende beträgt {val}.",),
        "es": ("La pérdida final es {val}.",),
    },
    "time": {
        "plain": (
            "The {fig} was {val}.", "Training took {val}.", "It took {val}.", "The whole training took {val}.",
            "The run finished in {val}.", "{fig}: {val}",
        ),
        "terse": ("took {val}", "{fig} {val}", "done in {val}"),
        "chatty": ("It only took {val}!", "I had to wait {val} for it.", "This one needed {val} to train."),
        "formal": ("The {fig} amounted to {val}.", "Training was completed in {val}."),
        "second": ("It spend {val} for the training.", "The training costs {val}.", "It needed {val} until finish."),
        "de": ("Das Training dauerte {val}.",),
        "es": ("El entrenamiento tardó {val}.",),
    },
    "rate": {
        "plain": (
            "The {fig} was {val}.", "The {fig} is {val}.", "It processed {val}.", "We measured a {fig} of {val}.",
            "{fig}: {val}", "This gives a {fig} of {val}.",
        ),
        "terse": ("{fig} {val}", "{val}", "{fig} = {val}"),
        "chatty": ("It was chewing through {val}.", "It manages {val}, as you can see in the log."),
        "formal": ("A {fig} of {val} was observed.", "The {fig} amounts to {val}."),
        "second": ("The speed is {val}.", "The {fig} of it reach {val}."),
        "de": ("Der Durchsatz beträgt {val}.",),
        "es": ("El rendimiento fue de {val}.",),
    },
    "latency": {
        "plain": ("The {fig} is {val}.", "The {fig} was {val}.", "We see a {fig} of {val}.", "{fig}: {val}"),
        "terse": ("{fig} {val}", "{fig} = {val}"),
        "chatty": ("Here the {fig} is {val}.",),
        "formal": ("The {fig} amounts to {val}.",),
        "second": ("The {fig} is like {val}.",),
        "de": ("Der Wert für {fig} liegt bei {val}.",),
        "es": ("El valor de {fig} es {val}.",),
    },
    "memory": {
        "plain": ("The {fig} was {val}.", "It needed {val} of memory at most.", "{fig}: {val}", "Memory peaked at {val}."),
        "terse": ("{fig} {val}", "mem {val}"),
        "chatty": ("Memory went up to {val}.",),
        "formal": ("The {fig} amounts to {val}.", "A {fig} of {val} was recorded."),
        "second": ("The memory what it use at most is {val}.",),
        "de": ("Der Speicherbedarf lag maximal bei {val}.",),
        "es": ("La memoria máxima fue de {val}.",),
    },
}  # fmt: skip

#: the same of a run that the sentence names
RESULT_OF: Table = {
    "accuracy": {
        "plain": (
            "{w}, the {fig} is {val}.", "{run} reached a {fig} of {val}.", "The {fig} {w} was {val}.",
            "I got {val} {fig} {w}.", "{w} we obtained {val} {fig}.", "{run} gave a {fig} of {val}.",
        ),
        "terse": ("{run}: {fig} {val}", "{run} -> {val} {fig}"),
        "chatty": ("{w} I managed to get {val} {fig}, which made me happy.", "{run} did {val} {fig} for me."),
        "formal": ("{w}, a {fig} of {val} was achieved.", "The {fig} obtained {w} amounts to {val}."),
        "second": ("{w} the {fig} is become {val}.", "When I use {run}, {fig} is {val}."),
        "de": ("{w} liegt die Genauigkeit bei {val}.",),
        "es": ("{w} la exactitud es {val}.",),
    },
    "loss": {
        "plain": ("{w}, the {fig} is {val}.", "The {fig} {w} was {val}.", "{run} ended at a {fig} of {val}."),
        "terse": ("{run}: {fig} {val}",),
        "chatty": ("{w} the {fig} got down to {val}.",),
        "formal": ("The {fig} obtained {w} amounts to {val}.",),
        "second": ("{w} the {fig} is become {val}.",),
        "de": ("{w} beträgt der Loss am Ende {val}.",),
        "es": ("{w} la pérdida final es {val}.",),
    },
    "time": {
        "plain": (
            "{run} took {val}.", "{w}, training took {val}.", "The {fig} {w} was {val}.", "{w} it finished in {val}.",
        ),
        "terse": ("{run}: {val}", "{run} took {val}"),
        "chatty": ("{run} needed {val}, I went for a coffee meanwhile.", "{w} I waited {val}."),
        "formal": ("{w}, the {fig} amounted to {val}.",),
        "second": ("{w} the training is finished in {val}.", "When using {run} it cost {val}."),
        "de": ("{w} dauerte das Training {val}.",),
        "es": ("{w} el entrenamiento tardó {val}.",),
    },
    "rate": {
        "plain": (
            "{w}, the {fig} was {val}.", "{run} reached {val}.", "The {fig} {w} is {val}.", "{run} processes {val}.",
        ),
        "terse": ("{run}: {val}", "{run} -> {val}"),
        "chatty": ("{w} the thing runs at {val}.",),
        "formal": ("{w}, a {fig} of {val} was observed.",),
        "second": ("{w} the speed is arrive to {val}.",),
        "de": ("{w} liegt der Durchsatz bei {val}.",),
        "es": ("{w} el rendimiento fue de {val}.",),
    },
    "latency": {
        "plain": ("{w}, the {fig} is {val}.", "The {fig} {w} was {val}."),
        "terse": ("{run}: {fig} {val}",),
        "chatty": ("{w} I see a {fig} of {val}.",),
        "formal": ("{w}, the {fig} amounts to {val}.",),
        "second": ("{w} the {fig} is become {val}.",),
    },
    "memory": {
        "plain": ("{w}, the {fig} was {val}.", "{run} needs {val} of memory at most."),
        "terse": ("{run}: {fig} {val}",),
        "chatty": ("{w} memory peaked at {val}.",),
        "formal": ("{w}, a {fig} of {val} was recorded.",),
        "second": ("{w} the memory go up to {val}.",),
    },
}  # fmt: skip

#: the mean of repeats
AVERAGE: Table = {
    "any": {
        "plain": (
            "Averaged over {n} runs, the {fig} {w} is {val}.", "The mean {fig} {w} is {val} ({n} runs).",
            "{w} the {fig} was {val} on average.", "On average over the {n} repeats, {run} has a {fig} of {val}.",
        ),
        "terse": ("{run}: mean {fig} {val} (n={n})",),
        "formal": ("The {fig} {w}, averaged over {n} repetitions, amounts to {val}.",),
        "second": ("{w} the average {fig} of {n} times is {val}.",),
    }
}  # fmt: skip

#: a is better than b by a factor of a rate or of seconds
FACTOR: Table = {
    "rate": {
        "plain": (
            "{a} is {f} faster than {b}.", "The throughput of {a} is {f} that of {b}.",
            "Going from {b} to {a}, throughput went up {f}.", "{a} has {f} the throughput of {b}.",
            "{a} is {f} as fast as {b}.",
        ),
        "terse": ("{a} vs {b}: {f} faster", "{f} faster ({a} vs. {b})"),
        "chatty": ("Wow, {a} is {f} faster than {b}!", "Interestingly {a} is {f} faster than {b}."),
        "formal": ("{a} yields {f} the throughput of {b}.", "Relative to {b}, {a} is {f} as fast."),
        "second": ("{a} is more fast {f} than {b}.", "The speed of {a} is {f} of {b}."),
        "de": ("{a} ist {f} so schnell wie {b}.",),
        "es": ("{a} es {f} más rápido que {b}.",),
    },
    "time": {
        "plain": (
            "{b} takes {f} as long as {a}.", "{b} took {f} longer than {a}.", "{a} is {f} faster than {b}.",
        ),
        "terse": ("{a} vs {b}: {f} faster",),
        "chatty": ("{b} takes {f} as long as {a}, ouch.",),
        "formal": ("The training time of {b} is {f} that of {a}.",),
        "second": ("The time of {b} is {f} of {a}.",),
    },
}  # fmt: skip
#: a change by a percentage: of a rate (more), of seconds (less)
PERCENT: Table = {
    "rate": {
        "plain": (
            "{a} has a {p} higher throughput than {b}.", "The throughput of {a} is {p} higher than that of {b}.",
            "Throughput increases by {p} from {b} to {a}.", "Compared to {b}, {a} processes {p} more per second.",
        ),
        "terse": ("{a} vs {b}: +{p} throughput",),
        "chatty": ("By switching from {b} to {a} I gained {p} of throughput.",),
        "formal": ("Relative to {b}, throughput rises by {p} for {a}.",),
        "second": ("The throughput is increased {p} when change {b} to {a}.",),
        "de": ("Der Durchsatz steigt um {p} von {b} zu {a}.",),
        "es": ("El rendimiento aumenta un {p} de {b} a {a}.",),
    },
    "time": {
        "plain": (
            "{a} needs {p} less time than {b}.", "The training time drops by {p} from {b} to {a}.",
            "Compared to {b}, {a} saves {p} of the time.", "{a} takes {p} less time than {b}.",
        ),
        "terse": ("{a} vs {b}: {p} less time",),
        "chatty": ("Going from {b} to {a} saved me {p} of the training time.",),
        "formal": ("Relative to {b}, the training time is reduced by {p} for {a}.",),
        "second": ("The time is decreased {p} when change {b} to {a}.",),
        "de": ("Die Trainingszeit sinkt um {p} von {b} zu {a}.",),
        "es": ("El tiempo de entrenamiento baja un {p} de {b} a {a}.",),
    },
    "memory": {
        "plain": ("{b} needs {p} more memory than {a}.", "Memory grows by {p} from {a} to {b}."),
        "terse": ("{a} -> {b}: +{p} memory",),
        "formal": ("Peak memory rises by {p} from {a} to {b}.",),
    },
}  # fmt: skip
#: two figures set against each other
FROM_TO: Table = {
    "any": {
        "plain": (
            "The {fig} went from {vb} to {va}, going from {b} to {a}.", "{a}: {va}, {b}: {vb} ({fig}).",
            "The {fig} is {va} for {a} and {vb} for {b}.", "The {fig} changed from {vb} ({b}) to {va} ({a}).",
            "For {b} and {a} the {fig} was {vb} and {va}, respectively.",
            "Compared to {b} ({vb}), {a} has a {fig} of {va}.", "We measured {vb} for {b} vs {va} for {a} ({fig}).",
        ),
        "terse": ("{fig}: {vb} ({b}) vs {va} ({a})", "{fig} {b}/{a}: {vb} / {va}"),
        "chatty": ("So from {b} to {a} the {fig} moved from {vb} to {va}.",),
        "formal": ("The {fig} amounts to {vb} and {va} for {b} and {a}, respectively.",),
        "second": ("The {fig} is change from {vb} to {va} when {b} change to {a}.",),
    },
}  # fmt: skip
RANKING: Table = {
    "any": {
        "plain": (
            "{a} was {best}.", "{a} is {best} of all.", "Overall, {a} was {best} of the {n} settings.",
            "Of the {n} settings, {a} was {best}.", "The best choice in terms of {fig} is {a}.",
            "{a} had the {top} {fig}.", "The {top} {fig} was obtained with {a}.",
        ),
        "terse": ("winner: {a} ({fig})", "{a} {best}", "best {fig}: {a}"),
        "chatty": ("And the winner is {a}, it was {best}!", "{a} was clearly {best}."),
        "formal": ("Among all {n} settings, {a} proved {best}.", "The {top} {fig} is attained by {a}."),
        "second": ("{a} is {best} from all.", "We can see {a} have the {top} {fig}."),
        "de": ("Am besten schnitt {a} ab ({fig}).",),
        "es": ("El mejor resultado ({fig}) se obtuvo con {a}.",),
    }
}  # fmt: skip
COMPARED: Table = {
    "any": {
        "plain": ("{a} is {comp} than {b}.", "{a} was {comp} than {b}.", "Compared to {b}, {a} is {comp}."),
        "terse": ("{a} {comp} than {b}",),
        "chatty": ("As expected, {a} was {comp} than {b}.", "Turns out {a} is {comp} than {b}."),
        "formal": ("{a} proved {comp} than {b}.",),
        "second": ("{a} is more better, it is {comp} than {b}.",),
    }
}
EFFECT: Table = {
    "rate": {
        "plain": (
            "{more} are faster.", "{more} give a higher throughput.", "The throughput grows with the {set}.",
            "Increasing the {set} increases the throughput.", "{less} are slower.",
        ),
        "terse": ("{more} = higher throughput",),
        "chatty": ("So {more} really speed things up.",),
        "formal": ("Throughput increases with the {set}.",),
        "second": ("When {set} is increase, the throughput also is increase.",),
    },
}  # fmt: skip
EFFECT_REVERSED: Table = {
    "rate": {
        "plain": (
            "{more} are slower.", "{more} give a lower throughput.", "The throughput falls with the {set}.",
            "Increasing the {set} decreases the throughput.", "{less} are faster.",
        ),
        "terse": ("{more} = lower throughput",),
        "chatty": ("So {more} really slow things down.",),
        "formal": ("Throughput decreases with the {set}.",),
        "second": ("When {set} is increase, the throughput is decrease.",),
    },
}  # fmt: skip
NO_EFFECT: Table = {
    "any": {
        "plain": (
            "The {set} has no effect on the {fig}.", "Changing the {set} made no difference to the {fig}.",
            "The {fig} does not depend on the {set}.", "There is no difference in {fig} between {a} and {b}.",
        ),
        "terse": ("{set}: no effect on {fig}",),
        "chatty": ("The {set} didn't change the {fig} at all.",),
        "formal": ("No influence of the {set} on the {fig} was found.",),
        "second": ("The {set} is not affect the {fig}.",),
    }
}  # fmt: skip
TOTAL: Table = {
    "time": {
        "plain": (
            "All {n} runs together took {val}.", "In total the {n} runs took {val}.", "{val} in all for the {n} runs.",
            "The total time of all runs is {val}.", "That makes {val} of training in total.",
        ),
        "terse": ("total: {val}", "sum of all {n} runs: {val}"),
        "chatty": ("All in all I spent {val} on these {n} runs.",),
        "formal": ("The cumulative training time over all {n} runs is {val}.",),
        "second": ("All the {n} runs is cost {val} together.",),
        "de": ("Alle {n} Läufe zusammen dauerten {val}.",),
        "es": ("En total, los {n} entrenamientos tardaron {val}.",),
    }
}  # fmt: skip
#: conclusions that only repeats could carry; the pair: what is claimed, what a careful person says instead
NOISE_CLAIMED: Table = {
    "accuracy": {
        "plain": (
            "{a} is more accurate than {b}.", "{a} gives a better accuracy than {b}, so I would use {a}.",
            "{a} clearly improves the accuracy over {b}.", "The accuracy is better with {a} than with {b}.",
            "{a} generalises better than {b}.",
        ),
        "terse": ("{a} better acc than {b}",),
        "chatty": ("So {a} is definitely more accurate than {b}.",),
        "formal": ("{a} yields a significantly higher accuracy than {b}.",),
        "second": ("The accuracy of {a} is more good than {b}.",),
        "de": ("{a} ist genauer als {b}.",),
        "es": ("{a} es más preciso que {b}.",),
    }
}  # fmt: skip
NOISE_ADMITTED: Table = {
    "accuracy": {
        "plain": (
            "The accuracies of {a} and {b} are within the noise of the repeats.",
            "Between {a} and {b} the repeats differ as much as the settings, so I cannot say which is better.",
            "I see no clear difference in accuracy between {a} and {b}.",
            "{a} and {b} are equally accurate within the run-to-run variation.",
        ),
        "terse": ("{a} vs {b}: no clear difference in acc",),
        "chatty": ("Honestly, {a} and {b} look the same to me, the repeats jump around just as much.",),
        "formal": ("The difference in accuracy between {a} and {b} lies within the run-to-run variation.",),
        "second": ("Between {a} and {b} the accuracy is same, the repeats have same difference.",),
        "de": ("{a} und {b} unterscheiden sich nicht über das Rauschen hinaus.",),
        "es": ("No hay una diferencia clara de exactitud entre {a} y {b}.",),
    }
}  # fmt: skip
#: what someone set, said of the run right here
SET_HERE: Table = {
    "any": {
        "plain": ("I ran it {w}.", "Here I trained {w}.", "This run is {w}.", "The model was trained {w}."),
        "terse": ("{run}:", "now {run}"),
        "chatty": ("Now let's try it {w}!", "Next up: {run}."),
        "formal": ("The following run was conducted {w}.",),
        "second": ("In this I did run {w}.", "Here is {w}."),
        "de": ("Dieser Lauf wurde {w} durchgeführt.",),
        "es": ("Esta ejecución se hizo {w}.",),
    }
}  # fmt: skip
FAILED_TRUE: Table = {
    "any": {
        "plain": ("{run} ran out of memory.", "{w} it crashed with an out-of-memory error.", "{run} did not fit in memory, so there is no result."),
        "terse": ("{run}: OOM",),
        "chatty": ("Sadly {run} blew up with CUDA out of memory.",),
        "formal": ("The run {w} terminated with an out-of-memory error.",),
        "second": ("{run} is not possible, memory is not enough.",),
    }
}  # fmt: skip


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
    text = template.format(**fields)
    return text[0].upper() + text[1:] if text.endswith((".", "!")) and "=" not in text.split(" ")[0] else text
