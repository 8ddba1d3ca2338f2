#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the model readers and the compiler one after the other: `make fuzz`, or
# SECONDS_EACH=60 tests/fuzz/run.sh tflite. Names: onnx, tflite (the readers), compile.
# Needs clang; ends non-zero with the first finding.
set -eu
cd "$(dirname "$0")/../.."
seconds=${SECONDS_EACH:-1200}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target reader_fuzzer compile_fuzzer
mkdir -p build/fuzz/findings
for name in ${@:-onnx tflite compile}; do
    case $name in
        onnx | tflite) program=reader_fuzzer seeds=$name ;;
        compile) program=compile_fuzzer seeds=tflite ;;
        *) echo "no such fuzzer: $name (onnx, tflite, compile)" >&2; exit 2 ;;
    esac
    tests/fuzz/make_corpus.sh "$seeds" "build/fuzz/corpus/$name"
    "build/fuzz/fuzz/$program" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=2048 -timeout=20 \
        -artifact_prefix=build/fuzz/findings/ "build/fuzz/corpus/$name"
    echo "fuzz: $name: nothing found in $seconds seconds"
done
