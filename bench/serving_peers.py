"""Our client beside aiperf 0.13 and guidellm 0.8 on one server with known delays: what they report, and what they take.

    ASSAY_PEERS=FOLDER python bench/serving_peers.py [--rounds 3]

FOLDER holds an environment for each, `FOLDER/aiperf` and `FOLDER/guidellm` (python -m venv, pip install aiperf==0.13.0,
guidellm==0.8.1); one that is not there is left out. They take turns. The bars: medians of TTFT and of the time per
output token within 5 % of each other, and at most half of their CPU time for a token. That is the difference between a
long and a short run, so that what a tool needs to start does not count. Where two medians are further apart, what the
server dated itself shows whose delay it is.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "serving")]

from known import Known, serving_known  # noqa: E402
from tiny_llama import make  # noqa: E402

from assay.reading.reports import results  # noqa: E402

MODEL, TOKENS = "known/ttft=200/itl=20", 100
FIGURES = {"ttft_p50_ms": "TTFT p50", "tpot_p50_ms": "TPOT p50"}
Tool = Callable[[Known, Path, int, int], dict[str, float]]


def ours(server: Known, folder: Path, at_once: int, requests: int) -> dict[str, float]:
    words = [f"url={server.url}", f"model={MODEL}", f"concurrency={at_once}", f"requests={requests}"]
    words += [f"output_len={TOKENS}", "input_len=64", "warmup=2"]
    run([sys.executable, "-m", "assay.serving.endpoint", *words], folder, ASSAY_EVENTS=f"{folder}/events.jsonl")
    found: dict[str, float] = {}
    lines = [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]
    for event in map(json.loads, lines):
        found.update(event if event["kind"] == "result" else {})
    return found


def aiperf(server: Known, folder: Path, at_once: int, requests: int) -> dict[str, float]:
    words = ["profile", "-m", MODEL, "--url", server.url.removesuffix("/v1"), "--endpoint-type", "chat", "--streaming"]
    words += ["--concurrency", at_once, "--request-count", requests, "--warmup-request-count", 2, "--isl", 64]
    words += ["--osl", TOKENS, "--tokenizer", folder.parent / "llama", "--ui", "none", "--artifact-dir", folder / "a"]
    run([PEERS / "aiperf/bin/aiperf", *words], folder)
    return read(folder / "a" / "profile_export_aiperf.json")


def guidellm(server: Known, folder: Path, at_once: int, requests: int) -> dict[str, float]:
    words = ["run", "--backend", f"kind=openai_http,target={server.url.removesuffix('/v1')},model={MODEL}"]
    words += ["--profile", f"kind=concurrent,streams={at_once}", "--constraint", f"kind=max_requests,count={requests}"]
    words += ["--tokenizer", f"kind=huggingface_auto,model={folder.parent / 'llama'}"]
    words += ["--data", f"kind=synthetic_text,prompt_tokens=64,output_tokens={TOKENS}"]
    words += ["--output", f"kind=json,path={folder / 'g.json'}", "--disable-console"]
    run([PEERS / "guidellm/bin/guidellm", *words], folder, HF_HUB_OFFLINE="1")
    return read(folder / "g.json")


PEERS = Path(os.environ.get("ASSAY_PEERS", "/nowhere"))
TOOLS: dict[str, Tool] = {"assay": ours, "aiperf": aiperf, "guidellm": guidellm}


def run(words: list[object], folder: Path, **env: str) -> None:
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env={**os.environ, **env}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{words[0]} failed: {done.stdout[-1000:]}{done.stderr[-2000:]}")


def read(path: Path) -> dict[str, float]:
    ((said, _),) = results(json.loads(path.read_bytes()))
    return said.figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    tools = {name: tool for name, tool in TOOLS.items() if name == "assay" or (PEERS / name / "bin" / name).exists()}
    if len(tools) == 1:
        print("no aiperf and no guidellm in $ASSAY_PEERS: left out (how to install them stands in this file)")
        return
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "llama")
        with serving_known(Path(folder)) as server:
            bad = medians(tools, server, Path(folder), rounds) + costs(tools, server, Path(folder), max(1, rounds - 1))
    sys.exit(1 if bad else 0)


def medians(tools: dict[str, Tool], server: Known, folder: Path, rounds: int) -> int:
    """How often we are more than 5 % from a peer and further than it from what the server dated itself."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in tools}
    told: list[dict[str, float]] = []
    for turn in range(rounds):
        for name in turned(list(tools), turn):
            found[name].append(measured(tools[name], server, folder, 8, 32))
            told.append(by_server(server))
    print(f"8 in flight, {rounds} rounds in turns, medians in ms (TTFT 200 and 20 between tokens by schedule)")
    bad = 0
    for figure, label in FIGURES.items():
        values = {name: median(one[figure] for one in runs) for name, runs in found.items()}
        true = median(one[figure] for one in told)
        print(f"  {label}: {'  '.join(f'{name} {value:.2f}' for name, value in values.items())}  the server {true:.2f}")
        for name in [name for name, value in values.items() if abs(value / values["assay"] - 1) > 0.05]:
            theirs, own = abs(values[name] - true), abs(values["assay"] - true)
            bad += own > theirs
            print(f"    {name} is {theirs:.1f} ms from what the server dated, assay {own:.1f} ms")
    return bad


def by_server(server: Known) -> dict[str, float]:
    """What the server dated itself."""
    told = [one for one in server.answers() if len(one["sent_s"]) == TOKENS]
    ttft = median(1e3 * (one["sent_s"][0] - one["arrived_s"]) for one in told)
    tpot = median(1e3 * (one["sent_s"][-1] - one["sent_s"][0]) / (TOKENS - 1) for one in told)
    return {"ttft_p50_ms": ttft, "tpot_p50_ms": tpot}


def costs(tools: dict[str, Tool], server: Known, folder: Path, rounds: int) -> int:
    """How many peers take less than twice our CPU time for a token."""
    found: dict[str, list[float]] = {name: [] for name in tools}
    few, many = 64, 512
    for turn in range(rounds):
        for name in turned(list(tools), turn):
            spent = [
                cpu_s(lambda count=count, name=name: measured(tools[name], server, folder, 64, count))
                for count in (few, many)
            ]
            found[name].append(1e6 * (spent[1] - spent[0]) / ((many - few) * TOKENS))
    values = {name: median(one) for name, one in found.items()}
    print(f"64 in flight, CPU time of the client for each further token, {rounds} rounds")
    print("  " + "  ".join(f"{name} {value:.0f} µs" for name, value in values.items()))
    return sum(value < 2 * values["assay"] for name, value in values.items() if name != "assay")


def measured(tool: Tool, server: Known, folder: Path, at_once: int, requests: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(dir=folder) as own:
        return tool(server, Path(own), at_once, requests)


def cpu_s(work: Callable[[], object]) -> float:
    """Of the processes that it started and waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def turned(names: list[str], by: int) -> list[str]:
    return names[by % len(names) :] + names[: by % len(names)]


if __name__ == "__main__":
    main()
