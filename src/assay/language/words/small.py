"""Small words of grammar, side by side, where one that means two things is seen."""

from __future__ import annotations

#: between a comparing word and what it is compared with
THAN_ONLY = "than"
#: what opens the other side of a comparison
COMPARED = "compared | relative | versus | vs | against | than"
#: by the word before the first value, those that may stand before the second
MOVES = {"from": "to", "change": "to", "changing": "to", "changed": "to", "between": "to"}
#: before what is counted or measured by: `with the batch size`
WITH = "with"
#: things that an ordinal may number
RUNS = "run | runs | one | experiment | trial | attempt | configuration | setup"
#: before the size of a difference
BY = "by"
#: before a level that was reached
LEVEL = "to | from | of | at | is | was | were | with"
OF = "of"
TIMES_WORDS = "times"
#: what a number before it counts, whatever stands before the number: `the node has 64 cores`
THINGS = (
    "cores | core | threads | cpus | layers | heads | parameters | classes | files | lines | students | figures | "
    "plots | tables | people"
)
REPEATS = "run | seed | trial | rep | repeat | repetition | fold | try"
#: what people call the two sides of a table that compares a processor with an accelerator
CHIPS, HOSTS = "chip | accelerator", "cpu | host"
CORES = "cores | core | cpus"
#: a single one does not count as a number: `the node has two sockets`
ONE_OF_MANY = "node | task | process | worker | gpu | device"
PER = "per"
#: between two values of one list
JOINS = "and | or | vs | versus | against | then | to"
#: other work that takes time: `the queue took 40 minutes`
OTHER_WORK = (
    "queue | queueing | queuing | setup | setting up | installing | installation | environment | downloading | "
    "download | loading | tokenizing | tokenizer | tokenization | preprocessing | debugging | writing | waiting | "
    "warmup"
)
#: before `16 requests/s` that were sent, whatever was answered
SENT = "arrival | arrive | arrived | arrives | arriving | load | offered | send | sending | sends | sent"
#: whose tokens/s are those of one among many
ONE_USER = "user | stream | session | client | caller"
#: after it a figure is of one more try, whose log may not be here
AGAIN = "repeated | again | reran | rerun"
#: between a figure and the run that it is of: `0.31 for 2 tasks and 0.37 for 8 tasks`
FOR = "for | with | at | using"
#: before the two ends of a range
BETWEEN = "between"
#: between two numbers that share the unit of the second
BETWEEN_TWO = "to | and | or | vs | against"
#: a clause that begins with one of these is read separately
TURNS = "but | while | whereas | although | though | however | yet | except"
#: where one thing said of a number ends and the next begins
BREAKS = "and | but"
#: what ends a noun that a superlative belongs to
NO_NOUN = "with | at | for | when | in | using | by | under | on | is | was"
#: what ends the thing that a factor is of
ENDS = "as | with | when | for | at | than"
#: after which a difference is of nothing that follows
ASIDE = "than | when | with | going | for | using"
#: work that is done, and no figure of it
WORK = "work | job | amount | number | computations | examples | images | size | data | cores | parameters | model"
#: nouns of a difference: `a drop of 3 %`
MOVED = (
    "increase | decrease | drop | gain | rise | reduction | improvement | difference | speedup | change | decline | "
    "loss"
)
#: beginnings of verbs that say what came of something
CAUSED = "result* | led | lead* | gave | give* | caus* | yield* | improv* | made | make* | produc* | brought"
#: paces and limits, no lengths of runs
PACES = "every | interval | intervals | sampling | per | each | poll | sleep | wait | timeout | limit"
#: what texts in other languages are full of, to know them by
FOREIGN = (
    "się | jest | oraz | przez | dla | że | był | bir | ile | için | bu | daha | olarak | che | di | della | gli | "
    "nel | abbiamo | sono | è | het | een | niet | voor | werd | zijn | och | att | är | og | ikke | på | som | "
    "että | oli | jsme | který | při | hogy | egy | nem | yang | dengan | untuk | și | amb | és | der | das | und | "
    "ist | mit | von | bei | wurde | auf | für | nach | dem | eine | beträgt | el | los | las | del | fue | que | "
    "una | para | por | con | les | avec | pour | une | dans | est | foi | uma | com"
)
#: words of an author who knows that a run reused a compiled program
CACHED = (
    "cach* | precompiled | pre compiled | already compiled | compile time | compilation time | compiling time | "
    "compilation was skipped"
)
#: verbs of memory that a run takes
USED = (
    "used | uses | needed | needs | takes | took | consumed | consumes | allocated | allocates | occupied | "
    "occupies | consume"
)
#: before what a machine has, and a run does not use
OWNS = "has | have | had | with | offers"
#: things that have memory: `the 32 GB card`
OWNERS = "card | cards | gpu | gpus | node | machine | laptop | device | file"
#: verbs whose object is a result, where it is given in per cent and nothing is named
REACHES = (
    "reach | reaches | reached | gets | get | got | achieves | achieved | scores | scored | attains | attained | "
    "stays | stayed | ends"
)
#: what may follow a result that stands without its name
AFTER_FIGURE = "on | after | with | at | in | for | which | when"
#: nouns whose number is a factor
SPEEDUPS = "speedup | speedups"
#: after the number of runs that are spoken of together
SEVERAL_RUNS = "runs | experiments | trainings"
#: what every sentence of a person has two of, and a line of a program hardly one
IN_SENTENCES = "the | a | an | is | was | are | of | to | and | i | we | in | for | with | that | this | it"
#: small words that people use and programs hardly print: two of them make a line a sentence
TOLD = (
    "a | is | was | are | were | we | i | it | than | that | which | because | so | but | although | has | had | "
    "have | our | my | this | these | them | both | only | about | almost | by | the"
)
#: at every epoch or step
EACH = "each | every | monotonically | monotonous | monotone"
#: until the end, though perhaps not at every step
THROUGHOUT_WORDS = (
    "kept | keeps | throughout | continued | continues | keep | still | always | steadily | continuously | consistently"
)
#: before the moment from which on something is so
SINCE = "after | from | since"
UNTIL, END = "until | till", "end | final"
PEAKS = "peaked | peaks | peak"
#: in a label, words that name no run
COMMON = (
    "run | runs | log | logs | output | result | results | with | without | for | and | on | of | in | first | "
    "second | third | one | two | three | following | below | above | training | test | here | then | setting | "
    "settings | baseline | default | case | note | model | python | bash | text | yes | no | none | ok | done | "
    "failed | total | mean"
)
ALL_OF_THEM = "all | these | every | overall | repeats | repetitions"
EFFICIENCY = "efficiency"
#: after `the best`, what is weighed by more than one figure
WEIGHED = (
    "compromise | trade | tradeoff | choice | value | option | balance | deal | pick | candidate | fit | bet | buy"
)
#: efficiencies that are none of scaling
OTHER_EFFICIENCY = "cpu | memory | energy | power | cost | data | sample | gpu | fuel | cooling"
#: words that say nothing of when or where a claim holds
PLAIN = (
    "the | a | an | is | are | was | were | be | been | has | have | had | it | its | we | our | i | my | of | to | "
    "by | as | from | at | with | on | in | for | and | or | both | all | each | every | these | those | this | "
    "they | them | their | one | ones | here | so | also | even | far | much | just | out | up | again | thus | "
    "hence | therefore | overall | indeed | table | log | logs | figure | results | result | see | seen | shows | "
    "show | showed | that | run | runs | training | train | trains | trained | model | setting | settings | "
    "configuration | configurations | gpu | gpus | card | cards | node | nodes | device | devices | machine | trial "
    "| trials | experiment | experiments | precision | reach | reaches | reached | achieve | achieves | achieved | "
    "get | gets | got | give | gives | gave | take | takes | took | need | needs | needed | use | uses | used | "
    "draw | draws | drew | deliver | delivers | delivered | perform | performs | performed | process | processes | "
    "processed | finish | finishes | finished | score | scores | scored | end | ends | ended | come | comes | came "
    "| turned | turns | kept | keeps | keep | throughout | went | goes | going | parallel | scaling | efficiency | "
    "times | percent | percentage | points | point | value | values | most | least | performance | compared | "
    "versus | vs | against | than | half | total | whole | fast | quick | still | average | long | slow | seconds | "
    "minutes | down | job | jobs | text | generate | generates | generated | produces | produced"
)
#: words that begin a condition, and words that may
CONDITIONS = (
    "when | if | unless | until | before | after | because | once | whenever | during | initially | originally | "
    "previously | theoretically | formerly"
)
WHEN = (
    "while | since | where | which | who | without | within | except | excluding | besides | only | under | recently | "
    "normally | usually | typically | locally | early | for | on | in | at | with"
)
