"""What the lines of Graphcore's examples and of its runtime look like."""

from __future__ import annotations

import re

_NUMBER = r"[-+]?(?:\d[\d,]*(?:\.\d*)?(?:[eE][-+]?\d+)?|nan|inf)"
_CLOCK = r"(?:\d+:)?\d{1,2}:\d\d"
PREFIX = re.compile(r"^\s*(?:\[\d+,\d+\]<std(?:out|err)>:\s*)+")
EPOCHS = re.compile(rf"Epochs:\s*(?P<percent>\d+)%\|[^|]*\|\s*(?P<done>\d+)/(?P<total>\d+)\s*\[(?P<elapsed>{_CLOCK})?")
LOSS_BAR = re.compile(
    rf"Loss:\s*(?P<loss>{_NUMBER})\s*\|\s*Accuracy:\s*(?P<accuracy>{_NUMBER})%\s*:\s*\d+%\|[^|]*\|\s*"
    r"(?P<done>\d+)/(?P<total>\d+)"
)
#: the rest of such a bar, where a warning was printed over its beginning
CUT_BAR = re.compile(rf"\| Accuracy:\s*{_NUMBER}%\s*:\s*\d+%\|[^|]*\|\s*\d+/(?P<total>\d+)")
EPOCH_OF = re.compile(r"\[INFO\] Epoch (?P<epoch>\d+)/(?P<total>\d+)\s*$")
EPOCH_FIGURE = re.compile(rf"\[INFO\] (?P<name>loss|accuracy): (?P<value>{_NUMBER})(?P<sign>\s*%)?,?\s*$")
TOOK = re.compile(rf"\[INFO\] Finished training\..{{0,80}}It took: (?P<elapsed>{_CLOCK})(?P<rest>\.\d+)?")
FRESH_BAR = re.compile(r"0/(?P<total>\d+)\s*\[00:00<\?")
GRAPH = re.compile(rf"Graph compilation:\s*(?P<percent>\d+)%\|[^|]*\|\s*\d+/\d+\s*\[(?P<elapsed>{_CLOCK})<")
TEST = re.compile(rf"Accuracy on test set:\s*(?P<accuracy>{_NUMBER})\s*%")
BERT_STEP = re.compile(
    rf"Step:\s*(?P<step>\d+)\s*/\s*(?P<total>\d+)\s*-\s*LR:\s*(?P<lr>{_NUMBER})\s*-\s*total loss:\s*(?P<loss>{_NUMBER})"
)
GPT_STEP = re.compile(
    rf"step (?P<step>\d+) of epoch (?P<epoch>\d+), loss: (?P<loss>{_NUMBER})(?:, acc: (?P<accuracy>{_NUMBER}))?"
    rf"(?:, lr: (?P<lr>{_NUMBER}))?"
)
THROUGHPUT = re.compile(rf"throughput:\s*(?P<rate>{_NUMBER})\s*samples/s")
UTILS = re.compile(rf"(?P<name>throughput|accuracy|loss)\s*=\s*'(?P<value>{_NUMBER})'")
SETTING = re.compile(
    r"^\s*(?P<name>global_batch_size|training_steps|device_iterations|micro_batch_size|gradient_accumulation|"
    r"replication_factor)\s*[:=]\s*(?P<value>\d[\d,]*)"
)
TRAINING_TIME = re.compile(r"Training time:\s*(?P<seconds>[\d.]+)\s*secs?")
COMPILED = re.compile(r"(?:Compiled/Loaded model in|Total compile time:)\s*(?P<seconds>[\d.]+)\s*sec")
LOADED = re.compile(r"Data loaded in\s*(?P<seconds>[\d.]+)\s*sec")
TOTAL = re.compile(r"Total runtime:\s*(?P<seconds>[\d.]+)\s*sec")
PROOF = re.compile(r"poptorch|popart|poplar|poprun|--> IPU|IPU\(s\)|Graph compilation", re.IGNORECASE)
#: words of the runtime itself: what follows them ran on IPUs, though Keras' own bars look the same everywhere
RUNTIME = re.compile(r"compiler/plugin/poplar/|\[poptorch:+(?:cpp|python)\]|\bPL:POP[A-Z]+ |\bpopart:session ")
#: PopRun tags the lines of its instances; the rest are bars and steps in a form that only the examples print
OWN = re.compile(
    rf"{PROOF.pattern}|\bPL:POP|TrainingModelWithLoss|^\s*\[\d+,\d+\]<std|Accuracy: [\d.]+% :\s*\d+%\||- total loss: "
    r"|of epoch \d+, loss: |Compiled/Loaded model in|(?:throughput|accuracy|loss) = '",
    re.IGNORECASE,
)
