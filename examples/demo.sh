#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo: real pictures through a trained network, one of its ops from a plugin binary that is built
# here, outside the tree, against the headers for plugins alone; then the network as C on a microcontroller.
set -eu
cd "$(dirname "$0")/.."
build=$1
oribi=$build/bin/oribi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() {
    printf '\n\033[1m%s\033[0m\n' "$*"
}

say "1. A dozen held-out digit pictures through examples/digits/digits.onnx"
right=0
total=0
for picture in examples/digits/digit-*.png; do
    "$oribi" run examples/digits/digits.onnx -i picture=@"$picture" --show --top-k 3 \
        --labels examples/digits/labels.txt >"$work/out"
    truth=$(basename "$picture" | cut -d- -f2)
    guess=$(awk '/^ +[0-9]+ +[0-9.]+ / {print $1; exit}' "$work/out")
    printf '%s (really a %s)\n' "$(basename "$picture")" "$truth"
    cat "$work/out"
    total=$((total + 1))
    [ "$guess" = "$truth" ] && right=$((right + 1))
done
printf '%s of %s right\n' "$right" "$total"

say "2. An op that only a plugin knows: com.acme:Centre, built outside the tree by one line"
. "$build/env.sh"
cp examples/custom_op/centre.c "$work"
(
    cd "$work"
    echo "\$ cc -shared -fPIC \$(pkg-config --cflags oribi-plugin) centre.c -o centre.so"
    # shellcheck disable=SC2046
    cc -shared -fPIC -O2 $(pkg-config --cflags oribi-plugin) centre.c -o centre.so
)
echo "without the plugin:"
"$oribi" run examples/custom_op/digits_centred.onnx -i picture=@examples/digits/digit-3-0059.png || true
echo "with it:"
echo "\$ oribi run digits_centred.onnx --plugin ./centre.so -i picture=@digit-3-0059.png --top-k 3"
"$oribi" run examples/custom_op/digits_centred.onnx --plugin "$work/centre.so" --top-k 3 \
    --labels examples/digits/labels.txt -i picture=@examples/digits/digit-3-0059.png

say "3. A device of a plugin's own: written, built, tested, run"
(
    cd "$work"
    echo "\$ oribi plugin new my_npu --device && make -C my_npu test"
    oribi plugin new my_npu --device
    make -s -C my_npu test >out 2>&1 || { cat out; exit 1; }
    tail -1 out
    set -- oribi run my_npu/dense.onnx --plugin my_npu/my_npu.so --device MY_NPU --strict-placement \
        -i x=1x6xf32=1,2,3,4,5,6
    echo "\$ $*"
    "$@"
    oribi inspect my_npu/dense.onnx --plugin my_npu/my_npu.so --device MY_NPU --strict-placement --copies
)

say "4. The network in int8, as plain C on a Cortex-M4 (in QEMU)"
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
    echo "\$ oribi compile examples/digits/digits_int8.tflite -o digits_c"
    "$oribi" compile examples/digits/digits_int8.tflite -o "$work/digits_c"
    for picture in examples/digits/digit-3-0219.png examples/digits/digit-8-0114.png; do
        echo
        echo "\$ oribi verify examples/digits/digits_int8.tflite --target cortex-m4 -i picture=@$picture --top-k 1"
        "$oribi" verify examples/digits/digits_int8.tflite --target cortex-m4 --runs 0 \
            -i picture=@"$picture" --top-k 1 >"$work/out"
        cat "$work/out"
        truth=$(basename "$picture" | cut -d- -f2)
        guess=$(awk '/^ +[0-9]+ +[0-9.]+ / {print $1; exit}' "$work/out")
        [ "$guess" = "$truth" ] || { echo "really a $truth: something is broken" >&2; exit 1; }
        echo "class $guess, really a $truth"
    done
    keyword=../shared/models/mlperf-tiny/kws_ref_model.tflite
    if [ -f "$keyword" ]; then
        echo
        echo "the keyword model of MLPerf Tiny on a recorded word:"
        "$oribi" verify "$keyword" --target cortex-m4 --runs 0 --top-k 2 \
            -i 0=@../shared/models/mlperf-tiny/golden/kws_ref_model/input_2.bin
    fi
else
    echo "left out: gcc-arm-none-eabi and qemu-system-arm are not installed (make deps)"
fi

say "What to try next"
cat <<EOF
  $oribi inspect examples/digits/digits.onnx --steps     each step, its kernel, its place in memory
  $oribi bench examples/digits/digits.onnx               how fast it is here
  $oribi ops --map                                       which ONNX operators translate into what
  $oribi run YOUR.onnx -i 0=@picture.jpg --top-k 5       your own model
  docs/tour.md                                           where things are
EOF
[ "$right" -ge 11 ] || { echo "fewer than 11 digits right: something is broken" >&2; exit 1; }
