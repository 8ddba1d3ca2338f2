#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Seeds of the ONNX fuzzer: make_corpus.sh FOLDER. The models of ../shared and of examples/, and the
# models of the ONNX backend tests, which together hold every operator. Large ones are left out.
set -eu
out=$1
here=$(cd "$(dirname "$0")/../.." && pwd)
shared=$here/../shared
mkdir -p "$out"
find "$here/examples" "$shared/models/onnx" -name '*.onnx' -size -64k 2>/dev/null |
    while read -r model; do cp "$model" "$out/$(basename "$model")"; done
if [ -f "$shared/onnx-backend-tests/data.tar.xz" ]; then
    scratch=$(mktemp -d)
    tar -xJf "$shared/onnx-backend-tests/data.tar.xz" -C "$scratch"
    find "$scratch" -name model.onnx -size -64k | while read -r model; do
        cp "$model" "$out/$(basename "$(dirname "$model")").onnx"
    done
    rm -rf "$scratch"
fi
echo "$(find "$out" -type f | wc -l) seeds in $out"
