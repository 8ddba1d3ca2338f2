#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A digit, recognised by an emulated Cortex-M4 whose convolutions are computed at the other end of its
# second UART: demo.sh [ORIBI TARGET_PLUGIN]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../../..
oribi=${1:-$root/build/bin/oribi} plugin=${2:-$root/build/examples/woofles_target.so}
model=$root/examples/digits/digits_int8.tflite
work=$(mktemp -d)
board='' far=''
trap 'kill $board $far 2>/dev/null || true; rm -rf "$work"' EXIT
"$here/build.sh" "$oribi" "$plugin" "$model" "$work" --device-schedule hold
head -c 64 /dev/zero >"$work/in" # an empty picture
(cd "$work" && exec timeout 60 qemu-system-arm -M mps2-an386 -display none -monitor none -serial file:console \
    -chardev socket,id=line,path=line,server=on,wait=on -serial chardev:line \
    -semihosting-config enable=on,target=native -kernel image.elf </dev/null >/dev/null 2>&1) &
board=$!
"$oribi" device-serve "$model" --plugin "$plugin" --target-device uart_accel --driver "$here/.." \
    --connect "$work/line" &
far=$!
wait $board
wait $far
cat "$work/console"
od -A n -t d1 -j 4 "$work/out" | tr -s ' ' | sed 's/^/outputs:/'
"$oribi" run "$model" -i picture=1x8x8x1xi8="$(yes 0 | head -n 64 | paste -sd,)"
