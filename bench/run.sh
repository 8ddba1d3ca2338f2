#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make bench`: the machine's own limits first, then kernels, dispatch and the library's size; with
# a Python that has onnxruntime, whole models and load against it. Writes nothing into the source.
#
#     bench/run.sh [BUILD]            default: build
#     ORIBI_PEER_PYTHON=PYTHON        with numpy, onnx and onnxruntime
#     ORIBI_PEER_MODELS="A.onnx ..."  default: the models of ../shared/models/onnx, where there are any
set -eu
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
build=${1:-build}
title() { printf '\n## %s\n\n' "$1"; }

title "Machine and kernels, one thread"
"$build/bench/oribi-bench-kernels"

title "Dispatch: slope between chains of 1000 and 2000 tiny ops"
"$build/bench/oribi-bench-dispatch"
if command -v valgrind >/dev/null; then
    counted() { # instructions of 100 runs of a chain
        valgrind --tool=callgrind --toggle-collect=oribi_run_execute --callgrind-out-file=/dev/null \
            "$build/bench/oribi-bench-dispatch" count "$1" 2>&1 | sed -n 's/.*Collected : *//p'
    }
    short=$(counted 1000)
    long=$(counted 2000)
    echo "instructions an op under callgrind: $(((long - short) / 100000))"
fi

title "Size of what is installed, stripped"
python3 "$root/bench/size.py" "$build"

python=${ORIBI_PEER_PYTHON:-}
models=${ORIBI_PEER_MODELS:-$(ls "$root"/../shared/models/onnx/*.onnx 2>/dev/null || true)}
if [ -z "$python" ]; then
    title "Against ONNX Runtime: left out"
    echo "Name a Python with numpy, onnx and onnxruntime: ORIBI_PEER_PYTHON=.../bin/python make bench"
elif ! "$python" -c 'import numpy, onnx, onnxruntime' 2>/dev/null; then
    echo "bench: $python lacks numpy, onnx or onnxruntime: install them there, or name another" >&2
    exit 1
elif [ -z "$models" ]; then
    title "Against ONNX Runtime: left out"
    echo "No models: name some in ORIBI_PEER_MODELS"
else
    title "Whole models: time over ONNX Runtime's"
    # shellcheck disable=SC2086 # names of models have no spaces
    "$python" "$root/bench/peer_ort.py" --oribi "$build/bin/oribi" $models
    title "Load time and peak memory, weights stored as random numbers, 1 thread"
    # shellcheck disable=SC2086
    "$python" "$root/bench/peer_load.py" --oribi "$build/bin/oribi" $models
    title "Packed files: load and first run, 1 thread"
    # shellcheck disable=SC2086
    "$python" "$root/bench/packed.py" --oribi "$build/bin/oribi" $models
    title "An encoder of text, float and int8, 1 thread"
    "$python" "$root/bench/encoder.py" --oribi "$build/bin/oribi"
    title "QDQ models, 1 thread"
    # shellcheck disable=SC2046,SC2086
    "$python" "$root/bench/peer_qdq.py" --oribi "$build/bin/oribi" \
        $(printf '%s\n' $models | grep -e squeezenet -e mobilenetv2 -e resnet50 -e ultraface || true)
fi

cat <<'TEXT'

docs/reference/performance.md keeps these tables. The commands there write some of them by themselves
(bench/page.py); put the others in the place of the old ones, keep the commands, name the processor.
Use a quiet machine. A number that fell is explained or mended, not left out.
TEXT
