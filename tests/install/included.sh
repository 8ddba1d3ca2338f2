#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A project that includes this one, by add_subdirectory and by FetchContent: it gets oribi::oribi,
# oribi::static and oribi::plugin; no flag of ours, no test, no rule of installation comes along.
#     included.sh SOURCE WORK    builds in WORK-sub and WORK-fetch
set -eu
source=$1 work=$2
mkdir -p "$work"
cat >"$work/main.c" <<'END'
#include <oribi/oribi.h>
/* Our own warnings would be errors here, C17 is the stranger's choice. */
#if __STDC_VERSION__ != 201710L || defined _GNU_SOURCE || defined _FORTIFY_SOURCE
#error a flag leaked
#endif
static int unused(long x) { return x; }
int main(void) { return oribi_version() == 0; }
END
project() { # FOLDER LINES
    mkdir -p "$work/$1"
    cat >"$work/$1/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(stranger VERSION 7 LANGUAGES C)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_EXTENSIONS OFF)
$2
add_executable(app ../main.c)
target_compile_options(app PRIVATE -U_FORTIFY_SOURCE)
target_link_libraries(app PRIVATE oribi::oribi)
add_executable(part $source/tests/install/app.c)
target_link_libraries(part PRIVATE oribi::static)
add_library(centre MODULE $source/examples/custom_op/centre.c)
target_link_libraries(centre PRIVATE oribi::plugin m)
get_property(tests DIRECTORY PROPERTY TESTS)
if(tests OR NOT CMAKE_C_STANDARD EQUAL 17 OR NOT PROJECT_VERSION EQUAL 7)
    message(FATAL_ERROR "something leaked")
endif()
END
    cmake -S "$work/$1" -B "$work-$1" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 || {
        cat "$work/log"
        exit 1
    }
}
# Both have one name for the folder of ours, so that the second finds the first's objects in a cache.
project sub "add_subdirectory($source oribi)"
project fetch "include(FetchContent)
FetchContent_Declare(oribi SOURCE_DIR $source)
FetchContent_MakeAvailable(oribi)"

for target in oribi_command example_centre oribi_cuda; do
    if ninja -C "$work-sub" -t query $target >/dev/null 2>&1; then
        echo "a project that includes this one builds $target"
        exit 1
    fi
done
DESTDIR="$work/image" cmake --install "$work-fetch" >"$work/log" 2>&1 || true
[ ! -e "$work/image" ] || { echo "something was installed"; exit 1; }
cmake --build "$work-sub" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
"$work-sub/app"
unset LD_LIBRARY_PATH || true
"$work-sub/part" "$source/examples/custom_op/digits_centred.onnx" "$work-sub/libcentre.so"
# The configured project of FetchContent compiles what a program needs of ours: one file of each kind.
cmake --build "$work-fetch" --target centre >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
grep -q "oribi-build" "$work-fetch/build.ninja"
echo "included: all good"
