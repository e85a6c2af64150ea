"""What came out of one run, and what it was set to, in many words; the fields are those of `wordings.py`."""

from __future__ import annotations

from .voices import Table

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
    },
    "loss": {
        "plain": ("The {fig} is {val}.", "The {fig} was {val}.", "It ended at a {fig} of {val}.", "{fig}: {val}"),
        "terse": ("{fig} {val}", "{fig} = {val}"),
        "chatty": ("The {fig} went all the way down to {val}.", "The {fig} came out at {val}."),
        "formal": ("The {fig} amounts to {val}.", "Training concluded with a {fig} of {val}."),
        "second": ("The {fig} is arrive {val}.", "At last the {fig} is {val}."),
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
    },
    "latency": {
        "plain": ("The {fig} is {val}.", "The {fig} was {val}.", "We see a {fig} of {val}.", "{fig}: {val}"),
        "terse": ("{fig} {val}", "{fig} = {val}"),
        "chatty": ("Here the {fig} is {val}.",),
        "formal": ("The {fig} amounts to {val}.",),
        "second": ("The {fig} is like {val}.",),
    },
    "memory": {
        "plain": ("The {fig} was {val}.", "It needed {val} of memory at most.", "{fig}: {val}", "Memory peaked at {val}."),
        "terse": ("{fig} {val}", "mem {val}"),
        "chatty": ("Memory went up to {val}.",),
        "formal": ("The {fig} amounts to {val}.", "A {fig} of {val} was recorded."),
        "second": ("The memory what it use at most is {val}.",),
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
    },
    "loss": {
        "plain": ("{w}, the {fig} is {val}.", "The {fig} {w} was {val}.", "{run} ended at a {fig} of {val}."),
        "terse": ("{run}: {fig} {val}",),
        "chatty": ("{w} the {fig} got down to {val}.",),
        "formal": ("The {fig} obtained {w} amounts to {val}.",),
        "second": ("{w} the {fig} is become {val}.",),
    },
    "time": {
        "plain": (
            "{run} took {val}.", "{w}, training took {val}.", "The {fig} {w} was {val}.", "{w} it finished in {val}.",
        ),
        "terse": ("{run}: {val}", "{run} took {val}"),
        "chatty": ("{run} needed {val}, I went for a coffee meanwhile.", "{w} I waited {val}."),
        "formal": ("{w}, the {fig} amounted to {val}.",),
        "second": ("{w} the training is finished in {val}.", "When using {run} it cost {val}."),
    },
    "rate": {
        "plain": (
            "{w}, the {fig} was {val}.", "{run} reached {val}.", "The {fig} {w} is {val}.", "{run} processes {val}.",
        ),
        "terse": ("{run}: {val}", "{run} -> {val}"),
        "chatty": ("{w} the thing runs at {val}.",),
        "formal": ("{w}, a {fig} of {val} was observed.",),
        "second": ("{w} the speed is arrive to {val}.",),
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

#: what someone set, said of the run right here
SET_HERE: Table = {
    "any": {
        "plain": ("I ran it {w}.", "Here I trained {w}.", "This run is {w}.", "The model was trained {w}."),
        "terse": ("{run}:", "now {run}"),
        "chatty": ("Now let's try it {w}!", "Next up: {run}."),
        "formal": ("The following run was conducted {w}.",),
        "second": ("In this I did run {w}.", "Here is {w}."),
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
