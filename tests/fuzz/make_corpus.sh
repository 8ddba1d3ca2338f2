#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Seeds of a fuzzer: make_corpus.sh onnx|tflite|tensorflow|folder|graphs|packed FOLDER. `packed`: what the command of the
# fuzzers' build makes of small models. `folder`: those of folder_seeds.py. `graphs`: those of graph_seeds.py, of the backend
# tests of If, Loop, Scan and functions, and the vectors with CALL_ONCE. `tensorflow`: what the tests read. Else the models of ../shared and of examples/, for
# ONNX those of the backend tests too, which together hold every operator, and those of the vectors:
# the quantised ones for ONNX, all for TFLite. Large ones are left out.
set -eu
format=$1
out=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
shared=$here/../shared
mkdir -p "$out"
if [ "$format" = folder ]; then
    python3 "$here/tests/fuzz/folder_seeds.py" "$out"
    echo "$(find "$out" -type f | wc -l) seeds in $out"
    exit 0
fi
if [ "$format" = graphs ]; then
    python3 "$here/tests/fuzz/graph_seeds.py" "$out"
    scratch=$(mktemp -d)
    python3 "$here/tests/peer/tflite/extract.py" "$scratch"
    find "$scratch" -name 'CALL_ONCE_*' | while read -r model; do cp "$model" "$out"; done
    if [ -f "$shared/onnx-backend-tests/data.tar.xz" ]; then
        tar -xJf "$shared/onnx-backend-tests/data.tar.xz" -C "$scratch" --wildcards '*/test_if*' '*/test_loop*' \
            '*/test_scan*' '*/test_*_expanded*/model.onnx'
        find "$scratch" -name model.onnx -size -16k | while read -r model; do
            cp "$model" "$out/$(basename "$(dirname "$model")").onnx"
        done
    fi
    rm -rf "$scratch"
    echo "$(find "$out" -type f | wc -l) seeds in $out"
    exit 0
fi
if [ "$format" = tensorflow ]; then
    scratch=$(mktemp -d)
    tar -xJf "$here/tests/import/tensorflow/models.tar.xz" -C "$scratch"
    find "$scratch" -name '*.pb' -size -60k | while read -r model; do
        cp "$model" "$out/$(echo "${model#"$scratch/"}" | tr / _)"
    done
    rm -rf "$scratch"
    echo "$(find "$out" -type f | wc -l) seeds in $out"
    exit 0
fi
if [ "$format" = packed ]; then
    find "$here/examples" "$shared/models" \( -name '*.onnx' -o -name '*.tflite' \) -size -72k 2>/dev/null |
        while read -r model; do
            file=$out/$(basename "$model").oribi
            "$here/build/fuzz/bin/oribi" pack "$model" -o "$file" --force 2>/dev/null || continue
            if [ "$(wc -c <"$file")" -gt 131072 ]; then
                rm "$file"
            fi
        done
    echo "$(find "$out" -type f | wc -l) seeds in $out"
    exit 0
fi
find "$here/examples" "$shared/models" -name "*.$format" -size -64k 2>/dev/null |
    while read -r model; do cp "$model" "$out/$(basename "$model")"; done
if [ "$format" = tflite ]; then
    python3 "$here/tests/peer/tflite/extract.py" "$out"
else
    python3 "$here/tests/peer/tflite/extract.py" "$out" onnx
fi
if [ "$format" = onnx ] && [ -f "$shared/onnx-backend-tests/data.tar.xz" ]; then
    scratch=$(mktemp -d)
    tar -xJf "$shared/onnx-backend-tests/data.tar.xz" -C "$scratch"
    find "$scratch" -name model.onnx -size -64k | while read -r model; do
        cp "$model" "$out/$(basename "$(dirname "$model")").onnx"
    done
    rm -rf "$scratch"
fi
echo "$(find "$out" -type f | wc -l) seeds in $out"
