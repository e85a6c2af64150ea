"""Small words of grammar in every language, side by side, where one that means two things is seen."""

from __future__ import annotations

#: between a comparing word and what it is compared with
THAN_ONLY = "than | als | que | do que | 比"
#: what opens the other side of a comparison
COMPARED = (
    "compared | relative | versus | vs | against | than | im vergleich | verglichen | gegenüber | en comparación "
    "| comparado | comparada | frente a | respecto a | par rapport | comparé | comparée | em comparação | em "
    "relação | als"
)
#: by the word before the first value, those that may stand before the second
MOVES = {
    "from": "to", "change": "to", "changing": "to", "changed": "to",
    "between": "to", "von": "auf | zu", "de": "a | à | hasta | para", "desde": "a | hasta",
    "从": "到", "由": "到",
}  # fmt: skip
#: verbs that end an opening without a comma: `Im Vergleich zu 8 Tasks ist …`
BEING = "ist | sind | war | waren | dauert | dauerte | braucht | läuft"
#: before what is counted or measured by: `with the batch size`
WITH = "with | mit | con | avec | com"
#: things that an ordinal may number
RUNS = (
    "run | runs | one | experiment | trial | attempt | configuration | setup | lauf | versuch | experimento | "
    "ejecución | corrida | prueba | essai | execução"
)
#: before the size of a difference
BY = "by | um | un"
#: before a level that was reached
LEVEL = (
    "to | from | of | at | is | was | were | with | auf | bei | von | beträgt | betrug | ist | mit | es | fue |"
    " de | del | à | est"
)
OF = "of | von | de"
TIMES_WORDS = "times | mal | veces | fois | vezes"
#: of languages that write their decimals with a comma, and of no other
COMMA_WORDS = (
    "der | das | und | ist | mit | von | bei | wurde | auf | für | nach | dem | eine | beträgt | el | la | los | las |"
    " del | es | fue | que | una | para | por | les | avec | pour | une | dans | foi | uma"
)
#: what a number before it counts, whatever stands before the number: `the node has 64 cores`
THINGS = (
    "cores | core | threads | cpus | layers | heads | parameters | classes | files | lines | students | figures |"
    " plots | tables | people | kerne | kernen | schichten | klassen | núcleos | hilos | capas | clases | cœurs |"
    " couches | camadas"
)
REPEATS = "run | seed | trial | rep | repeat | repetition | fold | try | lauf | versuch | ejecución | corrida | essai"
#: what people call the two sides of a table that compares a processor with an accelerator
CHIPS, HOSTS = "chip | accelerator", "cpu | host"
CORES = "cores | core | cpus | kerne | kernen | núcleos | cœurs"
#: a single one does not count as a number: `the node has two sockets`
ONE_OF_MANY = "node | task | process | worker | gpu | device | knoten | nodo | tarea | nœud | tâche | nó | tarefa"
PER = "per | pro | por | par | 每"
#: between two values of one list
JOINS = (
    "and | or | vs | versus | against | then | to | auf | bis | a | hasta | und | oder | bzw | y | o | et | ou | e | "
    "和 | 与"
)
#: other work that takes time: `the queue took 40 minutes`
OTHER_WORK = (
    "queue | queueing | queuing | setup | setting up | installing | installation | environment | downloading |"
    " download | loading | tokenizing | tokenizer | tokenization | preprocessing | debugging | writing | waiting |"
    " warmup | warteschlange | einrichten | laden | cola | instalar | cargar"
)
#: before `16 requests/s` that were sent, whatever was answered
SENT = "arrival | arrive | arrived | arrives | arriving | load | offered | send | sending | sends | sent"
#: whose tokens/s are those of one among many
ONE_USER = "user | stream | session | client | caller"
#: after it a figure is of one more try, whose log may not be here
AGAIN = "repeated | again | reran | rerun | wiederholt | nochmal | repetí | repetido"
#: between a figure and the run that it is of: `0.31 for 2 tasks and 0.37 for 8 tasks`
FOR = "for | with | at | using | für | bei | mit | con | para"
#: before the two ends of a range
BETWEEN = "between | zwischen | entre"
#: between two numbers that share the unit of the second
BETWEEN_TWO = "to | and | or | vs | against | auf | und | bis | zu | a | y | et | e | 到 | 和"
#: a clause that begins with one of these is read separately
TURNS = (
    "but | while | whereas | although | though | however | yet | except | aber | während | obwohl | jedoch | "
    "sondern | hingegen | pero | mientras | aunque | sino | mais | tandis | mas | enquanto | embora | 但 | 而 | 但是"
)
#: where one thing said of a number ends and the next begins
BREAKS = "and | but | und | aber | y | pero | et | e | mas"
#: what ends a noun that a superlative belongs to
NO_NOUN = (
    "with | at | for | when | in | using | by | under | on | is | was | mit | bei | für | wenn | ist | war | con "
    "| para | cuando | en | es | fue | hatte | hat | tuvo | tiene | avec | pour"
)
#: what ends the thing that a factor is of
ENDS = "as | with | when | for | at | than | wie | mit | bei | als | que | con | como"
#: after which a difference is of nothing that follows
ASIDE = "than | when | with | going | for | using | als | wenn | mit | que | cuando | con"
#: work that is done, and no figure of it
WORK = (
    "work | job | amount | number | computations | examples | images | size | data | cores | parameters | model |"
    " anzahl | menge | daten | größe | número | cantidad | datos | tamaño"
)
#: nouns of a difference: `a drop of 3 %`
MOVED = (
    "increase | decrease | drop | gain | rise | reduction | improvement | difference | speedup | change | decline"
    " | loss | anstieg | zunahme | abnahme | rückgang | verbesserung | unterschied | beschleunigung | aumento | "
    "mejora | reducción | diferencia | descenso | caída | incremento | aceleración"
)
#: beginnings of verbs that say what came of something
CAUSED = (
    "result* | led | lead* | gave | give* | caus* | yield* | improv* | made | make* | produc* | brought | führt* "
    "| brachte | ergab | ergibt | bewirkt* | provoc* | produj* | llev* | dio | da"
)
#: paces and limits, no lengths of runs
PACES = (
    "every | interval | intervals | sampling | per | each | poll | sleep | wait | timeout | limit | alle | jede |"
    " jeden | cada | intervalo | abstand | zeitlimit | límite"
)
#: what texts of languages without words here are full of, to know them by; no word of those that have some
FOREIGN = (
    "się | jest | oraz | przez | dla | że | był | bir | ile | için | bu | daha | olarak | che | di | della | gli | "
    "nel | abbiamo | sono | è | het | een | niet | voor | werd | zijn | och | att | är | og | ikke | på | som | "
    "että | oli | jsme | který | při | hogy | egy | nem | yang | dengan | untuk | și | amb | és"
)
#: words of an author who knows that a run reused a compiled program
CACHED = (
    "cach* | precompiled | pre compiled | already compiled | compile time | compilation time | compiling time | "
    "compilation was skipped | vorkompiliert | bereits kompiliert | ya compilado | precompilado"
)
#: verbs of memory that a run takes
USED = (
    "used | uses | needed | needs | takes | took | consumed | consumes | allocated | allocates | occupied | occupies | "
    "brauchte | braucht | benötigt | benötigte | belegt | belegte | usó | usa | necesita | necesitó | consume | "
    "consumió"
)
#: before what a machine has, and a run does not use
OWNS = "has | have | had | with | offers | hat | haben | mit | tiene | con"
#: things that have memory: `the 32 GB card`
OWNERS = "card | cards | gpu | gpus | node | machine | laptop | device | karte | knoten | tarjeta | nodo | file | datei"
#: verbs whose object is a result, where it is given in per cent and nothing is named
REACHES = (
    "reach | reaches | reached | gets | get | got | achieves | achieved | scores | scored | attains | attained | "
    "stays | stayed | ends | erreicht | erreichte | erreichen | alcanza | alcanzó | logra | logró | obtiene | obtuvo | "
    "obtenemos | obtuvimos"
)
#: what may follow a result that stands without its name
AFTER_FIGURE = "on | after | with | at | in | for | which | when | auf | nach | mit | bei | en | con | tras | después"
#: nouns whose number is a factor
SPEEDUPS = "speedup | speedups | beschleunigung | aceleración | accélération | aceleração"
#: after the number of runs that are spoken of together
SEVERAL_RUNS = "runs | experiments | trainings | läufe | experimente | versuche | ejecuciones | experimentos | corridas"
#: what every sentence of a person has two of, and a line of a program hardly one
IN_SENTENCES = (
    "the | a | an | is | was | are | of | to | and | i | we | in | for | with | that | this | it | der | die | das | "
    "ein | eine | ist | war | und | mit | für | von | bei | ich | wir | auf | el | la | los | las | es | fue | y | "
    "con | para | una | que | le | les | est | était | et | avec | pour | une | dans | o | os | foi | com | uma | não"
)
#: small words that people use and programs hardly print: two of them make a line a sentence
TOLD = (
    "a | is | was | are | were | we | i | it | than | that | which | because | so | but | although | has | had | "
    "have | our | my | this | these | them | both | only | about | almost | by | the | der | die | das | ist | war | "
    "und | wir | ich | el | la | los | es | fue | que | con | una | un | ein | eine"
)
#: at every epoch or step
EACH = "each | every | monotonically | monotonous | monotone | jeder | jede | jedem | cada"
#: until the end, though perhaps not at every step
THROUGHOUT_WORDS = (
    "kept | keeps | throughout | continued | continues | keep | still | always | steadily | continuously | consistently"
)
#: before the moment from which on something is so
SINCE = "after | from | since | ab | nach | seit | desde | tras"
UNTIL, END = "until | till | bis | hasta", "end | ende | final"
PEAKS = "peaked | peaks | peak"
#: in a label, words that name no run
COMMON = (
    "run | runs | log | logs | output | result | results | with | without | for | and | on | of | in | first | "
    "second | third | one | two | three | following | below | above | training | test | here | then | setting | "
    "settings | baseline | default | case | note | model | python | bash | text | yes | no | none | ok | done | "
    "failed | total | mean"
)
ALL_OF_THEM = "all | these | every | overall | repeats | repetitions | alle | todos | todas"
EFFICIENCY = "efficiency | effizienz | eficiencia"
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
