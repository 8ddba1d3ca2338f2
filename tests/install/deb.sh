#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the packages of the tree it lies in (in_copy.py), packs them twice (the bytes must agree), has lintian look at
# them, installs them into a clean Debian and runs debian/tests there, then removes them.
#     deb.sh [ROOT]    ROOT: a Debian folder made before; it is copied
# Without one, mmdebstrap makes it, in half of debootstrap's time: this machine's release, from its first apt source.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] || { echo "skipped: wants root"; exit 77; }
command -v dh >/dev/null || { echo "skipped: no debhelper"; exit 77; }
[ -n "${1:-}" ] || command -v mmdebstrap >/dev/null || { echo "skipped: no mmdebstrap"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Compiled by the words of the release build, whose objects ccache has then; Debian's flags are for real packages. The
# fastest xz: nobody keeps what comes out.
export DEB_CFLAGS_SET="" DEB_CXXFLAGS_SET="" DEB_CPPFLAGS_SET="" DEB_LDFLAGS_SET="-Wl,-z,now" DEB_BUILD_OPTIONS=noautodbgsym
export ORIBI_DEB_BUILD=build DPKG_DEB_COMPRESSOR_LEVEL=0
"$source/packaging/deb.sh" "$work/one" >/dev/null || exit 1
"$source/packaging/deb.sh" "$work/two" again >/dev/null
for file in "$work"/one/*; do
    cmp "$file" "$work/two/$(basename "$file")"
done
echo "== the same bytes twice"
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning "$work"/one/*.deb
    echo "== lintian: no error, no warning"
    # A package without a description is seen.
    dpkg-deb -R "$work"/one/oribi_*.deb "$work/planted"
    sed -i '/^ /d' "$work/planted/DEBIAN/control"
    dpkg-deb -Znone --root-owner-group -b "$work/planted" "$work/planted.deb" >/dev/null
    if lintian --allow-root --fail-on error,warning --tags extended-description-is-empty "$work/planted.deb" >"$work/said"; then echo "a fault was not seen"; exit 1; fi
    grep -q extended-description-is-empty "$work/said"
else
    echo "not looked at: no lintian"
fi
root=$work/root
if [ -n "${1:-}" ]; then
    cp -a "$1" "$root"
else
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    mirror=$(apt-get indextargets --format '$(SITE)' "Created-By: Packages" | head -1)
    mmdebstrap --mode=root --variant=apt --include=gcc,libc6-dev,pkg-config "$release" "$root" \
        ${mirror:+"$mirror"} >"$work/log" 2>&1 || {
        echo "skipped: no Debian to install into: $(tail -1 "$work/log")"
        exit 77
    }
fi
mkdir -p "$root/srv/try/tests/install"
cp "$work"/one/* "$root/srv/try"
cp -R "$source/examples" "$source/debian" "$root/srv/try"
cp "$source/tests/install/app.c" "$root/srv/try/tests/install"
chroot "$root" sh -eu -c '
    cd /srv/try
    export DEBIAN_FRONTEND=noninteractive
    dpkg -i ./*.deb >log 2>&1 || { apt-get update >>log 2>&1 && apt-get install -y -f >>log 2>&1; } || {
        tail log
        exit 1
    }
    test "$(dpkg-query -W -f "\${Status}" liboribi-dev)" = "install ok installed"
    sh debian/tests/use
    tar -xzf oribi-headers-*.tar.gz
    cc -shared -fPIC -I"$(echo oribi-headers-*/)" examples/bitcast/bitcast.c -o other.so
    oribi plugin info ./other.so | grep other.so
    oribi devices >devices 2>warnings # no driver here: said there, and nobody is warned
    grep "no NVIDIA driver" devices
    test ! -s warnings
    dpkg -r oribi-cuda oribi-hip oribi-opencl oribi-ort-adapter oribi liboribi-dev liboribi1 >>log 2>&1
    test ! -e /usr/bin/oribi && test ! -e /usr/include/oribi && test ! -e /usr/include/oribi-plugin && test ! -e /usr/libexec/oribi
'
echo "packages: all good"
