"""No value of a study is ever read by a shell, however that shell is started."""

from __future__ import annotations

import shlex

import pytest

from assay.errors import UsageError
from assay.study.template import check


@pytest.mark.parametrize(
    "line",
    [
        'sh -c "echo {x}"',
        'bash -o pipefail -c "echo {x}"',
        'bash -eo pipefail -c "echo {x}"',
        'bash -euo pipefail -O extglob -c "echo {x}"',
        'bash +o histexpand -c "echo {x}"',
        'bash --norc --rcfile /dev/null -c "echo {x}"',
        'bash -lc "echo {x}"',
        'bash -c -e "echo {x}"',
        'bash -c -- "echo {x}"',
        'bash -co pipefail "echo {x}"',
        '/usr/bin/env -i A=1 bash -c "echo {x}"',
        'env -S "bash -c {x}"',
        'nice -n 5 sh -c "echo {x}"',
        'timeout -k 5 60 sh -c "echo {x}"',
        'sudo -u me sh -c "echo {x}"',
        'xargs -n 1 sh -c "echo {x}"',
        'docker exec box sh -c "echo {x}"',
        'srun -N 2 bash -lc "echo {x}"',
        'busybox sh -c "echo {x}"',
        "find . -exec sh -c 'echo {x}' ;",
        "ssh node python train.py --x {x}",
        "ssh -p 22 -o A=b node sh -c 'echo {x}'",
        "timeout 60 ssh me@node 'echo {x}'",
        "watch -n 1 echo {x}",
        "parallel echo {x}",
        "su me -c 'echo {x}'",
        "su --command='echo {x}' me",
        "flock /tmp/l -c 'echo {x}'",
        "fish --command='echo {x}'",
        "sh -c 'eval \"$1\"' sh {x}",
        "sh -c 'bash -c \"echo $1\"' sh {x}",
        "sh -c 'ssh node echo $1' sh {x}",
        "{x} -c 'echo {y}'",
        "bash -{x} 'echo hello'",
        "eval {x}",
    ],
)
def test_a_value_that_a_shell_would_read_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="which would run its value as shell code"):
        check(shlex.split(line), ["x", "y"])


@pytest.mark.parametrize(
    "line",
    [
        "python train.py --mode eval --batch-size {x}",
        "python train.py --backend ssh --n {x}",
        "python watch {x}",
        "sh -c 'echo \"$1\"' sh {x}",
        "bash -o pipefail -c 'cat \"$1\" | wc' bash {x}",
        "sh script.sh {x}",
        "bash -e {x}",
        "bash -o pipefail script.sh -c {x}",
        "ssh {x} nvidia-smi",
        "ssh -p {x} node nvidia-smi",
        "env A={x} python train.py",
        "timeout {x} python train.py --c {y}",
        "srun -c {x} python train.py",
        "taskset -c {x} python train.py",
        "python -c 'import sys; print(sys.argv)' {x}",
        "docker run image python train.py {x}",
        "{x} --lr {y}",
    ],
)
def test_a_value_that_stays_a_word_is_taken(line: str) -> None:
    check(shlex.split(line), ["x", "y"])
