#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what a task needs and this machine lacks.
#     install-deps.sh build|demo|packages|test    each but `packages` has those before it
# Where nothing can be installed (no Debian, no right to, no network) it names what is missing, by
# Debian's names, and the task goes on with what is there.
set -eu
# package, and what to look for where there is no dpkg: a program, pc:MODULE or file:PATTERN
build="gcc=cc cmake=cmake ninja-build=ninja pkg-config=pkg-config make=make libc6-dev=file:/usr/include/stdlib.h
zlib1g-dev=pc:zlib libspng-dev=pc:spng libjpeg62-turbo-dev=pc:libjpeg libmicrohttpd-dev=pc:libmicrohttpd"
demo="$build gcc-arm-none-eabi=arm-none-eabi-gcc libnewlib-arm-none-eabi=arm-none-eabi-gcc
qemu-system-arm=qemu-system-arm"
opencl="ocl-icd-opencl-dev=pc:OpenCL opencl-headers=file:/usr/include/CL/cl.h"
packages="$build $opencl git=git xz-utils=xz binutils=objdump g++=c++ debhelper=dh"
test="$demo $packages ccache=ccache clang-14=clang-14 clang-format-14=clang-format-14
libclang-rt-14-dev=clang-14 lld=ld.lld libcmocka-dev=pc:cmocka pocl-opencl-icd=file:/etc/OpenCL/vendors/pocl.icd
libeigen3-dev=pc:eigen3 libabsl-dev=file:/usr/include/absl/strings/string_view.h valgrind=valgrind
abigail-tools=abidiff cppcheck=cppcheck python3=python3 python3-numpy=file:/usr/lib/python3*/*-packages/numpy
python3-venv=file:/usr/lib/python3*/ensurepip python3-pytest=file:/usr/lib/python3*/*-packages/pytest
mmdebstrap=mmdebstrap lintian=lintian gcc-aarch64-linux-gnu=aarch64-linux-gnu-gcc
libc6-dev-arm64-cross=file:/usr/aarch64-linux-gnu/include/stdlib.h qemu-user=qemu-aarch64
gcc-riscv64-unknown-elf=riscv64-unknown-elf-gcc qemu-system-misc=qemu-system-riscv32
zsh=zsh fish=fish mandoc=mandoc gcc-mingw-w64-x86-64-posix=x86_64-w64-mingw32-gcc-posix wine64=wine64"

case ${1:-test} in
build) wanted=$build ;;
demo) wanted=$demo ;;
packages) wanted=$packages ;;
test) wanted=$test ;;
*) echo "usage: install-deps.sh build|demo|packages|test" >&2; exit 2 ;;
esac
# HIP's headers, which plugin hip's declarations are held against; Debian has them for amd64 alone.
if [ "${1:-test}" = test ] && [ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ]; then
    wanted="$wanted libamdhip64-dev=hipconfig"
fi
# The oldest gcc that versions.md names; later releases of Debian have it no more.
if [ "${1:-test}" = test ] && apt-cache show gcc-11 >/dev/null 2>&1; then
    wanted="$wanted gcc-11=gcc-11"
fi

is_there() { # package, what to look for
    if command -v dpkg-query >/dev/null; then
        dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q "ok installed"
        return
    fi
    case $2 in
    pc:*) pkg-config --exists "${2#pc:}" 2>/dev/null ;;
    file:*) for file in ${2#file:}; do [ -e "$file" ] && return; done; return 1 ;;
    *) command -v "$2" >/dev/null ;;
    esac
}
missing=""
for item in $wanted; do
    is_there "${item%%=*}" "${item#*=}" || missing="$missing ${item%%=*}"
done
[ -z "$missing" ] && exit 0
go_on() {
    echo "missing (Debian's names):$missing" >&2
    echo "$1: going on with what is there" >&2
    exit 0
}
command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || go_on "this machine has no apt-get"
run=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || go_on "only root can install them, and there is no sudo"
    run=sudo
fi
echo "installing:$missing" >&2
$run apt-get update -qq >/dev/null || go_on "apt-get update failed"
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    go_on "apt-get install failed"
