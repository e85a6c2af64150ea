"""What a program says about itself: from any Python, any language, any process, and never to its harm."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PYTHON, Assay

import assay as package

PACKAGE = Path(package.__file__).parent
SOURCES = [PACKAGE / "__init__.py", PACKAGE / "callbacks.py"]
#: what settings and texts are looked at with before they are sent, and what finds the package
ALSO = [*sorted((PACKAGE / "facts").glob("secret*.py")), PACKAGE / "inside/assay/__init__.py"]


def interpreters() -> list[str]:
    """Every Python from 3.8 on that can be found here, whatever it was installed with."""
    candidates = [shutil.which(f"python3.{minor}") for minor in range(8, 15)]
    candidates += map(str, (Path.home() / ".pyenv/versions").glob("3.*/bin/python3"))
    found = {}
    for path in filter(None, candidates):
        asked = subprocess.run(
            [path, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=False
        )
        if asked.returncode == 0 and tuple(map(int, asked.stdout.split())) >= (3, 8):
            found[asked.stdout.strip()] = path
    return sorted(found.values()) or [sys.executable]


@pytest.mark.parametrize("path", [*SOURCES, *ALSO], ids=lambda path: path.name)
def test_the_source_is_python_38_and_imports_nothing_of_ours(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    ours = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    allowed = ("facts.secret", "secret", "api")  # the library is loaded by those who ask for it, late
    assert all(str(node.module or node.names[0].name).startswith(allowed) for node in ours)
    assert not any(node in tree.body for node in ours if node.names[0].name == "api")
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any(name.startswith("assay.") for name in imported)


SPEAKING = """
import assay, os, sys
assay.params(batch_size=64, model='tiny', api_key='hunter2')
assert 'click' not in sys.modules
with assay.phase('load'): pass
with assay.phase('train'):
    for step in range(3): assay.log(step=step, loss=1 / (step + 1))
assay.result(accuracy=0.75, perplexity=12.5)
"""


@pytest.mark.parametrize("python", interpreters())
def test_any_python_can_speak_without_installing_anything(assay: Assay, python: str) -> None:
    done = assay("run", "--", python, "-B", assay.script(SPEAKING))
    assert done.returncode == 0, done.stderr
    summary = assay.summary()
    assert summary["params"] == {"batch_size": 64, "model": "tiny", "api_key": "***"}
    assert summary["loss"] == pytest.approx(1 / 3)
    assert (summary["steps"], summary["accuracy"]) == (2, 0.75)
    assert summary["metrics"] == {"perplexity": 12.5}
    assert set(summary["phases"]) == {"load", "train"}
    assert sum(summary["phase_shares"].values()) == pytest.approx(1, abs=1e-5)


def test_without_a_listener_every_call_returns_at_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [PYTHON, "-c", SPEAKING + "\nassert not assay.listening()\nassert 'json' not in sys.modules"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCES[0].parent.parent)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert list(tmp_path.iterdir()) == []


def test_any_other_language_appends_json_lines(assay: Assay) -> None:
    script = """
echo '{"step": 1, "loss": 0.5}' >> "$ASSAY_EVENTS"
sleep 0.3
echo '{"kind": "result", "accuracy": 0.9}' >> "$ASSAY_EVENTS"
echo 'this is no JSON' >> "$ASSAY_EVENTS"
echo '{"step": 2, "loss": 0.25}' >> "$ASSAY_EVENTS"
"""
    assay("run", "-q", "--interval", "0.05", "--", "sh", "-c", script)
    summary = assay.summary()
    assert (summary["steps"], summary["loss"], summary["accuracy"]) == (2, 0.25, 0.9)
    assert len(summary["problems"]) == 1
    (run,) = json.loads(assay("show", "--json").stdout)
    assert run["steps"] == 2


def test_lines_without_a_date_are_dated_by_when_they_came(assay: Assay) -> None:
    script = 'echo \'{"step": 1}\' >> "$ASSAY_EVENTS"; sleep 0.4; echo \'{"step": 2}\' >> "$ASSAY_EVENTS"; sleep 0.2'
    assay("run", "-q", "--interval", "0.05", "--", "sh", "-c", script)
    from assay.store.layout import RunDir
    from assay.store.reading import read_events

    at = {event.value("step"): event.at_s for event in read_events(RunDir(assay.run_dir()))}
    assert 0.2 < at[2] - at[1] < 2.0


def test_a_phase_that_a_shell_names_is_as_long_as_it_was_whatever_the_interval(assay: Assay) -> None:
    script = """
echo '{"kind": "phase", "name": "train", "edge": "begin"}' >> "$ASSAY_EVENTS"
sleep 0.4
echo '{"kind": "phase", "name": "train", "edge": "end"}' >> "$ASSAY_EVENTS"
"""
    assay("run", "-q", "--interval", "30", "--", "sh", "-c", script)
    summary = assay.summary()
    assert 0.1 < summary["phases"]["train"] <= summary["wall_s"]


def test_forked_workers_write_separate_files(assay: Assay) -> None:
    script = """
