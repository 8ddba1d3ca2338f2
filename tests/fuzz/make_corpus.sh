#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Seeds of a fuzzer: make_corpus.sh onnx|tflite FOLDER. The models of ../shared and of examples/, for
# ONNX those of the backend tests too, which together hold every operator, and those of the vectors:
# the quantised ones for ONNX, all for TFLite. Large ones are left out.
set -eu
format=$1
out=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
shared=$here/../shared
mkdir -p "$out"
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
