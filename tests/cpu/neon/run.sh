#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the cpu plugin's suite for arm64 and runs it under qemu-user. Exit 77: the tools are absent.
# Usage: run.sh BUILD_FOLDER [TEST ...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
shift
for tool in aarch64-linux-gnu-gcc qemu-aarch64 ninja; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool is not installed"
        exit 77
    fi
done
cmake -G Ninja -S "$here/suite" -B "$build" >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
ninja -C "$build" "$@" >"$build.log" 2>&1 || { tail -50 "$build.log"; exit 1; }
[ $# -gt 0 ] || set -- $(cd "$build" && ls | grep '_test$')
for test in "$@"; do
    echo "== $test"
    qemu-aarch64 "$build/$test"
done