import assay, os
assay.log(step=0, who='parent')
for worker in range(3):
    if os.fork() == 0:
        for step in range(100): assay.log(step=step, worker=worker)
        os._exit(0)
for _ in range(3): os.wait()
"""
    assay("run", "-q", "--", PYTHON, "-c", script)
    found = [event for event in assay.events() if event["kind"] == "metric"]
    assert len(found) == 301
    assert {event.get("worker") for event in found} == {None, 0, 1, 2}


def test_threads_do_not_tear_each_others_lines(assay: Assay) -> None:
    script = """
import assay, threading
def work(n):
    for step in range(500): assay.log(step=step, thread=n, pad='x' * 300)
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
"""
    assay("run", "-q", "--", PYTHON, "-c", script)
    assert len([event for event in assay.events() if event["kind"] == "metric"]) == 2000


def test_odd_values_never_stop_a_program(assay: Assay) -> None:
    script = """
import assay
class Tensor:
    def item(self): return 0.125
class Array:
    def item(self): raise ValueError('only one element arrays can be converted')
    def tolist(self): return [1, 2]
class Odd:
    def __str__(self): return 'odd'
loop = []; loop.append(loop)
assay.log(step=1, loss=Tensor(), many=Array(), other=Odd(), nan=float('nan'), kind='mine', t='mine')
assay.log(step=2, bad=loop)
assay.log(step=3, text='\\udcff')
print('still here')
"""
    assert assay("run", "-q", "--", PYTHON, "-c", script).stdout == b"still here\n"
    first = next(event for event in assay.events() if event.get("step") == 1)
    assert (first["loss"], first["many"], first["other"], first["kind"]) == (0.125, [1, 2], "odd", "metric")
    assert isinstance(first["t"], float)
    assert assay.summary()["steps"] == 3


def test_of_many_ranks_the_first_one_is_shown(assay: Assay) -> None:
    script = "import os, assay; assay.log(step=5, loss=float(os.environ['RANK']) + 1)"
    inner = " ".join(f"RANK={rank} {PYTHON} -c '{script}';" for rank in (1, 0, 2))
    assay("run", "-q", "--", "sh", "-c", inner.replace("'RANK'", "chr(82)+chr(65)+chr(78)+chr(75)"))
    assert assay.summary()["loss"] == 1.0


def test_percentages_become_fractions(assay: Assay) -> None:
    assay("run", "-q", "--", PYTHON, "-c", "import assay; assay.result(accuracy=98.5)")
    assert assay.summary()["accuracy"] == pytest.approx(0.985)


HUGGINGFACE = """
import torch, assay.callbacks
from transformers import Trainer, TrainingArguments
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.layer = torch.nn.Linear(4, 1)
    def forward(self, x, labels):
        out = self.layer(x); return {'loss': ((out - labels) ** 2).mean(), 'logits': out}
data = [{'x': torch.ones(4) * i, 'labels': torch.ones(1)} for i in range(16)]
arguments = TrainingArguments(output_dir='out', max_steps=8, logging_steps=2, per_device_train_batch_size=4,
    report_to=[], save_strategy='no', use_cpu=True, disable_tqdm=True, learning_rate=0.001)
trainer = Trainer(model=Model(), args=arguments, train_dataset=data, eval_dataset=data)
trainer.add_callback(assay.callbacks.huggingface())
trainer.train(); trainer.evaluate()
"""

LIGHTNING = """
import torch, lightning, assay.callbacks
class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__(); self.layer = torch.nn.Linear(4, 1)
    def training_step(self, batch, index): return (self.layer(batch) ** 2).mean()
    def validation_step(self, batch, index): self.log('val_loss', (self.layer(batch) ** 2).mean())
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.001)
data = torch.utils.data.DataLoader(torch.ones(16, 4), batch_size=4)
trainer = lightning.Trainer(max_epochs=2, accelerator='cpu', logger=False, enable_checkpointing=False,
    enable_progress_bar=False, callbacks=[assay.callbacks.lightning(every_n_steps=2)])
trainer.fit(Model(), data, data)
"""


@pytest.mark.slow
def test_hugging_face_trainer_speaks_through_its_callback(assay: Assay) -> None:
    pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    done = assay("run", "-q", "--", PYTHON, assay.script(HUGGINGFACE))
    assert done.returncode == 0, done.stderr.decode()
    summary = assay.summary()
    assert summary["params"]["batch_size"] == 4
    assert summary["params"]["max_steps"] == 8
    assert summary["steps"] == 8
    assert "loss" in summary
    assert "eval_loss" in summary["metrics"]
    assert summary["phases"]["train"] > 0


@pytest.mark.slow
def test_lightning_speaks_through_its_callback(assay: Assay) -> None:
    pytest.importorskip("lightning")
    done = assay("run", "-q", "--", PYTHON, assay.script(LIGHTNING))
    assert done.returncode == 0, done.stderr.decode()
    summary = assay.summary()
    assert summary["steps"] == 8
    assert "loss" in summary
    assert "val_loss" in summary
    assert summary["phases"]["train"] > 0
