#!/bin/sh
# prepare the data, train, evaluate: three programs, one after another
set -e
here=$(dirname "$0")
echo "== prepare"
python "$here/three_parts.py" prepare
echo "== train"
python "$here/three_parts.py" train
echo "== evaluate"
python "$here/three_parts.py" evaluate
