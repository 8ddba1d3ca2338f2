#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library exports exactly the committed list, under no symbol version, and its stack is not
# executable; Debian's list, which says since when each is there, has the same. A planted difference in a list must be
# seen. `symbols.sh LIB --update` rewrites both: what is new came with this version.
set -eu
library=$1
list="$(dirname "$0")/../../packaging/oribi.symbols"
debian="$(dirname "$0")/../../debian/liboribi1.symbols"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$library" | awk '{print $3}' | LC_ALL=C sort >"$work/now"
if [ "${2:-}" = --update ]; then
    cp "$work/now" "$list"
    version=$(sed -n 's/^project(oribi VERSION \([0-9.]*\).*/\1/p' "$(dirname "$0")/../../CMakeLists.txt")
    head -1 "$debian" >"$work/new"
    while read -r name; do
        grep "^ $name@" "$debian" || echo " $name@Base $version"
    done <"$work/now" >>"$work/new"
    cp "$work/new" "$debian"
    exit 0
fi
diff -u "$list" "$work/now" || { echo "exports differ from packaging/oribi.symbols"; exit 1; }
sed -n 's/^ \(.*\)@Base .*/\1/p' "$debian" >"$work/debian"
diff -u "$work/debian" "$work/now" || { echo "exports differ from debian/liboribi1.symbols"; exit 1; }
grep -v TF_GetInput "$list" >"$work/planted"
diff -q "$work/planted" "$work/now" >/dev/null && { echo "a missing export was not seen"; exit 1; }
if grep -q '@' "$work/now"; then echo "symbols carry versions"; exit 1; fi
if readelf -d "$library" | grep -q VERDEF; then echo "the library has a version table"; exit 1; fi
readelf -lW "$library" | grep GNU_STACK | grep -q 'RW ' || { echo "executable stack"; exit 1; }
readelf -d "$library" | grep -q 'SONAME.*liboribi.so.1' || { echo "no soname"; exit 1; }
echo "$(wc -l <"$list") exported symbols, as committed"
