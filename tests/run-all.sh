#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that `make test` runs, in order of how soon it can say no: lint, ASan+UBSan by clang (with the scripts that are
# the command's own), TSan (the tests that use threads), gcc (all tests), whose CTest summary it ends with. So clang's
# warnings and its library cost no build of their own. ORIBI_TEST_STAGES narrows it, "gcc" or "lint gcc"; "clang" is
# clang's optimised build without sanitizers.
# The whole is to stay under 25 minutes on two processors: what is compiled once is not compiled again (ccache for the tree
# and its copies, see tests/install/in_copy.py; tests/support/compile_once.c for emitted C and strangers' plugins), and a
# stage builds and runs what its compiler can change. In its depend mode ccache preprocesses nothing by itself; without
# "locale" an object that README's commands compile, in the locale C, would be another one.
set -eu
cd "$(dirname "$0")/.."
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1
    export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}" CCACHE_DIR="${CCACHE_DIR:-$PWD/build/ccache}" CCACHE_DEPEND=1
    export CCACHE_SLOPPINESS=locale
fi
jobs=${1:-2}
stages=${ORIBI_TEST_STAGES:-lint asan tsan gcc}
want() {
    case " $stages " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}
say() {
    printf '\n== %s\n' "$*"
}
build() {
    say "build $1"
    mkdir -p build
    cmake --preset "$1" >"build/$1.log" 2>&1 || { cat "build/$1.log"; return 1; }
    cmake --build --preset "$1" -j "$jobs" >"build/$1.log" 2>&1 || { tail -n 60 "build/$1.log"; return 1; }
}
check() { # preset, ctest arguments
    preset=$1
    shift
    say "test $preset"
    ctest --preset "$preset" -j "$jobs" "$@"
}
# One command a line: `set -e` does not see a failure that && follows.
if want lint; then
    say lint
    tests/lint/run.sh
fi
if want clang; then
    build clang
    check clang -LE "slow|script|opencl|hostile" -E "^cpu.neon$"
fi
if want asan; then
    build asan
    check asan -LE "slow|script|opencl"
fi
if want tsan; then
    build tsan
    check tsan -L "devices?|session|tensor|kernel|hooks" -LE "slow|script|opencl"
fi
if want gcc; then # compile.vectors does what compile.vectors_session does, too
    build release
    check release -E "^compile.vectors_session$"
fi
