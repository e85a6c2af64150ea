"""A compile step, then the command: `python -m assay.systems.steps MADE N COMPILE… COMMAND…`, N words of compile.

The compile is a phase of the run. Where what it makes is there already it is skipped, and the run says that its compile
was cached: a duration with a compile in it cannot be compared with one without. Standard library only.
"""

from __future__ import annotations

import os
import subprocess
import sys

import assay


def main(words: list[str]) -> int:
    made, count = words[0], int(words[1])
    compiling, command = words[2 : 2 + count], words[2 + count :]
    cached = bool(made) and os.path.exists(made)
    if not cached:
        with assay.phase("compile"):
            code = subprocess.run(compiling, check=False).returncode
        if code != 0:
            return code if code >= 0 else 128 - code
    assay.result(compile_cached=cached)
    sys.stdout.flush()
    os.execvp(command[0], command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
