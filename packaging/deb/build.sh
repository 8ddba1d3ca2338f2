#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian packages and the header tarball from a build for prefix /usr:
#     build.sh BUILD OUT
# The same sources give the same bytes (SOURCE_DATE_EPOCH, else the time of the last commit).
# ORIBI_DEB_LEVEL: how hard xz tries, 6 if not given; a test that throws the packages away needs no more than 0.
set -eu
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
grep -q '^CMAKE_INSTALL_PREFIX:PATH=/usr$' "$build/CMakeCache.txt" || {
    echo "$build is not for packages: configure it with -DCMAKE_INSTALL_PREFIX=/usr" >&2
    exit 1
}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
image=$work/image
umask 022
DESTDIR="$image" cmake --install "$build" --strip >"$work/install.log"
arch=$(dpkg --print-architecture)

# Package names for the libraries that files need; a library not listed here is an error.
depends_of() {
    for file in "$@"; do
        for library in $(objdump -p "$file" | sed -n 's/^ *NEEDED *//p'); do
            case $library in
            libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | ld-linux*) ;;
            liboribi.so.1) ;;
            libz.so.1) echo ", zlib1g" ;;
            libspng.so.0) echo ", libspng0" ;;
            libjpeg.so.62) echo ", libjpeg62-turbo" ;;
            libgcc_s.so.1) echo ", libgcc-s1" ;;
            libstdc++.so.6) echo ", libstdc++6" ;;
            libOpenCL.so.1) echo ", ocl-icd-libopencl1 | libopencl1" ;;
            *)
                echo "$file needs $library: packaging/deb/build.sh does not know its package" >&2
                touch "$work/unknown"
                ;;
            esac
        done
    done | sort -u | tr -d '\n' >"$work/others"
    libc=$(for file in "$@"; do objdump -T "$file"; done | grep -o 'GLIBC_2\.[0-9]*' |
        sort -uV | tail -1)
    echo "libc6 (>= ${libc#GLIBC_})$(cat "$work/others")"
}

# package NAME SECTION DEPENDS "SUMMARY" path...: moves the paths out of the image
package() {
    [ ! -e "$work/unknown" ] || exit 1
    name=$1 section=$2 depends=$3 summary=$4
    shift 4
    root=$work/$name
    mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$name"
    cp "$source/LICENSE" "$root/usr/share/doc/$name/copyright"
    for path in "$@"; do
        mkdir -p "$root/$(dirname "$path")"
        mv "$image/$path" "$root/$path"
    done
    cat >"$root/DEBIAN/control" <<EOF
Package: $name
Version: $version
Architecture: $arch
Maintainer: The Oribi authors <oribi@localhost>
Installed-Size: $(find "$root" -type f -printf '%s\n' | awk '{ n += $1 } END { print int(n / 1024) + 1 }')
Depends: $depends
Section: $section
Priority: optional
Description: $summary
EOF
    [ "$name" = liboribi1 ] && echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
    find "$root" -depth -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz "-z${ORIBI_DEB_LEVEL:-6}" --build "$root" "$out/${name}_${version}_$arch.deb" >/dev/null
}

cd "$image"
lib=$(dirname "$(find usr/lib -name liboribi.so.1)")
# Devices, each in a package of its own: who installs one has the hardware or its driver. That of
# OpenCL is there where OpenCL was found.
device_package() { # NAME WORDS
    plugin=$lib/oribi/plugins/oribi_$1.so
    [ ! -e "$plugin" ] || package "oribi-$1" libs "$(depends_of "$plugin"), liboribi1 (= $version)" \
        "$2 devices for Oribi" "$plugin"
}
device_package opencl OpenCL
device_package cuda CUDA
device_package hip HIP
rmdir "$lib/oribi/plugins"
# The adapter needs C++, which Oribi itself does without.
adapter=$lib/oribi/oribi_ort_adapter.so
package oribi-ort-adapter libs "$(depends_of "$adapter"), liboribi1 (= $version)" \
    "libraries of ONNX Runtime's custom ops for Oribi" "$adapter"
# shellcheck disable=SC2046
package liboribi1 libs "$(depends_of "$lib/liboribi.so.1" usr/libexec/oribi/*)" \
    "runs ONNX models with ops and kernels that come as C binaries" \
    $(find "$lib" -maxdepth 1 -name 'liboribi.so.1*') "$lib/oribi" usr/libexec/oribi
package oribi utils "$(depends_of usr/bin/oribi), liboribi1 (= $version)" \
    "command that runs and inspects models" usr/bin/oribi usr/share/man/man1/oribi.1 \
    usr/share/bash-completion/completions/oribi usr/share/zsh/site-functions/_oribi \
    usr/share/fish/vendor_completions.d/oribi.fish
mkdir -p "$work/headers"
cp -R usr/include/oribi-plugin "$work/headers/oribi-headers-$version"
cp "$source/LICENSE" "$work/headers/oribi-headers-$version/"
package liboribi-dev libdevel "liboribi1 (= $version)" \
    "headers and static library of Oribi, for programs and plugins" usr/include/oribi \
    usr/include/oribi-plugin usr/share/oribi \
    "$lib/liboribi.so" "$lib/liboribi.a" "$lib/pkgconfig" "$lib/cmake"
left=$(find . ! -type d)
[ -z "$left" ] || {
    echo "installed, but in no package: $left" >&2
    exit 1
}
tar -C "$work/headers" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -cf - "oribi-headers-$version" |
    gzip -n9 >"$out/oribi-headers-$version.tar.gz"
ls "$out"
