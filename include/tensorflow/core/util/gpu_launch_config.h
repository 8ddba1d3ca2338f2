/* SPDX-License-Identifier: Apache-2.0 */
/* How many threads a GPU kernel of TensorFlow's kind is launched with, and GpuLaunchKernel.
 * Compiled by nvcc or hipcc, or by a C++ compiler that finds the vendor's runtime headers. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_GPU_LAUNCH_CONFIG_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_GPU_LAUNCH_CONFIG_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tensorflow/core/platform/errors.h"

#ifndef EIGEN_USE_GPU
#error "#define EIGEN_USE_GPU before the first header"
#endif
#include "unsupported/Eigen/CXX11/Tensor"

/* The vendor's name of a function or type. */
#if defined(TENSORFLOW_USE_ROCM) || defined(EIGEN_USE_HIP)
#include <hip/hip_runtime.h>
#define TF_GPU_(name) hip##name
#else
#include <cuda_runtime.h>
#define TF_GPU_(name) cuda##name
#endif
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TF_GPU_COMPILES_ 1
#endif

namespace tensorflow ORIBI_HIDDEN
{

using gpuStream_t = TF_GPU_(Stream_t);
using gpuEvent_t = TF_GPU_(Event_t);
using gpuError_t = TF_GPU_(Error_t);

/* The loop of CUDA_1D_KERNEL_LOOP covers virtual_thread_count with fewer threads. */
struct GpuLaunchConfig {
    int virtual_thread_count = -1;
    int thread_per_block = -1;
    int block_count = -1;
};
struct Gpu2DLaunchConfig {
    dim3 virtual_thread_count = dim3(0, 0, 0);
    dim3 thread_per_block = dim3(0, 0, 0);
    dim3 block_count = dim3(0, 0, 0);
};
using Gpu3DLaunchConfig = Gpu2DLaunchConfig;

namespace internal
{
inline int DivUp(int64 a, int64 b)
{
    return static_cast<int>((a + b - 1) / b);
}
inline int FillsGpu(const Eigen::GpuDevice &device)
{
    return std::max(1, device.getNumGpuMultiProcessors() * device.maxGpuThreadsPerMultiProcessor());
}
inline GpuLaunchConfig ConfigOf(int work, int threads, int most_blocks)
{
    GpuLaunchConfig out;
    out.virtual_thread_count = work;
    out.thread_per_block = threads;
    out.block_count = std::max(1, std::min(DivUp(work, threads), most_blocks));
    return out;
}
inline Status StatusOfLaunch(gpuError_t code)
{
    return code == TF_GPU_(Success) ? Status()
                                    : errors::Internal("a GPU kernel could not be launched: ",
                                                       TF_GPU_(GetErrorString)(code));
}
} // namespace internal

/* work > 0 elements, a thread each as far as the device holds so many. */
inline GpuLaunchConfig GetGpuLaunchConfig(int work, const Eigen::GpuDevice &device)
{
    const int threads = std::min(1024, device.maxGpuThreadsPerBlock());
    return internal::ConfigOf(work, threads, internal::DivUp(internal::FillsGpu(device), threads));
}
/* For one kernel, by what it occupies. */
template <typename Kernel>
GpuLaunchConfig GetGpuLaunchConfig(int work, const Eigen::GpuDevice &, Kernel kernel,
                                   size_t shared_bytes, int most_threads)
{
    int blocks = 1, threads = 256;
    (void)TF_GPU_(OccupancyMaxPotentialBlockSize)(&blocks, &threads, kernel, shared_bytes,
                                                  most_threads);
    return internal::ConfigOf(work, std::max(1, threads), std::max(1, blocks));
}
template <typename Kernel>
GpuLaunchConfig GetGpuLaunchConfigFixedBlockSize(int work, const Eigen::GpuDevice &device,
                                                 Kernel kernel, size_t shared_bytes, int threads)
{
    int blocks = 1;
    (void)TF_GPU_(OccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, kernel, threads,
                                                             shared_bytes);
    return internal::ConfigOf(work, threads,
                              std::max(1, blocks * device.getNumGpuMultiProcessors()));
}
inline Gpu2DLaunchConfig GetGpu2DLaunchConfig(int x, int y, const Eigen::GpuDevice &device)
{
    Gpu2DLaunchConfig out;
    if (x <= 0 || y <= 0) {
        return out;
    }
    const int columns = std::min(x, 256), rows = std::max(256 / columns, 1);
    const int most = std::max(internal::FillsGpu(device) / 256, 1);
    const int blocks_x = std::min(internal::DivUp(x, columns), most);
    out.virtual_thread_count = dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), 1);
    out.thread_per_block = dim3(static_cast<unsigned>(columns), static_cast<unsigned>(rows), 1);
    out.block_count = dim3(
        static_cast<unsigned>(blocks_x),
        static_cast<unsigned>(std::min(std::max(most / blocks_x, 1), internal::DivUp(y, rows))), 1);
    return out;
}

#ifdef TF_GPU_COMPILES_
template <typename... P, typename... A>
Status GpuLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes,
                       gpuStream_t stream, A... arguments)
{
    kernel<<<grid, block, shared_bytes, stream>>>(static_cast<P>(arguments)...);
    return internal::StatusOfLaunch(TF_GPU_(GetLastError)());
}
/* The names of before 2019. */
using CudaLaunchConfig = GpuLaunchConfig;
using Cuda2DLaunchConfig = Gpu2DLaunchConfig;
template <typename... A> GpuLaunchConfig GetCudaLaunchConfig(A &&...a)
{
    return GetGpuLaunchConfig(std::forward<A>(a)...);
}
template <typename... A> Gpu2DLaunchConfig GetCuda2DLaunchConfig(A &&...a)
{
    return GetGpu2DLaunchConfig(std::forward<A>(a)...);
}
template <typename... P, typename... A> Status CudaLaunchKernel(void (*kernel)(P...), A... a)
{
    return GpuLaunchKernel(kernel, a...);
}
#endif

} // namespace tensorflow

#endif
