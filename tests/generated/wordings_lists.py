"""Several figures in one sentence, words in place of numbers, differences, and conclusions about scaling and budgets.

Beside the fields of `wordings.py`: `{runs}` "8, 16 and 32", `{vals}` their figures in the same order, `{many}` "twice",
`{d}` a difference with its unit, `{k}` how many times the samples, `{steps}` a count of steps.
"""

from __future__ import annotations

from .voices import Table

LISTED: Table = {
    "any": {
        "plain": (
            "The {fig} for {runs} is {vals}, respectively.", "For {runs} we get a {fig} of {vals} respectively.",
            "{fig}: {vals} (for {runs}, in this order).", "With {runs}, the {fig} was {vals} respectively.",
        ),
        "terse": ("{fig} ({runs}): {vals}",),
        "chatty": ("So for {runs} I got {vals} as {fig}, in that order.",),
        "formal": ("The {fig} amounts to {vals} for {runs}, respectively.",),
        "second": ("The {fig} of {runs} are {vals} respectively.",),
    }
}  # fmt: skip
#: the repeats of a section, one after the other
ORDINALS: Table = {
    "any": {
        "plain": (
            "The first run had a {fig} of {va}, the second {vb}.", "{fig}: {va} in the first run and {vb} in the second.",
            "The two runs gave a {fig} of {va} and {vb}.", "First try: {va}, second try: {vb} ({fig}).",
        ),
        "terse": ("{fig}: {va} / {vb}", "1st {va}, 2nd {vb} ({fig})"),
        "chatty": ("I ran it twice: the {fig} was {va} the first time and {vb} the second time.",),
        "formal": ("The {fig} amounts to {va} in the first and to {vb} in the second repetition.",),
        "second": ("In first run {fig} is {va}, in second run is {vb}.",),
    }
}  # fmt: skip
#: `{many}`: twice, three times, one and a half times
MULTIPLE: Table = {
    "rate": {
        "plain": (
            "{a} is {many} as fast as {b}.", "{a} has {many} the throughput of {b}.", "{a} processes {many} as many per second as {b}.",
            "We get {many} the throughput when going from {b} to {a}.",
        ),
        "chatty": ("{a} is like {many} as fast as {b}!",),
        "formal": ("{a} attains {many} the throughput of {b}.",),
        "second": ("The throughput of {a} is {many} of {b}.",),
    },
    "time": {
        "plain": ("{b} takes {many} as long as {a}.", "{b} needs {many} the time of {a}.", "{a} is {many} as fast as {b}."),
        "chatty": ("I had to wait {many} as long for {b} as for {a}.",),
        "formal": ("{b} requires {many} the time of {a}.",),
        "second": ("{b} is need {many} time of {a}.",),
    },
}  # fmt: skip
DIFFERENCE: Table = {
    "time": {
        "plain": ("{b} took {d} longer than {a}.", "{a} finished {d} earlier than {b}.", "{a} was {d} faster than {b}."),
        "terse": ("{a} vs {b}: {d} less",),
        "chatty": ("{a} saved me {d} compared to {b}.",),
        "formal": ("The duration of {a} is {d} shorter than that of {b}.",),
        "second": ("{a} is less {d} than {b}.",),
    },
    "accuracy": {
        "plain": (
            "{a} is {d} more accurate than {b}.", "The accuracy of {a} is {d} higher than that of {b}.",
            "{a} improves the accuracy by {d} over {b}.",
        ),
        "terse": ("{a} vs {b}: +{d}",),
        "chatty": ("{a} gives me {d} more than {b}, in accuracy.",),
        "formal": ("Relative to {b}, accuracy rises by {d} for {a}.",),
        "second": ("Accuracy of {a} is up {d} from {b}.",),
    },
}  # fmt: skip
LINEAR_TRUE: Table = {
    "rate": {
        "plain": (
            "The throughput grows less than linearly with the {set}.", "The scaling with the {set} is sublinear.",
            "The throughput does not scale linearly with the {set}.",
        ),
        "chatty": ("It's far from linear scaling in the {set}, sadly.",),
        "formal": ("Throughput scales sublinearly with the {set}.",),
    }
}  # fmt: skip
LINEAR_FALSE: Table = {
    "rate": {
        "plain": (
            "The throughput grows linearly with the {set}.", "The scaling with the {set} is linear.",
            "The throughput scales perfectly linearly with the {set}.", "The throughput is proportional to the {set}.",
        ),
        "chatty": ("It's perfect linear scaling in the {set}!",),
        "formal": ("Throughput scales linearly with the {set}.",),
    }
}  # fmt: skip
#: a lower loss after as many steps of larger batches
BUDGET_TRUE: Table = {
    "loss": {
        "plain": (
            "After the same {steps} steps {a} has the lower loss, but it has also seen {k} times as many samples as {b}.",
            "{a} ends at a lower loss than {b}; since it saw {k} times the samples, this is not a fair comparison.",
        ),
        "chatty": ("{a} has a lower loss than {b}, but of course it got {k} times the data.",),
    }
}  # fmt: skip
BUDGET_FALSE: Table = {
    "loss": {
        "plain": (
            "After the same {steps} steps {a} has the lower loss, so it learns better than {b}.",
            "{a} ends at a lower loss than {b} and is therefore the better choice for the quality of the model.",
            "{a} converges better than {b}, as its loss after {steps} steps is lower.",
        ),
        "chatty": ("{a} has a lower loss than {b}, so it clearly trains the better model.",),
    }
}  # fmt: skip
#: the same of speeds that repeats do not tell apart
NOISE_SPEED_CLAIMED: Table = {
    "any": {
        "plain": ("{a} is faster than {b}.", "{a} trains a bit faster than {b}.", "{a} has the better speed, so I would choose it over {b}."),
        "terse": ("{a} faster than {b}",),
        "chatty": ("{a} was a little faster than {b}, so the {set} matters for speed.",),
        "formal": ("{a} yields a higher speed than {b}.",),
        "second": ("{a} is more fast than {b}.",),
    }
}  # fmt: skip
NOISE_SPEED_ADMITTED: Table = {
    "any": {
        "plain": (
            "I see no difference in speed between {a} and {b} beyond the noise.", "The {set} makes no visible difference to the speed.",
            "{a} and {b} are equally fast within the variation of the repeats.",
        ),
        "terse": ("{a} vs {b}: same speed",),
        "chatty": ("As for speed, {a} and {b} are the same to me.",),
        "formal": ("The speeds of {a} and {b} agree within the run-to-run variation.",),
        "second": ("The speed of {a} and {b} is same.",),
    }
}  # fmt: skip
