#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the formats, model readers, sessions, the compiler and the lines of accelerators one after the
# other: `make fuzz`, or SECONDS_EACH=60 tests/fuzz/run.sh tflite. Names: format, onnx, tflite, tensorflow (the readers), binding (TensorFlow's C API),
# folder (SavedModels with checkpoints and tables),
# session_onnx, session_tflite, graphs (sessions of models with control flow), packed (those of packed files), compile, line, input (of `oribi run`).
# Needs clang; ends non-zero with the first finding.
set -eu
cd "$(dirname "$0")/../.."
seconds=${SECONDS_EACH:-1200}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target format_fuzzer reader_fuzzer session_fuzzer compile_fuzzer line_fuzzer \
    input_fuzzer binding_fuzzer folder_fuzzer oribi_command
mkdir -p build/fuzz/findings
for name in ${@:-format onnx tflite tensorflow binding folder session_onnx session_tflite graphs packed compile line input}; do
    dict= most=65536
    case $name in
        format) program=format_fuzzer seeds= ;;
        onnx | tflite | tensorflow) program=reader_fuzzer seeds=$name ;;
        binding) program=binding_fuzzer seeds=tensorflow ;;
        folder) program=folder_fuzzer seeds=folder ;;
        session_onnx | session_tflite) program=session_fuzzer seeds=${name#session_} ;;
        graphs) program=session_fuzzer seeds=graphs dict=-dict=tests/fuzz/graphs.dict ;;
        packed) program=session_fuzzer seeds=packed most=131072 ;;
        compile) program=compile_fuzzer seeds="tflite onnx" ;;
        line) program=line_fuzzer seeds= ;;
        input) program=input_fuzzer seeds= ;;
        *) echo "no such fuzzer: $name (format, onnx, tflite, tensorflow, binding, folder, session_onnx, session_tflite, graphs, packed, compile, line, input)" >&2; exit 2 ;;
    esac
    mkdir -p "build/fuzz/corpus/$name"
    for seed in $seeds; do
        tests/fuzz/make_corpus.sh "$seed" "build/fuzz/corpus/$name"
    done
    if [ "$name" = compile ]; then # a few kilobytes that stand for hundreds of megabytes of weights
        rm -f "build/fuzz/corpus/$name"/light_*
    fi
    quiet=0
    if [ "$name" = input ]; then # the first byte says what the rest is read as
        for picture in examples/digits/*.png; do
            { printf '\005'; cat "$picture"; } >"build/fuzz/corpus/input/$(basename "$picture")"
        done
        printf '\003a,b\n1,2\n# no row\n3;4e1\n' >build/fuzz/corpus/input/table
        printf '\004RIFF\054\0\0\0WAVEfmt \020\0\0\0\001\0\001\0\200>\0\0\0}\0\0\002\0\020\0data\010\0\0\0abcdefgh' \
            >build/fuzz/corpus/input/sound
        quiet=2
    fi
    if [ "$name" = format ]; then # here, too
        for text in plugins/*.cases.json docs/*.json; do
            { printf '\000'; head -c 4000 "$text"; } >"build/fuzz/corpus/format/$(basename "$text")"
        done
        printf '\000{"a":[1.5e3,"\\ud83d\\ude00\\n",{"b":null}],"c":false}' >build/fuzz/corpus/format/small.json
    fi
    "build/fuzz/fuzz/$program" -close_fd_mask=$quiet -max_total_time="$seconds" -max_len="$most" -rss_limit_mb=2048 -timeout=20 \
        -artifact_prefix=build/fuzz/findings/ $dict "build/fuzz/corpus/$name"
    echo "fuzz: $name: nothing found in $seconds seconds"
done
