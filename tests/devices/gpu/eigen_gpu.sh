#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a plugin with the header of Eigen's GPU device by nvcc, against Debian's Eigen. It runs where
# a GPU is: devices.eigen_gpu_run. SOURCE_ROOT FOLDER
set -eu
if ! command -v nvcc >/dev/null; then
    echo "skipped: no nvcc, so the header of Eigen's GPU device is not compiled"
    exit 77
fi
if [ ! -d /usr/include/eigen3 ]; then
    echo "skipped: no libeigen3-dev"
    exit 77
fi
nvcc -std=c++17 --expt-relaxed-constexpr -w -shared -Xcompiler -fPIC -I"$1/include" \
    -isystem /usr/include/eigen3 "$1/tests/devices/plugins/gpu_square.cu" -o "$2/gpu_square.so"
echo "compiled by $(nvcc --version | sed -n 's/.*release \([^,]*\).*/nvcc \1/p')"
