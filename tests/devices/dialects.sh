#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Device code of plugins/device_ops is C, OpenCL C 1.2, CUDA C++ and HIP C++ at once: compiles each file in
# all of them for which a compiler is here, with warnings as errors; names those that were left out.
# usage: dialects.sh <source tree>
set -u
code=$1/plugins/device_ops/code
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
find_one() {
    for name in "$@"; do
        command -v "$name" && return 0
    done
    return 1
}
clang=$(find_one clang clang-14)
nvcc=$(find_one nvcc /usr/local/cuda/bin/nvcc)
hipcc=$(find_one hipcc)

# try <language> <file>: compiles; 99 where no compiler is.
try() {
    case $1 in
    c-gcc) gcc -std=c11 $warnings -Wmissing-prototypes -O2 -c "$2" -o "$scratch/o" ;;
    c-clang) [ -n "$clang" ] || return 99; "$clang" -std=c11 $warnings -O2 -c "$2" -o "$scratch/o" ;;
    opencl) [ -n "$clang" ] || return 99
        "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -Wall -Wextra -Werror -Wno-unused-parameter \
            -Wno-missing-prototypes -fsyntax-only "$2" ;;
    cuda) [ -n "$nvcc" ] || return 99; "$nvcc" -x cu -ptx -Werror all-warnings "$2" -o "$scratch/o" ;;
    hip) [ -n "$hipcc" ] || return 99; "$hipcc" -x hip --genco -Werror "$2" -o "$scratch/o" ;;
    esac
}

for language in c-gcc c-clang opencl cuda hip; do
    for file in "$code"/*.c; do
        try $language "$file"
        result=$?
        if [ $result = 99 ]; then
            echo "not compiled as $language: no compiler here"
            break
        elif [ $result != 0 ]; then
            echo "$file: refused as $language"
            status=1
        fi
    done
    # A word of one language alone has to be refused by the others, else this test sees nothing.
    printf '#include "%s/dialect.h"\nKERNEL1(op_x, float, z, int, n) { z[n] = float_of(n); }\n' "$code" >"$scratch/bad.c"
    if try $language "$scratch/bad.c" >/dev/null 2>&1; then
        echo "an unknown function was taken as $language"
        status=1
    fi
done
exit $status
