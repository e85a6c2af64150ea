"""English. A phrase is words in lower case; `*` stands for the rest of a word, `|` parts phrases."""

from __future__ import annotations

#: quantities beside the names and spellings that `quantities.py` has
TERMS = {
    "step_ms": "step time | step times | iteration time | iteration times | time per step | time per iteration",
    "ngl": "ngl | gpu layers | layers on the gpu | layers offloaded | offloaded layers | layers in vram",
    "cpu_eff": "cpu efficiency",
    "mem_eff": "memory efficiency | mem efficiency",
    "batch_size": "batch size | batch sizes | batchsize | batchsizes | mini batch size | minibatch size | mini batch "
    "sizes | train batch size | training batch size | bs | batch | batches",
    "test_batch_size": "test batch size | testing batch size | eval batch size | evaluation batch size | validation "
    "batch size | test batch sizes",
    "lr": "learning rate | learning rates | lr | step size",
    "epochs": "epoch | epochs | training epochs | number of epochs | number of training epochs | num epochs | # of "
    "epochs | passes over the data | passes through the data | epoch count",
    "max_steps": "max steps | maximum steps | max step | maximum number of steps",
    "steps": "steps | step | iterations | iteration | training steps | optimizer steps | updates | global step",
    "num_tasks": "tasks | task | ntasks | number of tasks | ntask | n tasks | slurm tasks",
    "num_nodes": "nodes | node | number of nodes | compute nodes",
    "num_procs": "processes | process | number of processes | ranks | workers | gpus | devices | ipus | accelerators | "
    "number of workers | number of gpus | cards | chips | replicas",
    "seq_len": "sequence length | sequence lengths | max sequence length | maximum sequence length | seq len | seq "
    "length | max seq length | msl | context length | seqlen | sequences length | context window",
    "grad_accum": "gradient accumulation | gradient accumulation steps | accumulation steps | micro batches",
    "seed": "seed | random seed | seeds",
    "dropout": "dropout | dropout rate",
    "weight_decay": "weight decay",
    "warmup_steps": "warmup steps | warm up steps",
    "concurrency": "concurrency | concurrent requests | max concurrency | concurrent users",
    "request_rate": "request rate | arrival rate",
    "input_len": "input length | prompt length | input tokens per request | isl",
    "output_len": "output length | osl",
    "accuracy": "accuracy | accuracies | acc | top 1 | top1 | top 1 accuracy | accurate",
    "loss": "loss | losses | cross entropy",
    "val_loss": "validation loss | val loss | eval loss | evaluation loss | dev loss",
    "test_loss": "test loss | testing loss | test set loss",
    "error_rate": "error rate | test error | top 1 error",
    "rate": "throughput | throughputs | through put | training rate | processing rate | training speed | speed | "
    "sample rate | rate | rates | globalrate | per second",
    "time": "time | times | runtime | run time | wall time | wall clock | wallclock | duration | training time | "
    "execution time | completion time | running time | elapsed | elapsed time | total time | processing time | "
    "seconds | minutes | hours | time to train | took | takes | take | lasted | lasts | needed | finished in | "
    "completed in | ran for | runs for | done in | finishes in | finished after | completed after",
    "latency": "latency | latencies | response time",
    "ttft_mean_ms": "ttft | time to first token | first token latency | time to the first token | "
    "for the first token | until the first token | first token",
    "tpot_mean_ms": "tpot | time per output token",
    "itl_mean_ms": "itl | inter token latency",
    "e2e_mean_ms": "end to end latency | e2e latency | e2el",
    "memory": "mem | peak mem | gpu mem | "
    "memory | memory usage | memory use | memory consumption | ram | rss | footprint | peak memory | memory "
    "footprint",
    "cpu_s": "cpu time | user time | sys time | system time | kernel time | cpu seconds | core hours | cpu hours",
    "cpu": "cpu | cpu usage | cpu utilization | cpu utilisation | cpu load | cpu use | cpu percentage",
    "utilisation": "utilization | utilisation | gpu utilization | gpu utilisation",
    "mfu": "mfu | model flops utilization | model flops utilisation",
    "energy": "energy | joules",
    "power": "power | watts",
    "samples": "samples | sample | examples | images | sequences",
    "tokens": "tokens | token",
    "perplexity": "perplexity | ppl",
    "f1": "f1 | f1 score",
    "queue": "queue time | queueing time | waiting time | wait time | queue wait | in the queue | waited",
    "compile": "compile time | compilation time | compiling took | compilation took | spent compiling",
    "checkpoint": "checkpoint time | checkpointing time | saving took",
    "load": "loading time | data loading time | load time",
}

