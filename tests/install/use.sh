#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into a folder and uses it as a stranger would: pkg-config (shared and static), CMake, a
# plugin built by one line with gcc and with clang, the command, the man page.
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() {
    echo "== $*"
}
DESTDIR="$work/image" cmake --install "$build" --prefix /usr >"$work/install.log"
export PKG_CONFIG_PATH="$work/image/usr/lib/x86_64-linux-gnu/pkgconfig:$work/image/usr/lib/pkgconfig"
for folder in "$work"/image/usr/lib/*/pkgconfig; do
    [ -d "$folder" ] && PKG_CONFIG_PATH="$folder:$PKG_CONFIG_PATH"
done
library=$(pkg-config --variable=libdir oribi)
export LD_LIBRARY_PATH="$library"
unset ORIBI_PLUGIN_PROBE || true
model="$source/examples/digits/digits.onnx"

say "shared, by pkg-config"
# shellcheck disable=SC2046
cc -std=c11 "$source/tests/install/app.c" -o "$work/shared" $(pkg-config --cflags --libs oribi)
"$work/shared" "$model"

say "static, by pkg-config --static"
# shellcheck disable=SC2046
cc -std=c11 "$source/tests/install/app.c" -o "$work/static" $(pkg-config --cflags oribi) \
    -L"$library" $(pkg-config --static --libs-only-other oribi) -Wl,--whole-archive -l:liboribi.a \
    -Wl,--no-whole-archive -pthread -ldl -lm
env -u LD_LIBRARY_PATH "$work/static" "$model"

say "by find_package(oribi)"
mkdir "$work/cmake"
cat >"$work/cmake/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.20)
project(stranger C)
find_package(oribi 1.0 REQUIRED)
add_executable(app $source/tests/install/app.c)
target_link_libraries(app oribi::oribi)
add_library(plug MODULE $source/examples/bitcast/bitcast.c)
target_link_libraries(plug oribi::plugin)
EOF
cmake -S "$work/cmake" -B "$work/cmake/b" -DCMAKE_PREFIX_PATH="$work/image/usr" >"$work/cmake.log"
cmake --build "$work/cmake/b" >"$work/cmake.log"
"$work/cmake/b/app" "$model"

for compiler in gcc clang-14; do
    command -v $compiler >/dev/null || { echo "skipped: no $compiler"; continue; }
    say "the bitcast plugin by one line of $compiler"
    # shellcheck disable=SC2046
    $compiler -shared -fPIC $(pkg-config --cflags oribi-plugin) "$source/examples/bitcast/bitcast.c" \
        -o "$work/bitcast.so"
    "$work/image/usr/bin/oribi" plugin info "$work/bitcast.so" | grep bitcast.so
done

for compiler in gcc clang-14; do
    command -v $compiler >/dev/null || { echo "skipped: no $compiler"; continue; }
    say "kernels on threads, by launch and on streams by $compiler"
    fake="$source/examples/fake_accelerator"
    for sources in threads/distances.c launch/scale.c \
        "streams/sorted.c $fake/device.c $fake/stream.c $fake/launch.c $fake/queue.c $fake/faults.c"; do
        # shellcheck disable=SC2046,SC2086
        (cd "$source/examples" &&
            $compiler -shared -fPIC -fvisibility=hidden -Wall -Wextra -Werror \
                $(pkg-config --cflags oribi-plugin) -I"$fake" $sources -o "$work/example.so" -pthread -lm)
        "$work/image/usr/bin/oribi" plugin info "$work/example.so" | grep example.so
    done
done

for compiler in g++ clang++-14; do
    command -v $compiler >/dev/null || { echo "skipped: no $compiler"; continue; }
    pkg-config --exists eigen3 || { echo "skipped: no Eigen"; continue; }
    say "a kernel with Eigen by $compiler"
    # shellcheck disable=SC2046
    $compiler -shared -fPIC $(pkg-config --cflags oribi-plugin eigen3) \
        "$source/examples/eigen/describe.cc" -o "$work/example.so"
    "$work/image/usr/bin/oribi" plugin info "$work/example.so" | grep example.so
done

for flavour in c cxx; do
    say "a new plugin in $flavour, by make and by cmake, unchanged"
    [ $flavour = cxx ] && flag=--cxx || flag=
    PATH="$work/image/usr/bin:$PATH"
    # shellcheck disable=SC2086
    (cd "$work" && oribi plugin new my_$flavour $flag)
    if (cd "$work" && oribi plugin new my_$flavour) 2>"$work/again.txt"; then echo "overwrote"; exit 1; fi
    grep -q "nothing was written" "$work/again.txt"
    make -s -C "$work/my_$flavour" test
    cmake -S "$work/my_$flavour" -B "$work/my_$flavour/b" -DCMAKE_PREFIX_PATH="$work/image/usr" >"$work/cmake.log"
    cmake --build "$work/my_$flavour/b" >"$work/cmake.log"
    ctest --test-dir "$work/my_$flavour/b" >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
done

say "command, man page, completions"
"$work/image/usr/bin/oribi" --version
test -s "$work/image/usr/share/man/man1/oribi.1"
test -s "$work/image/usr/share/bash-completion/completions/oribi"
test -f "$work/image/usr/include/oribi/tensorflow/c/kernels.h"
for header in "$work"/image/usr/include/oribi/tensorflow/c/*.h "$work/image/usr/include/oribi/oribi/oribi.h"; do
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$work/image/usr/include/oribi" -x c "$header"
    c++ -std=c++14 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$work/image/usr/include/oribi" -x c++ "$header"
done

say "plugins of devices"
if [ -e "$build/plugins/oribi_opencl.so" ]; then
    "$work/image/usr/bin/oribi" plugin info "$library/oribi/plugins/oribi_opencl.so" | grep oribi_opencl.so
else
    test ! -e "$library/oribi/plugins/oribi_opencl.so"
fi
test -e "$library/oribi/plugins/oribi_cuda.so" && test -e "$library/oribi/plugins/oribi_hip.so"
ORIBI_PLUGIN_PATH="$library/oribi/plugins" "$work/image/usr/bin/oribi" devices 2>"$work/warnings.txt"
[ ! -s "$work/warnings.txt" ] || { cat "$work/warnings.txt"; exit 1; } # hardware that is absent is no warning

say "drivers of devices"
for kind in woofles uart_accel; do
    cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -c -I"$work/image/usr/include/oribi" \
        "$work/image/usr/share/oribi/platform/posix/$kind.c" -o "$work/$kind.o"
    for system in freertos cmsis zephyr; do
        test -f "$work/image/usr/share/oribi/platform/$system/$kind.c"
        test -f "$work/image/usr/include/oribi/tvm/device/$kind/$system.h"
    done
done
test -f "$work/image/usr/share/oribi/zephyr/module.yml"
echo "install: all good"
