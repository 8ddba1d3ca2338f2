#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the model readers one after the other: `make fuzz`, or SECONDS_EACH=60 tests/fuzz/run.sh.
# Needs clang; ends non-zero with the first finding.
set -eu
cd "$(dirname "$0")/../.."
seconds=${SECONDS_EACH:-1200}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target onnx_fuzzer
tests/fuzz/make_corpus.sh build/fuzz/corpus/onnx
mkdir -p build/fuzz/findings
build/fuzz/fuzz/onnx_fuzzer -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=2048 -timeout=20 \
    -artifact_prefix=build/fuzz/findings/ build/fuzz/corpus/onnx
echo "fuzz: nothing found in $seconds seconds"
