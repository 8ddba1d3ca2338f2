# SPDX-License-Identifier: Apache-2.0
"""Does a source for GPUs compile with nvcc, and does what comes out load?

    gpu_test.py ORIBI SOURCE PATHS EIGEN FOLDER        77 without nvcc or Eigen
"""
import pathlib
import shutil
import subprocess
import sys

oribi, source, paths, eigen, folder = sys.argv[1:]
nvcc = shutil.which("nvcc")
if nvcc is None or not pathlib.Path(eigen).is_dir():
    print("skipped: no nvcc" if nvcc is None else "skipped: no Eigen")
    sys.exit(77)
plugin = pathlib.Path(folder) / "gpu_scale.so"
options = ["-std=c++17", "-shared", "-Xcompiler", "-fPIC", "-w", "--expt-relaxed-constexpr", "-DGOOGLE_CUDA=1",
           f"-I{source}/include", f"-I{paths}", f"-I{eigen}", "-x", "cu"]
done = subprocess.run([nvcc, *options, f"{source}/tests/cxx/plugins/gpu_scale.cu.cc", "-o", plugin],
                      capture_output=True, text=True)
if done.returncode:
    print("\n".join(line for line in done.stderr.splitlines() if "error" in line)[:4000])
    sys.exit(1)
shown = subprocess.run([oribi, "plugin", "describe", plugin], capture_output=True, text=True)
print(shown.stdout, shown.stderr)
sys.exit(0 if shown.returncode == 0 and "GpuScale" in shown.stdout and "GPU" in shown.stdout else 1)
