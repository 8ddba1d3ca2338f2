#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An installation that was moved, or made for another prefix than the configured one, finds what
# belongs to it beside itself: plugins, cases of the built-in ones, drop-in libraries, the probe.
#     moved.sh BUILD
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ORIBI_PLUGIN_PATH ORIBI_PLUGIN_PROBE LD_LIBRARY_PATH || true
export ORIBI_PLUGIN_CACHE=0
cmake --install "$build" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/second"
oribi=$work/second/bin/oribi
plugins=$(dirname "$(find "$work/second" -name liboribi.so)")/oribi/plugins
include=$work/second/include/oribi-plugin

# A plugin as TensorFlow's builds make them: it wants a library of TensorFlow's by name.
cc -shared -fPIC -nostdlib -x c /dev/null -Wl,-soname,libtensorflow_framework.so.2 -o "$work/empty.so"
cc -shared -fPIC -I"$include" "$source/examples/custom_op/centre.c" -Wl,--no-as-needed "$work/empty.so" \
    -o "$plugins/centre.so" -lm
"$oribi" run "$source/examples/custom_op/digits_centred.onnx" --top-k 1 \
    -i picture=@"$source/examples/digits/digit-3-0059.png" 2>"$work/warnings" | tee "$work/out"
grep -q '^ *3 ' "$work/out" || { cat "$work/warnings"; echo "the plugin beside the library is not found"; exit 1; }
# A drop-in library that is not found would be a warning, the plugin left out.
[ ! -s "$work/warnings" ] || { cat "$work/warnings"; exit 1; }
"$oribi" plugin test cpu --op Concat >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
echo "{" >"$plugins/../cases/built_in.cases.json"
if "$oribi" plugin test cpu --op Concat >"$work/out" 2>&1; then
    echo "the cases of built-in plugins were not read from beside the library"
    exit 1
fi
grep -q "test cases" "$work/out" || { cat "$work/out"; exit 1; }
# Nothing of it came from elsewhere: without the folder the op is unknown.
mv "$plugins" "$plugins.away"
if "$oribi" run "$source/examples/custom_op/digits_centred.onnx" \
    -i picture=@"$source/examples/digits/digit-3-0059.png" >"$work/out" 2>&1; then
    echo "the plugin came from elsewhere"
    exit 1
fi
echo "moved: all good"
