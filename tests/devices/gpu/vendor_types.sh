#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Holds what plugins cuda and hip declare of their vendors' functions against the vendors' headers, by
# gcc and clang, and sees a planted difference refused: SOURCE_ROOT cuda|hip
set -eu
root=$1 vendor=$2
found=""
case $vendor in
cuda) folders="/usr/local/cuda/include /usr/include" header=cuda.h define=VENDOR_CUDA ;;
hip) folders="/opt/rocm/include /usr/include" header=hip/hip_runtime_api.h define=VENDOR_HIP ;;
esac
for folder in $folders; do
    [ -z "$found" ] && [ -f "$folder/$header" ] && found=$folder
done
if [ -z "$found" ]; then
    echo "skipped: no $header, so the declarations of plugin $vendor are held against nothing"
    exit 77
fi
for compiler in gcc clang clang-14; do
    command -v $compiler >/dev/null || continue
    set -- $compiler -std=c11 -Wall -Wno-deprecated-declarations -fsyntax-only -isystem "$found" \
        -I"$root/plugins" -I"$root/plugins/$vendor" -D$define "-DORIBI_GPU_VENDOR=\"${vendor}_vendor.h\"" "$root/tests/devices/gpu/vendor_types.c"
    "$@"
    if "$@" -DPLANT_FAULT 2>/dev/null; then
        echo "$compiler took a planted difference"
        exit 1
    fi
    echo "$vendor: as in $found/$header, by $compiler"
done
