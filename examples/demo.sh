#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo: real pictures through a trained network, one of its ops from a plugin binary that is built
# here, outside the tree, against the installed headers alone.
set -eu
cd "$(dirname "$0")/.."
build=$1
oribi=$build/bin/oribi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() {
    printf '\n\033[1m%s\033[0m\n' "$*"
}

say "1. A dozen held-out digit pictures through examples/digits/digits.onnx"
right=0
total=0
for picture in examples/digits/digit-*.png; do
    "$oribi" run examples/digits/digits.onnx -i picture=@"$picture" --show --top-k 3 \
        --labels examples/digits/labels.txt >"$work/out"
    truth=$(basename "$picture" | cut -d- -f2)
    guess=$(awk '/^ +[0-9]+ +[0-9.]+ / {print $1; exit}' "$work/out")
    printf '%s (really a %s)\n' "$(basename "$picture")" "$truth"
    cat "$work/out"
    total=$((total + 1))
    [ "$guess" = "$truth" ] && right=$((right + 1))
done
printf '%s of %s right\n' "$right" "$total"

say "2. An op that only a plugin knows: com.acme:Centre, built outside the tree by one line"
DESTDIR="$work/image" cmake --install "$build" --prefix /usr >/dev/null
for folder in "$work"/image/usr/lib/*/pkgconfig "$work"/image/usr/lib/pkgconfig; do
    [ -d "$folder" ] && export PKG_CONFIG_PATH="$folder"
done
cp examples/custom_op/centre.c "$work"
(
    cd "$work"
    echo "\$ cc -shared -fPIC \$(pkg-config --cflags oribi-plugin) centre.c -o centre.so"
    # shellcheck disable=SC2046
    cc -shared -fPIC -O2 $(pkg-config --cflags oribi-plugin) centre.c -o centre.so
)
echo "without the plugin:"
"$oribi" run examples/custom_op/digits_centred.onnx -i picture=@examples/digits/digit-3-0059.png || true
echo "with it:"
echo "\$ oribi run digits_centred.onnx --plugin ./centre.so -i picture=@digit-3-0059.png --top-k 3"
"$oribi" run examples/custom_op/digits_centred.onnx --plugin "$work/centre.so" --top-k 3 \
    --labels examples/digits/labels.txt -i picture=@examples/digits/digit-3-0059.png

say "What to try next"
cat <<EOF
  $oribi inspect examples/digits/digits.onnx --steps     each step, its kernel, its place in memory
  $oribi bench examples/digits/digits.onnx               how fast it is here
  $oribi ops --map                                       which ONNX operators translate into what
  $oribi run YOUR.onnx -i 0=@picture.jpg --top-k 5       your own model
  docs/tour.md                                           where things are
EOF
[ "$right" -ge 11 ] || { echo "fewer than 11 digits right: something is broken" >&2; exit 1; }