#: units of a rate after a number, and what is counted
RATE_UNITS = {
    "samples": "samples / s | samples per second | samples per sec | samples a second | samples / sec | samples / "
    "second | images / s | images per second | images / sec | img / s | imgs / s | sequences / s | sequences per "
    "second | sequences / sec | seq / s | examples / s | examples per second | sample / s | image / s | samples each "
    "second | images a second | it samples / s | sps",
    "tokens": "tokens / s | tokens per second | tok / s | tokens / sec | tokens per sec | tps | t / s | token / s | "
    "tokens a second | tokens / second | toks / s | output tokens / s | output tokens per second | "
    "generated tokens per second | generated tokens / s | generated output tokens per second | output tok / s",
    "inferences": "ips | inferences / s | inferences per second | inferences / sec | inf / s | inferences a second",
    "requests": "requests / s | requests per second | req / s | qps | rps | queries per second | queries / s",
    "steps": "steps / s | it / s | steps per second | iterations per second | iter / s | steps / sec | batches / s",
}

#: what a figure is of
SPLITS = {
    "train": "training | train | training set | train set | on the training data",
    "val": "validation | val | dev | eval | evaluation | validation set",
    "test": "test | testing | test set | held out | test data | test dataset | unseen",
}
#: what one value stands for
SCOPES = {
    "device": "per device | per gpu | per ipu | per accelerator | per chip | per card | per replica | on each gpu | "
    "each gpu | each device | each of | local | micro | per worker | per rank | per process | per task | per node | "
    "each worker | each rank | each process | each node | on each | per core | per gpu/device | every gpu | each ipu "
    "| per tile",
    "global": "global | effective | total | overall | aggregate | combined",
    "epoch": "per epoch | each epoch | every epoch | an epoch | a single epoch | for one epoch | one epoch",
    "step": "per step | each step | a step | every step | per iteration | per batch | each iteration",
    "sample": "per sample | per image | a sample | each sample | per example | per sequence",
    "token": "per token | each token | a token",
}
AVERAGES = {
    "mean": "average | averaged | mean | on average | avg | averages | averaging | global rate | overall rate | global "
    "throughput | overall throughput | globalrate",
    "median": "median | p50",
    "p99": "p99 | 99th percentile | worst percent | slowest percent",
    "p95": "p95 | 95th percentile",
    "p90": "p90 | 90th percentile",
    "p99.9": "p99.9",
    "max": "peak | maximum | max | at most | highest seen | peaked",
    "min": "minimum | min",
    "total": "in total | together | in all | altogether | total | totals | sum | combined | all together | overall | "
    "summed | cumulative | adds up to | add up to | totalling | totaling",
    "std": "standard deviation | std | stdev | ± | +/- | variance | spread",
    "initial": "initial | initially | at the start | in the beginning | started at | starting at | starts at | at "
    "first | first epoch | at the beginning | at step 1 | starting from",
}

