#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that building and testing need and that are missing. Says which ones,
# and does nothing when all are there.
set -eu
packages="gcc g++ clang-14 clang-format-14 libclang-rt-14-dev cmake ninja-build pkg-config make git \
libcmocka-dev ocl-icd-opencl-dev opencl-headers pocl-opencl-icd libeigen3-dev libabsl-dev libcjson-dev libspng-dev libjpeg62-turbo-dev zlib1g-dev valgrind abigail-tools python3 python3-numpy xz-utils \
debootstrap gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user \
gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm gcc-riscv64-unknown-elf qemu-system-misc"
# HIP's headers, which plugin hip's declarations are held against; Debian has them for amd64 alone.
[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] && packages="$packages libamdhip64-dev"
missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null; then
    echo "missing packages (Debian names):$missing" >&2
    echo "this machine has no apt-get: install their equivalents, then run make again" >&2
    exit 1
fi
run=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "run as root, or install sudo, to get:$missing" >&2; exit 1; }
    run=sudo
fi
echo "installing:$missing" >&2
$run apt-get update -qq >/dev/null
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing >/dev/null
