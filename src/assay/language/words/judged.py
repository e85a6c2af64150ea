"""Cues that only rules of the audit ask for, side by side."""

from __future__ import annotations

#: what was processed: a budget is so much of it
DATA = "samples | data | examples | sequences | budget | budgets"
#: one budget set against another
UNEQUAL = "half | twice | doubl* | times | fold | fewer | more | less | different | unequal"
LARGER = "larger | smaller | bigger"
EQUAL = "same | equal"
#: which of two models is better, however it is measured
MODELS = "best model | better model | worse model | worst model | converg*"
MODEL = "model trained | model with | model of"
#: how fast, in words that name no figure
PACE = "performance | fast | efficien*"
WEAK = "weak scaling"
#: seconds that hold more than the training
COVERS_MORE = "includ* | total | whole | overall | altogether | compil* | queu* | wait*"
ALL_OF_IT = "everything | setup | all | together | job | session | wall"
OVERFIT = "overfit* | over fit*"
#: someone says what they did
SUBJECT = "i | we"
DOING = "ran | doubling | halving | increasing | decreasing | reducing | lowering | raising"
CAME_OF = (
    "result | results | resulted | resulting | led | produced | increased | decreased | reduced | improved | "
    "finished | took | trained"
)
ENDED = "finished | completed | ran | trained"
SOONER = "faster | slower | sooner | earlier | quicker"
#: and what they did not manage
UNDONE = (
    "fail* | error* | crash* | invalid | not available | refus* | unable | cannot | could not | couldn't | did not | "
    "didn't | does not | doesn't"
)
#: heads of columns that hold what was set, beside the settings that are known
SET_BY_HAND = (
    "batch | interval | setting | optimizer | optimiser | eps | epsilon | decay | momentum | drop out | beta | "
    "warmup | warm up | hidden | layers | heads | vocab | precision | version | seq | nodes"
)
COUNTS = "params | parameters | classes | size | step | steps"
#: what a page shows and its author did not run with
NOT_MINE = (
    "default* | original* | tutorial* | template* | before | unchanged | sample | samples | given | provided | example*"
)
#: devices that do not take a batch each
SPLIT_MODEL = "tensor parallel* | pipeline parallel* | model parallel* | context parallel* | expert parallel* | tp | pp"
BLOCK = "token block | context block"
#: `the latency of 1000 inferences` is not that of one
TIMED = "inferences | samples | runs | times | iterations | images | inputs | requests"
#: machines that a page may not be about
MACHINES = (
    "gpu | cpu | a100 | h100 | v100 | h200 | rtx | tpu | t4 | laptop | desktop | pc | machine | colab | baseline | "
    "literature | expected | published"
)
