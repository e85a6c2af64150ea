#!/bin/sh
# Set up .venv: setup.sh EXTRAS, where EXTRAS are those of pyproject.toml (`report,workloads` for the demo, `dev` for
# the tests). pip's words go to .venv/setup.log; where it fails, they are shown whole.
set -eu

extras=$1
python=${PYTHON:-python3}
# where torch without CUDA is to be had: 200 MB and not 3 GB
torch_cpu=${TORCH_CPU:-https://download.pytorch.org/whl/cpu}
torch=torch==2.13.0
log=.venv/setup.log

say() { echo "set-up: $*"; }

pip() {
    .venv/bin/python -m pip install --disable-pip-version-check --no-color --progress-bar off "$@"
}

# install WHAT, and show all that pip said where it fails
install() {
    if ! pip "$@" >.venv/step.log 2>&1; then
        cat .venv/step.log
        say "pip failed; its words stand above and in $log"
        cat .venv/step.log >>"$log"
        exit 1
    fi
    cat .venv/step.log >>"$log"
}

has_gpu() { [ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidia0 ] || [ -e /dev/dxg ]; }

has_torch() { .venv/bin/python -c 'from importlib.metadata import version; version("torch")' 2>/dev/null; }

# what pip says it has downloaded, in MB: `Downloading x.whl (12.3 MB)`
downloaded() {
    awk '/^ *Downloading / && match($0, /\([0-9.]+ (kB|MB|GB|bytes)\)/) {
        split(substr($0, RSTART + 1, RLENGTH - 2), size, " ")
        sum += size[1] * (size[2] == "GB" ? 1000 : size[2] == "MB" ? 1 : size[2] == "kB" ? 0.001 : 0)
    } END { printf "%.0f", sum }' "$log"
}

[ -x .venv/bin/python ] || "$python" -m venv .venv
: >"$log"
case $extras in
    *dev*) what="the tests' tools and inference engines, about 500 MB" ;;
    *) what="what the demo needs, about 120 MB" ;;
esac
install --upgrade pip
if ! has_torch; then
    if has_gpu; then
        say "downloading torch with CUDA, about 3 GB"
        install "$torch"
    else
        say "downloading torch for the CPU, about 200 MB"
        # the rest comes from the usual registry, and no CUDA with it
        if ! pip --no-deps --retries 1 --timeout 10 --index-url "$torch_cpu" "$torch" >>"$log" 2>&1; then
            say "no CPU build at $torch_cpu: the registry's torch may bring CUDA libraries, about 3 GB"
            install "$torch"
        fi
    fi
fi
say "downloading $what"
install --editable ".[$extras]" --editable ./workloads
say "done: $(downloaded) MB were downloaded, the rest was there already (pip's words: $log)"
