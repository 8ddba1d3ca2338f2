#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian packages of this tree, from debian/, and the tarballs of sources and of headers:
#     deb.sh OUT [again]    again: pack once more what was built for the last call
# Built in ORIBI_DEB_BUILD, a folder of this tree, else in build/packages. The same sources give the same bytes
# (SOURCE_DATE_EPOCH, else the time of the last commit).
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    tail -n 40 "$work/log" >&2
    exit 1
}
rm -f debian/*.debhelper.log debian/debhelper-build-stamp
if [ "${2:-}" = again ]; then
    touch debian/debhelper-build-stamp
fi
debian/rules build >"$work/log" 2>&1 || fail
rm -rf debian/.debhelper debian/tmp
DEB_RULES_REQUIRES_ROOT=no ORIBI_DEB_OUT=$out debian/rules binary >"$work/log" 2>&1 || fail
version=$(dpkg-parsechangelog -S Version)
# The headers alone, for authors of plugins without Debian.
mkdir -p "$work/oribi-headers-$version"
cp -R debian/liboribi-dev/usr/include/oribi-plugin/. LICENSE "$work/oribi-headers-$version"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=u=rwX,go=rX \
    --format=gnu -cf - "oribi-headers-$version" | gzip -n9 >"$out/oribi-headers-$version.tar.gz"
debian/rules clean >/dev/null 2>&1
ls "$out"
