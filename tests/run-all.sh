#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that `make test` runs, in order of how soon it can say no: lint, ASan+UBSan by clang (with the scripts that are
# the command's own), TSan (the tests that use threads), gcc (all tests), whose CTest summary it ends with. So clang's
# warnings and its library cost no build of their own. ORIBI_TEST_STAGES narrows it, "gcc" or "lint gcc"; "clang" is
# clang's optimised build without sanitizers.
# The whole is to stay under 25 minutes on two processors: what is compiled once is not compiled again (ccache for the tree
# and its copies, see tests/install/in_copy.py; tests/support/compile_once.c for emitted C and strangers' plugins), and a
# stage builds and runs what its compiler can change. In its depend mode ccache preprocesses nothing by itself; without
# "locale" an object that README's commands compile, in the locale C, would be another one. And no processor waits: all
# stages are built one after the other beside lint and the tests of the stages before, which come first (nice).
# Of many like cases tests take a sample (support/sample.py), another one each day that has a commit; ORIBI_TEST_FULL=1
# takes all.
set -eu
cd "$(dirname "$0")/.."
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=1
    export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}" CCACHE_DIR="${CCACHE_DIR:-$PWD/build/ccache}" CCACHE_DEPEND=1
    export CCACHE_SLOPPINESS=locale
fi
# Blocks say where they were made, six calls deep: unwinding all of them is a fifth of what sanitized tests take.
export ASAN_OPTIONS="malloc_context_size=6${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
ORIBI_TEST_SEED=${ORIBI_TEST_SEED:-$(($(git log -1 --format=%ct 2>/dev/null || echo 0) / 86400))}
export ORIBI_TEST_SEED
echo "samples: ORIBI_TEST_SEED=$ORIBI_TEST_SEED"
jobs=${1:-2}
stages=${ORIBI_TEST_STAGES:-lint asan tsan gcc}
want() {
    case " $stages " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}
say() {
    printf '\n== %s\n' "$*"
}
folder() { # of a preset
    if [ "$1" = release ]; then echo build; else echo "build/$1"; fi
}
build_all() { # says of each whether it was built
    child=""
    trap 'kill $child 2>/dev/null; exit 1' TERM
    for preset in $presets; do
        status=0
        cmake --preset "$preset" >"build/$preset.log" 2>&1 || status=1
        if [ $status = 0 ]; then # ninja itself, which ends its compilers when it is told to end
            nice -n 5 ninja -C "$(folder "$preset")" -j "$jobs" >"build/$preset.log" 2>&1 &
            child=$!
            wait $child || status=1
        fi
        echo "$preset $status"
        [ $status = 0 ] || return 0
    done
}
built() {
    say "build $1"
    preset="" status=1
    read -r preset status <&3 || true
    [ "$preset $status" = "$1 0" ] || { tail -n 60 "build/$1.log"; exit 1; }
}
check() { # preset, ctest arguments
    preset=$1
    shift
    say "test $preset"
    ctest --preset "$preset" -j "$jobs" "$@"
}
presets=""
for stage in clang asan tsan gcc; do
    preset=$stage
    [ $stage != gcc ] || preset=release
    ! want $stage || presets="$presets $preset"
done
mkdir -p build
rm -f build/built
mkfifo build/built
build_all >build/built &
builder=$!
exec 3<build/built
trap 'kill $builder 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM
# One command a line: `set -e` does not see a failure that && follows.
if want lint; then
    say lint
    tests/lint/run.sh
fi
if want clang; then
    built clang
    check clang -LE "slow|script|opencl|hostile" -E "^cpu.neon$"
fi
if want asan; then
    built asan
    check asan -LE "slow|script|opencl"
fi
if want tsan; then # the threads of plugins/gpu are the same for CUDA and HIP: of HIP's tests the small ones
    built tsan
    check tsan -L "devices?|session|tensor|kernel|hooks|binding" -LE "slow|script|opencl" \
        -E "^devices.(ops_on_hip_ops|gpu_models_test_on_hip)"
fi
if want gcc; then # compile.vectors does what compile.vectors_session does, too
    built release
    check release -E "^compile.vectors_session$"
fi
