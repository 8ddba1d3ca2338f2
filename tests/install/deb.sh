#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the packages twice (the bytes must agree), installs them into a clean Debian and uses them
# there: the command, a program and a plugin by pkg-config, the header tarball.
#     deb.sh BUILD [ROOT]    BUILD: configured as `make packages` does, or a folder for that
#                            ROOT: a Debian folder made before; it is copied
# Without one, mmdebstrap makes it, in half of debootstrap's time: this machine's release, from its first apt source.
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] || { echo "skipped: wants root"; exit 77; }
[ -n "${2:-}" ] || command -v mmdebstrap >/dev/null || { echo "skipped: no mmdebstrap"; exit 77; }
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
    -DORIBI_BUILD_TESTS=OFF -DORIBI_BUILD_BENCH=OFF >/dev/null
cmake --build "$build" | tail -1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ORIBI_DEB_LEVEL=0
"$source/packaging/deb/build.sh" "$build" "$work/one" >/dev/null
"$source/packaging/deb/build.sh" "$build" "$work/two" >/dev/null
for file in "$work"/one/*; do
    cmp "$file" "$work/two/$(basename "$file")"
done
echo "== the same bytes twice"
root=$work/root
if [ -n "${2:-}" ]; then
    cp -a "$2" "$root"
else
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mirror=$(apt-get indextargets --format '$(SITE)' "Created-By: Packages" | head -1)
    mmdebstrap --mode=root --variant=apt --include=gcc,libc6-dev,pkg-config "$release" "$root" \
        ${mirror:+"$mirror"} >"$work/log" 2>&1 || {
        echo "skipped: no Debian to install into: $(tail -1 "$work/log")"
        exit 77
    }
fi
mkdir "$root/srv/try"
cp "$work"/one/* "$source/tests/install/app.c" "$source/examples/bitcast/bitcast.c" \
    "$source/examples/digits/digits.onnx" "$source/examples/custom_op/centre.c" "$root/srv/try"
cp "$source/examples/custom_op/digits_centred.onnx" "$root/srv/try/centred.onnx"
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
    oribi run digits.onnx -i 0=rand:1 --top-k 1
    cc -std=c11 app.c -o app $(pkg-config --cflags --libs oribi)
    ./app digits.onnx
    cc -std=c11 -static app.c -o app $(pkg-config --static --cflags --libs oribi) 2>log
    ./app digits.onnx
    cc -shared -fPIC $(pkg-config --cflags oribi-plugin) bitcast.c -o bitcast.so
    cc -shared -fPIC $(pkg-config --cflags oribi-plugin) centre.c -o centre.so
    oribi plugin info ./bitcast.so | grep bitcast.so
    oribi plugin check ./bitcast.so >check || { cat check; exit 1; }
    oribi plugin test ./bitcast.so >check || { cat check; exit 1; }
    oribi run centred.onnx --plugin ./centre.so -i 0=rand:1 --top-k 1
    test -x /usr/libexec/oribi/oribi-plugin-probe
    tar -xzf oribi-headers-*.tar.gz
    cc -shared -fPIC -I"$(echo oribi-headers-*/)" bitcast.c -o other.so
    oribi plugin info ./other.so | grep other.so
    oribi devices >devices 2>warnings # no driver here: said there, and nobody is warned
    grep "no NVIDIA driver" devices
    test ! -s warnings
    dpkg -r oribi-cuda oribi-hip oribi-ort-adapter >>log 2>&1
    dpkg -r oribi-opencl >>log 2>&1 || true # there where OpenCL was found
    dpkg -r oribi liboribi-dev liboribi1 >>log 2>&1
    test ! -e /usr/bin/oribi && test ! -e /usr/include/oribi && test ! -e /usr/include/oribi-plugin && test ! -e /usr/libexec/oribi
'
echo "packages: all good"
