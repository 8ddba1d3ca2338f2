#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/install-deps.sh where nothing can be installed: it names what a task lacks and the task goes
# on; what is there is not named; `build` asks for no tool of the demo or of the tests.
set -eu
script=$(cd "$(dirname "$0")/../.." && pwd)/tools/install-deps.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
give() { # programs that this machine is to have
    for program in "$@"; do
        ln -sf "$(command -v "$program" || command -v true)" "$work/bin/$program"
    done
}
ask() { # TASK: what the script says, on a path without dpkg and apt-get
    env -i PATH="$work/bin" "$work/bin/sh" "$script" "$1" 2>&1 || echo "failed with $?"
}
expect() { # WORDS that must be in the answer
    for word in "$@"; do
        case " $said " in *" $word"[\ :,]* | *" $word
"*) ;; *) echo "'$word' is not in: $said"; exit 1 ;; esac
    done
}
give sh id
said=$(ask build)
expect missing gcc cmake ninja-build pkg-config make libspng-dev zlib1g-dev "going on with what is there"
for word in qemu mmdebstrap cross arm-none clang valgrind cmocka dpkg failed; do
    case $said in *"$word"*) echo "make build asks for $word: $said"; exit 1 ;; esac
done
give cc cmake ninja pkg-config make
said=$(ask build)
case $said in *gcc* | *cmake* | *ninja*) echo "there, and named: $said"; exit 1 ;; esac
said=$(ask demo)
expect gcc-arm-none-eabi qemu-system-arm
said=$(ask test)
expect gcc-arm-none-eabi mmdebstrap clang-14 valgrind
case $said in *failed*) echo "$said"; exit 1 ;; esac
# All there: silence. pkg-config and files stand for what this machine may lack.
printf '#!%s\nexit 0\n' "$(command -v sh)" >"$work/bin/pkg-config.yes"
chmod +x "$work/bin/pkg-config.yes"
mv "$work/bin/pkg-config.yes" "$work/bin/pkg-config"
said=$(ask build)
[ -z "$said" ] || { echo "nothing is missing, yet: $said"; exit 1; }
# No right to install, no sudo, a failing apt-get: named as well, and gone on.
printf '#!%s\nexit 1\n' "$(command -v sh)" >"$work/bin/dpkg-query"
cp "$work/bin/dpkg-query" "$work/bin/apt-get"
chmod +x "$work/bin/dpkg-query" "$work/bin/apt-get"
give grep
said=$(ask build)
expect gcc libspng-dev "going on with what is there"
case $said in *failed\ with*) echo "$said"; exit 1 ;; esac
if env -i PATH="$work/bin" "$work/bin/sh" "$script" nonsense 2>/dev/null; then echo "took nonsense"; exit 1; fi
echo "needs: all good"