#: which way something moved; a word may say of which figure it speaks
UP = {
    "": "increas* | rise | rises | risen | rising | rose | grow | grows | grew | grown | growing | higher | more | "
    "larger | bigger | greater | climb* | jump* | went up | goes up | going up | go up | gain* | boost* | raised | "
    "raises | raising | up | above | exceed* | highest | extra | additional | ahead | multiplies | multiplied",
    "better": "improv* | better | help* | beneficial | outperform* | beat | beats | superior | wins",
    "speed": "faster | quicker | speeds up | sped up | speed up | speedup | speedups | speeding up | speed ups | as "
    "fast | accelerate | accelerates | accelerated | accelerating | acceleration | speed things up | "
    "speeds things up | more fast | more quickly | earlier than",
    "time": "longer | as long",
    "accuracy": "more accurate | more accurately | generalises better | generalizes better | generalise better | "
    "generalize better",
    "latency": "less responsive",
}
DOWN = {
    "": "decreas* | drop* | declin* | reduc* | fell | fall | falls | falling | fallen | lower | lowered | lowering | "
    "lowers | less | fewer | shrink* | shrank | shrunk | smaller | went down | goes down | going down | go down | dip "
    "| dips | dipped | down | below | sav* | cut | cuts | cutting",
    "worse": "wors* | degrad* | deteriorat* | hurt | hurts | underperform*",
    "speed": "slower | slows down | slowed down | slow down | slowdown | as slow | slowing | slow things down | "
    "slows things down",
    "time": "shorter | shorten* | sooner | less time",
    "accuracy": "less accurate | less accurately", "memory": "lighter on memory", "latency": "more responsive",
}  # fmt: skip
FACTORS = {
    2.0: "doubl* | twice | two fold | twofold | two times",
    0.5: "halv* | half | cut in half | in half",
    3.0: "triple | triples | tripled | tripling | thrice | threefold",  # a triplet is a kind of loss
    4.0: "quadruple | quadruples | quadrupled | quadrupling | fourfold",
    10.0: "tenfold | an order of magnitude | one order of magnitude | order of magnitude | ten times",
}
#: the extreme of several, by which figure
BEST = {
    "speed+": "fastest | quickest",
    "speed-": "slowest",
    "accuracy+": "most accurate",
    "memory-": "lightest on memory", "latency-": "most responsive",
    "accuracy-": "least accurate",
    "time-": "shortest",
    "time+": "longest",
    "+": "highest | largest | greatest | biggest | most",
    "-": "lowest | smallest | least",
    "better": "best | winner | wins | optimal | won | outperforms all | superior to all",
    "worse": "worst",
}  # fmt: skip
SAME = (
    "same | identical | unchanged | constant | similar | similarly | equal | equally | no difference | no effect | no"
    " impact | no change | no influence | not depend | doesn't depend | not affect | doesn't affect | didn't affect |"
    " didn't change | doesn't change | no visible difference | no clear difference | did not change | does not change"
    " | does not affect | did not affect | no significant | makes no difference | made no difference | "
    "indistinguishable | comparable | stable | flat | independent of | unaffected | negligible | hardly any | not "
    "matter | nearly the same"
)
LINEAR = "linear | linearly | proportional | proportionally | in proportion | perfectly | perfect scaling"
CLEARLY = (
    "clearly | significantly | significant | definitely | substantially | obviously | without doubt | always | "
    "considerably | noticeably | markedly"
)
SLIGHTLY = "slightly | a bit | a little | marginally | somewhat | a tiny bit | modestly | minor | small"
#: which glue may stand between a term and its number
LINKS = (
    "is | was | are | were | of | to | at | as | with | set | equals | equal | being | be | a | an | the | it | until"
    " | in | value | values | flag | parameter | that | which | has | had | have | we | i | got | get | gets | gave |"
    " gives | reached | reaches | reaching | reach | achieved | achieves | achieving | attained | obtained | hit | "
    "hits | came | comes | out | ended | ends | ending | up | stood | stands | stays | stayed | remained | measured |"
    " reported | shows | showed | shown | yielded | yields | yielding | resulting | resulted | results | result | now"
    " | only | just | still | then | final | finally | overall | last | takes | took | taking | dropped | drops | "
    "dropping | fell | falls | rose | rises | increased | increases | decreased | decreases | changed | reduced | "
    "raised | lowered | bumped | improved | improves | went | goes | down | back | here | there | on | by | for | my "
    "| our | this | run | runs | running | training | test | data | dataset | set's | model | model's | number | used"
    " | using | also | and so | after | was at | script | file | config | configuration | code | yaml"
)
ABOUT = (
    "about | around | roughly | nearly | almost | approximately | approx | circa | ca | some | close to | near | ~ | "
    "≈ | just over | just under | just above | just below | a little over | a little under | slightly over | slightly"
    " under | slightly above | slightly below | give or take | a bit over | a bit under | a bit above | a bit below |"
    " a bit more than | a bit less than | just shy of | or so | -ish | in the order of | on the order of | approx."
)
AT_LEAST = (
    "more than | over | at least | above | greater than | > | ≥ | >= | no less than | upwards of | exceeding | beyond"
)
AT_MOST = "less than | under | at most | below | up to | < | ≤ | <= | no more than | fewer than | within"

