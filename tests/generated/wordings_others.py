"""Sentences that accuse nobody: plans, defaults, denials, what others did, an earlier try, another machine.

`{run}` and `{w}` name a setting that no run of the page has, `{v}` its value, `{acc}` a figure of someone else, `{min}`
some minutes of another machine, `{kept}` a setting that was left alone.
"""

from __future__ import annotations

from random import Random

PLANS = (
    "Next I want to try {run}.", "As a next step, I would run it {w}.", "It would be interesting to try {run} as well.",
    "I plan to repeat this {w}.", "Future work: {run}.", "If there is time left, I will also run it {w}.",
    "TODO: try {run}", "We leave {run} for future work.", "In the next days I will test also {run}.",
)  # fmt: skip
DENIALS = (
    "I did not try {run}.", "I have not run it {w}.", "I wanted to try {run} but the queue was too long.",
    "{run} was not tested.", "Unfortunately I had no time for {run}.", "We did not run it {w}, since it would take too long.",
    "I did not change the {kept}.", "The {kept} was not changed.",
)  # fmt: skip
OTHERS = (
    "My classmate got {acc} {w}.", "The paper reports {acc} for this model.", "According to the tutorial one should get {acc}.",
    "In the lecture the instructor showed a run {w} that reached {acc}.", "Others in the forum report {acc} {w}.",
    "The README of the repository mentions {acc}.", "A colleague of mine, who used {run}, got {acc}.",
    "State of the art on this data set is {acc}.",
)  # fmt: skip
ELSEWHERE = (
    "On my laptop the same script takes about {min} minutes.", "On Colab this took me {min} minutes last week.",
    "For comparison: on the CPU of my desktop it needs {min} minutes.",
    "Last semester I did the same exercise on a V100, where it took {min} minutes.",
    "A friend ran it on an H100 in {min} minutes.",
)  # fmt: skip
EXPECTED = (
    "I expected to reach {acc}.", "Before running it I would have guessed {acc}.", "If I had used {run}, it might have been different.",
    "I would expect {run} to behave similarly.", "In theory {run} should not change much.", "My hope was to get to {acc}.",
)  # fmt: skip
DEFAULTS = (
    "The default in the script is {run}.", "By default the script uses {run}, which I overrode.",
    "To change it, pass the corresponding flag on the command line.", "The assignment suggests {run}, but I chose my own values.",
)  # fmt: skip
EARLIER = (
    "In an earlier attempt, with an older version of the code, I got {acc}.",
    "My first try last week, with a different model, only got {acc}.",
    "Before I fixed a bug in the data loader, I saw {acc}.",
)  # fmt: skip
AROUND = (
    "The full output is pasted here.", "I had to wait in the queue for quite some time.", "See the log.",
    "Everything was run on one node of the cluster.", "The node has 64 cores and 512 GB of memory.",
    "The environment was set up as described in the instructions.", "I used Python 3.10 and PyTorch 2.1.",
    "There were a few warnings, which I ignored.", "Below is what was printed.", "The model has 1.2 million parameters.",
    "The data set was downloaded on the first start.", "Es folgt die Ausgabe.", "A continuación se muestra la salida.",
)  # fmt: skip
ALL = (PLANS, DENIALS, OTHERS, ELSEWHERE, EXPECTED, DEFAULTS, EARLIER, AROUND, AROUND)


def bystander(rng: Random, fields: dict[str, str]) -> str:
    """One of them, chosen by its kind first."""
    text = rng.choice(rng.choice(ALL)).format(**fields)
    return text[0].upper() + text[1:]
