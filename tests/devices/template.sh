#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `oribi plugin new --device` from an installed folder, as a stranger uses it: builds by make and by
# CMake, with gcc and clang, passes its tests and runs a model; a test in it that must fail does.
#   template.sh BUILD_FOLDER
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR="$work/image" cmake --install "$build" --prefix /usr >"$work/log"
image=$work/image/usr
for folder in "$image"/lib/pkgconfig "$image"/lib/*/pkgconfig; do
    [ -d "$folder" ] && PKG_CONFIG_PATH=$folder
done
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(pkg-config --variable=libdir oribi)
export LD_LIBRARY_PATH
PATH="$image/bin:$PATH"
unset ORIBI_PLUGIN_PROBE || true
cd "$work"

oribi plugin new my_npu --device | grep -q "the device MY_NPU"
if oribi plugin new --device my_npu 2>error.txt; then echo "overwrote"; exit 1; fi
grep -q "nothing was written" error.txt
for name in npu2 cpu test; do
    if oribi plugin new --device $name 2>error.txt; then echo "took the name $name"; exit 1; fi
    [ ! -e $name ]
done
if grep -ri fake my_npu; then echo "a name of the example is left"; exit 1; fi

for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "skipped: no $compiler"; continue; }
    echo "== $compiler"
    make -s -C my_npu clean test CC=$compiler >log 2>&1 || { cat log; exit 1; }
    grep -q "20 results are those of the CPU" log
    cmake -S my_npu -B $compiler -DCMAKE_C_COMPILER=$compiler -DCMAKE_PREFIX_PATH="$image" \
        -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror" >log
    cmake --build $compiler >log 2>&1 || { cat log; exit 1; }
    ctest --test-dir $compiler >log || { cat log; exit 1; }
done

echo "== the command"
oribi plugin test my_npu/my_npu.so --seed 1 >log
[ "$(grep -c "runs on MY_NPU alone" log)" = 4 ]
grep -q "^0 good, 0 failed" log
oribi devices --plugin my_npu/my_npu.so | grep -q "MY_NPU:1"
oribi run my_npu/dense.onnx --plugin my_npu/my_npu.so -i x=2x6xf32=1,2,3,4,5,6,7,8,9,1,2,3 --json >cpu.txt
oribi run my_npu/dense.onnx --plugin my_npu/my_npu.so -i x=2x6xf32=1,2,3,4,5,6,7,8,9,1,2,3 --json \
    --device my_npu --strict-placement >npu.txt
cmp cpu.txt npu.txt

echo "== kernels that are wrong"
sed -i 's/ > 0 ? /  < 0 ? /' my_npu/kernels.c
if make -s -C my_npu test >log 2>&1; then echo "run_model saw nothing"; exit 1; fi
grep -q "does not give what the CPU gives" log
echo "template: all good"