#: what was not done by the author, in a run that is here
SUPPOSED = (
    "would | could | might | may | should | 'd | i will | we will | i'll | we'll | will be | will not | won't | going"
    " to | gonna | hope | hopes | wish | wished | wishes | goal was | target was | aim was | expectation | next time "
    "| next experiment | in future | in the future | future work | one can | you can | we can | can be set | can be "
    "changed | can be passed | want to | wanted to | wants to | plan to | planned to | planning to | plan on | hope "
    "to | hoped to | intend to | intended to | intends to | meant to | mean to | forgot to | expect | expects | "
    "expected | expecting | try to | need to | needs to | one passes | one sets | one has to | you pass | you set | "
    "you need | you have to | you must | recommended | recommends | recommend | suggested | suggests | advis* | "
    "suppose | supposed to | assume | assuming | assumed | imagine | predict | predicts | predicted | estimate | "
    "estimated | estimates | probably | likely | theoretical | theoretically | in theory | theory | typically | "
    "generally | usually | often | tends to | tend to | if i | if we | if you | if one | had we | todo | to do | "
    "suspect* | hypothes* | maybe | perhaps | in principle | ideally | goal is | target is | aim is | aim to | aims "
    "to | aimed at | looking for | no time for | no time to | no time left | not enough time | interesting to try | "
    "interesting to see | left out | skipped | not yet | not try | not tried | never tried | not test | not tested"
)
DEFAULTS = "default | defaults"
OTHERS = (
    "paper | lecture | course | homework | assignment | exercise | instructions | instruction | tutorial | docs | "
    "documentation | colleague | colleagues | classmate | classmates | others | instructor | professor | teaching "
    "assistant | the original | course's | sample run | sample output | sample log | the authors | the author | "
    "literature | blog | readme | published | vendor | website | reference implementation | a friend | my friend | my"
    " partner | state of the art | leaderboard | someone | slides | another student | other students | other groups | "
    "reference result | my roommate | my labmate | my lab mate | a labmate | my teammate | our teammate | "
    "the other team | another team | another group | the other group | the ta | our ta | my supervisor | my advisor"
)
OTHER_VERBS = (
    "ask* | use | uses | used | show | shows | showed | had | has | say | says | said | want | wants | require* | "
    "suggest* | recommend* | report | reports | reported | state | states | claims | claim | gives | got | get | "
    "achieve* | reach* | quotes | lists | is | was | in the | according | ran | runs | run | trained | needed | needs"
    " | took | takes | measured | did | told | wrote | mentions | mentioned | trains | gets | obtains"
)
ELSEWHERE = (
    "on my laptop | on a laptop | my laptop | on the laptop | on colab | colab | on my desktop | on my pc | my own "
    "machine | on another machine | at home | my desktop | on my machine"
)
EARLIER = (
    "last week | last year | last month | last semester | last term | "
    "last time | yesterday | previous homework | last homework |"
    " earlier homework | previous assignment | last assignment | earlier attempt | previous attempt | first attempt |"
    " earlier try | an earlier run | in an earlier | previously | in the previous | in a previous | before that | "
    "originally | in the last session | a previous run | earlier version | previous version | used to be | "
    "in part one | in part 1 | old release | older release | previous release | previous post | last post | "
    "first version | i wrote | we wrote | i claimed | we claimed | i had written | i thought | we thought | i believed"
)
FAILED = (
    "fail | fails | failed | failing | failure | crash* | did not fit | didn't fit | does not fit | doesn't fit | not"
    " fit | did not work | didn't work | did not run | didn't run | did not start | did not finish | didn't finish | "
    "could not | couldn't | out of memory | oom | never started | never finished | never left | never ran | never "
    "worked | refused | rejected | killed | unable | impossible | error | errors | timed out | still queued | still "
    "waiting | still in the queue | not possible | not able | not complete | didn't complete | aborted | cancelled | "
    "canceled"
)
ADMITTED = (
    "no effect | not have any effect | had no effect | still ran | still runs | still shows | still showed | still "
    "says | still said | still used | still uses | still with | still at | ignored | overwritten | overridden | "
    "overrides | overwrites | not applied | not actually applied | not in effect | did not take effect | didn't take "
    "effect | not take effect | log says | log shows | logs show | log showed | log still | log prints | in reality |"
    " did not take | was not changed | not actually"
)
NOT = (
    "not | no | n't | never | without | neither | nor | cannot | none | hardly | didn't | doesn't | don't | isn't | "
    "wasn't | weren't | can't | couldn't | won't | barely | nothing | wasnt | isnt | didnt | doesnt | dont | werent"
)
INSTEAD = (
    "instead of | rather than | in place of | not | unlike | compared to | compared with | versus | vs | than | as "
    "opposed to"
)
ASKED = "task | assignment | exercise | homework | question | instructions | instruction | goal | objective | todo | q"
THAN = "than | compared to | compared with | versus | vs | vs. | against | over | relative to | as opposed to"
FROM, TO = "from | between", "to | and | until | down to | up to | through"
#: of a run on its way, not of one against another
WITHIN = (
    "during training | during the training | over training | throughout | over time | over the epochs | over the "
    "course | in the course | as training | while training | starts at | starts from | started at | started from | "
    "initially | each step | every step | in the beginning | at the beginning | at the start | at first | quickly | "
    "steadily | rapidly | gradually | after the first | after each epoch | over the steps | first epoch | last epoch "
    "| during the run | within the first | runs reduce | runs decrease | all the way down | first step | end of the "
    "epoch | at the end | over the first | after the first epoch | as the training"
)
#: of every run on the page
ALL_RUNS = (
    "all runs | every run | each run | all experiments | every experiment | all models | all of the runs | all of my "
    "runs | all my runs | all our runs | throughout | all trainings | both runs | all the runs | all configurations"
)
NOISE = "noise | run to run | variation | variations | repeats | jitter"
RESPECTIVELY = "respectively | resp | in that order | in this order | in turn"
ORDER = {
    1: "first | 1st | run 1 | initial run | former",
    2: "second | 2nd | run 2 | latter",
    3: "third | 3rd | run 3",
    4: "fourth | 4th | run 4",
    -1: "last | final run | last one",
}
DID = (
    "ran | run | running | trained | train | used | use | using | set | changed | tried | increased | decreased | "
    "reduced | raised | lowered | doubled | halved | modified | varied | measured | executed | launched | repeated | "
    "compared | tested | re-ran | reran | doubling | halving | increasing | decreasing | reducing | lowering | "
    "raising | changing | switched | switching | went"
)
WE = "i | we | my | our | us | me"
PART = (
    "after | first | last | every | within | another | each | initial | final | by | at | since | until | till | "
    "before | during | around | through | in | from"
)
