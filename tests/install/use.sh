#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into a folder and uses it as a stranger would: pkg-config (shared, static, a part of the program), CMake, a
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

centred="$source/examples/custom_op/digits_centred.onnx"
# shellcheck disable=SC2046
cc -shared -fPIC $(pkg-config --cflags oribi-plugin) "$source/examples/custom_op/centre.c" -o "$work/centre.so" -lm

say "shared, by pkg-config"
# shellcheck disable=SC2046
cc -std=c11 "$source/tests/install/app.c" -o "$work/shared" $(pkg-config --cflags --libs oribi)
"$work/shared" "$model"

# pkg-config's words as they come, never the archive by hand: that would hide what they lack.
has_library() { # FILE: does it want liboribi.so.1?
    readelf -d "$1" | grep -q "NEEDED.*liboribi"
}
say "as TensorFlow, by pkg-config and by its name"
names="$library/oribi/tensorflow"
# shellcheck disable=SC2046
cc -std=c11 "$source/tests/install/graph_app.c" -o "$work/graph" $(PKG_CONFIG_PATH="$names/pkgconfig" pkg-config --cflags --libs tensorflow)
has_library "$work/graph"
[ "$("$work/graph")" = 5 ]
LD_LIBRARY_PATH="$names" python3 -c 'import ctypes
library = ctypes.CDLL("libtensorflow.so.2")
library.TF_Version.restype = ctypes.c_char_p
assert library.TF_Version() == b"2.16.1"'

say "shared and -static, by pkg-config --static"
# shellcheck disable=SC2046
cc -std=c11 "$source/tests/install/app.c" -o "$work/shared" $(pkg-config --static --cflags --libs oribi)
has_library "$work/shared"
if nm --defined-only "$work/shared" | grep -q oribi_model_open; then
    echo "the archive and the shared library are both in one program"
    exit 1
fi
"$work/shared" "$centred" "$work/centre.so"
# shellcheck disable=SC2046
cc -std=c11 -static "$source/tests/install/app.c" -o "$work/static" \
    $(pkg-config --static --cflags --libs oribi) 2>"$work/warnings"
env -u LD_LIBRARY_PATH "$work/static" "$model"
if "$work/static" "$centred" "$work/centre.so" 2>"$work/said"; then echo "static, with a plugin"; exit 1; fi
grep -q "linked statically and has the built-in plugins only" "$work/said"

say "a part of the program, by pkg-config oribi-static; it loads a plugin"
# shellcheck disable=SC2046
cc -std=c11 "$source/tests/install/app.c" -o "$work/part" $(pkg-config --cflags --libs oribi-static)
if has_library "$work/part"; then echo "oribi-static wants the shared library"; exit 1; fi
env -u LD_LIBRARY_PATH "$work/part" "$centred" "$work/centre.so"
# The same without the words that matter is refused, and told which.
# shellcheck disable=SC2046
cc -std=c11 "$source/tests/install/app.c" -o "$work/hides" \
    $(pkg-config --cflags --libs oribi-static | sed s/-Wl,--export-dynamic//)
if "$work/hides" "$centred" "$work/centre.so" 2>"$work/said"; then echo "nothing was hidden"; exit 1; fi
grep -q "pkg-config --libs oribi-static" "$work/said"

say "by find_package(oribi)"
mkdir "$work/cmake"
cat >"$work/cmake/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.20)
project(stranger C)
find_package(oribi 1.0 REQUIRED)
add_executable(app $source/tests/install/app.c)
target_link_libraries(app oribi::oribi)
add_executable(part $source/tests/install/app.c)
target_link_libraries(part oribi::static)
add_library(plug MODULE $source/examples/bitcast/bitcast.c)
target_link_libraries(plug oribi::plugin)
EOF
cmake -S "$work/cmake" -B "$work/cmake/b" -DCMAKE_PREFIX_PATH="$work/image/usr" >"$work/cmake.log"
cmake --build "$work/cmake/b" >"$work/cmake.log"
"$work/cmake/b/app" "$model"
env -u LD_LIBRARY_PATH "$work/cmake/b/part" "$centred" "$work/centre.so"

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

for flavour in c cxx micro; do
    say "a new plugin in $flavour, by make and by cmake, unchanged"
    flag=; [ $flavour = c ] || flag=--$flavour
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
include="$work/image/usr/include"
for header in "$include"/oribi-plugin/tensorflow/c/*.h "$include"/oribi-plugin/oribi/*.h "$include"/oribi/oribi/*.h; do
    flags=$(pkg-config --cflags oribi)
    case $header in */oribi-plugin/*) flags=$(pkg-config --cflags oribi-plugin) ;; esac
    # shellcheck disable=SC2086
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $flags -x c "$header"
    # shellcheck disable=SC2086
    c++ -std=c++14 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $flags -x c++ "$header"
done

# shellcheck disable=SC2046
c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "$source/examples/embed/embed.cc" -o "$work/embed" $(pkg-config --cflags --libs oribi)
"$work/embed" "$model" >"$work/printed"
test "$(wc -l <"$work/printed")" = 10

say "plugins of devices"
if [ -e "$build/plugins/oribi_opencl.so" ]; then
    "$work/image/usr/bin/oribi" plugin info "$library/oribi/plugins/oribi_opencl.so" | grep oribi_opencl.so
else
    test ! -e "$library/oribi/plugins/oribi_opencl.so"
fi
test -e "$library/oribi/plugins/oribi_cuda.so" && test -e "$library/oribi/plugins/oribi_hip.so"
"$work/image/usr/bin/oribi" devices 2>"$work/warnings.txt"
[ ! -s "$work/warnings.txt" ] || { cat "$work/warnings.txt"; exit 1; } # hardware that is absent is no warning

say "drivers of devices: somebody else's, and the examples from where they are installed"
cp -r "$source/tests/hooks/verify/tally" "$work/tally"
# shellcheck disable=SC2046
cc -shared -fPIC $(pkg-config --cflags oribi-plugin) -I"$work/tally/headers" "$work/tally/target.c" -o "$work/tally.so"
examples="$work/image/usr/share/oribi/examples/accelerators"
# shellcheck disable=SC2046
cc -shared -fPIC $(pkg-config --cflags oribi-plugin) -I"$examples/woofles/include" "$examples/woofles/target.c" \
    -o "$work/woofles.so" -lm
targets=host
command -v qemu-system-arm >/dev/null && command -v arm-none-eabi-gcc >/dev/null && targets="host cortex-m4"
for target in $targets; do
    for row in "tally-now tally tally.so" "tally-far tally tally.so" "uart_accel $examples/uart_accel woofles.so"; do
        # shellcheck disable=SC2086
        set -- $row
        (cd "$work" && "$work/image/usr/bin/oribi" verify "$source/examples/digits/digits_int8.tflite" --runs 1 \
            --target "$target" --plugin "./$3" --target-device "$1" --driver "$2" | grep "equal bit for bit")
    done
done
test -f "$work/image/usr/share/oribi/zephyr/module.yml"
# of drivers that of Ethos-U alone stands apart from the examples, over Arm's core driver, which is not here
[ "$(ls "$work/image/usr/share/oribi/platform")" = ethos_u ]
[ "$(ls "$include/oribi-plugin/tvm/device")" = "$(printf 'ethos_u\nethos_u.h')" ]
cc -std=c99 -Wall -Wextra -Werror -I"$include/oribi-plugin" -c "$work/image/usr/share/oribi/platform/ethos_u/ethos_u.c" -o "$work/ethos_u.o"
echo "install: all good"
