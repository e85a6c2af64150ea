"""What is said of two runs or more: ratios, rankings, effects, totals; the fields are those of `wordings.py`."""

from __future__ import annotations

from .voices import Table

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
    }
}  # fmt: skip
