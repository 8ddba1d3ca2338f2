#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the packages twice (the bytes must agree), installs them into a clean Debian and uses them
# there: the command, a program and a plugin by pkg-config, the header tarball.
#     deb.sh BUILD [ROOT]    ROOT: a Debian folder made before; it is copied
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
grep -q '^CMAKE_INSTALL_PREFIX:PATH=/usr$' "$build/CMakeCache.txt" || {
    echo "skipped: $build is not for prefix /usr (make packages)"
    exit 77
}
[ "$(id -u)" = 0 ] || { echo "skipped: wants root"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$source/packaging/deb/build.sh" "$build" "$work/one" >/dev/null
"$source/packaging/deb/build.sh" "$build" "$work/two" >/dev/null
for file in "$work"/one/*; do
    cmp "$file" "$work/two/$(basename "$file")"
done
echo "== the same bytes twice"
root=$work/root
if [ -n "${2:-}" ]; then
    cp -a "$2" "$root"
elif command -v debootstrap >/dev/null; then
    debootstrap --variant=minbase --include=gcc,libc6-dev,pkg-config bookworm "$root" >"$work/log" || {
        echo "skipped: no Debian to install into: $(tail -1 "$work/log")"
        exit 77
    }
else
    echo "skipped: no debootstrap"
    exit 77
fi
mkdir "$root/srv/try"
cp "$work"/one/* "$source/tests/install/app.c" "$source/examples/bitcast/bitcast.c" \
    "$source/examples/digits/digits.onnx" "$root/srv/try"
chroot "$root" sh -eu -c '
    cd /srv/try
    export DEBIAN_FRONTEND=noninteractive
    dpkg -i ./*.deb >log 2>&1 || { apt-get update >>log 2>&1 && apt-get install -y -f >>log 2>&1; } || {
        tail log
        exit 1
    }
    test "$(dpkg-query -W -f "\${Status}" liboribi-dev)" = "install ok installed"
    oribi --version
    oribi inspect digits.onnx >/dev/null
    cc -std=c11 app.c -o app $(pkg-config --cflags --libs oribi)
    ./app digits.onnx
    cc -shared -fPIC $(pkg-config --cflags oribi-plugin) bitcast.c -o bitcast.so
    oribi plugin info ./bitcast.so | grep bitcast.so
    test -x /usr/libexec/oribi/oribi-plugin-probe
    tar -xzf oribi-headers-*.tar.gz
    cc -shared -fPIC -I"$(echo oribi-headers-*/)" bitcast.c -o other.so
    oribi plugin info ./other.so | grep other.so
    dpkg -r oribi liboribi-dev liboribi1 >>log 2>&1
    test ! -e /usr/bin/oribi && test ! -e /usr/include/oribi && test ! -e /usr/libexec/oribi
'
echo "packages: all good"
