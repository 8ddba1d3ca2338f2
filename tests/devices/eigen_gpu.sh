#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the header of Eigen's GPU device by nvcc, against Debian's Eigen: SOURCE_ROOT FOLDER
set -eu
if ! command -v nvcc >/dev/null; then
    echo "skipped: no nvcc, so the header of Eigen's GPU device is not compiled"
    exit 77
fi
if [ ! -d /usr/include/eigen3 ]; then
    echo "skipped: no libeigen3-dev"
    exit 77
fi
nvcc -std=c++17 --expt-relaxed-constexpr -w -c -I"$1/include" -isystem /usr/include/eigen3 \
    "$1/tests/devices/plugins/gpu_square.cu" -o "$2/gpu_square.o"
echo "compiled by $(nvcc --version | sed -n 's/.*release \([^,]*\).*/nvcc \1/p')"
