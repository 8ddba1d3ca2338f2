#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles a model for the accelerator and builds the firmware round it:
#   build.sh ORIBI TARGET_PLUGIN MODEL FOLDER [OPTION OF ORIBI COMPILE...]
# leaves FOLDER/image.elf. RUNS (default 1) and TIMEOUT_MS (default 2000) come from the environment.
set -eu
oribi=$1 plugin=$2 model=$3 folder=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
driver=$here/.. root=$here/../../../..
"$oribi" compile "$model" -o "$folder/c" --name net --force --plugin "$plugin" --target-device uart_accel \
    --device-platform uart_accel=baremetal "$@" >/dev/null
# The first tensor of the model is its input, the last one its output.
ports=$(sed -n 's/^#define TVMGEN_NET_\([A-Z0-9_]*\)_COUNT.*/\1/p' "$folder/c/tvmgen_net.h")
in=$(echo "$ports" | head -n 1) out=$(echo "$ports" | tail -n 1)
p=$root/platform
arm-none-eabi-gcc -std=c99 -O2 -Wall -Wextra -Wshadow -Wconversion -Werror -ffreestanding -fbuiltin -ffunction-sections \
    -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard \
    -DTVM_DEVICE_UART_ACCEL_HEADER='"tvm/device/uart_accel/baremetal.h"' \
    -DFIRMWARE_IN_TYPE="TVMGEN_NET_${in}_TYPE" -DFIRMWARE_IN_COUNT="TVMGEN_NET_${in}_COUNT" \
    -DFIRMWARE_OUT_TYPE="TVMGEN_NET_${out}_TYPE" -DFIRMWARE_OUT_COUNT="TVMGEN_NET_${out}_COUNT" \
    -DFIRMWARE_RUNS="${RUNS:-1}" -DFIRMWARE_TIMEOUT_MS="${TIMEOUT_MS:-2000}" \
    -I"$folder/c" -I"$root/include" -I"$driver/include" -I"$p" -I"$p/include" -I"$p/cortex-m4" \
    "$here/main.c" $(find "$folder/c" -name '*.c') \
    "$driver/common/uart_accel.c" "$driver/baremetal/uart_accel.c" \
    "$p/cortex-m/startup.c" "$p/cortex-m/fault.c" "$p/cortex-m/stack.c" "$p/cortex-m/semihosting.c" \
    "$p/cortex-m/runtime_abi.c" "$p/cortex-m4/board.c" "$p/harness/memory.c" "$p/harness/transport_file.c" \
    -nostdlib -static -Wl,--gc-sections -Wl,--no-warn-rwx-segments -T "$p/cortex-m4/link.ld" -lgcc -o "$folder/image.elf"
