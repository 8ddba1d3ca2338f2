/* SPDX-License-Identifier: Apache-2.0 */
/* What GPU kernels of TensorFlow's kind use on the device: loops over a grid, atomic functions,
 * reads of what nobody writes. How they are launched: gpu_launch_config.h. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_GPU_KERNEL_HELPER_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_GPU_KERNEL_HELPER_H_

#include "tensorflow/core/util/gpu_launch_config.h"

#include "tensorflow/core/framework/op_kernel.h"

#ifdef TF_GPU_COMPILES_
namespace tensorflow ORIBI_HIDDEN
{

/* Begin, step and end of a thread's part of a loop. */
template <typename T> class GpuGridRange
{
  public:
    class Iterator
    {
      public:
        __device__ Iterator(T at, T step) : at_(at), step_(step)
        {
        }
        __device__ T operator*() const
        {
            return at_;
        }
        __device__ Iterator &operator++()
        {
            at_ += step_;
            return *this;
        }
        __device__ bool operator!=(const Iterator &end) const
        {
            return at_ < end.at_;
        }

      private:
        T at_, step_;
    };
    __device__ GpuGridRange(T first, T step, T end) : first_(first), step_(step), end_(end)
    {
    }
    __device__ Iterator begin() const
    {
        return Iterator(first_, step_);
    }
    __device__ Iterator end() const
    {
        return Iterator(end_, step_);
    }

  private:
    T first_, step_, end_;
};
#define ORIBI_GPU_RANGE(X, axis)                                                                   \
    template <typename T> __device__ GpuGridRange<T> GpuGridRange##X(T count)                      \
    {                                                                                              \
        return GpuGridRange<T>(static_cast<T>(blockIdx.axis * blockDim.axis + threadIdx.axis),     \
                               static_cast<T>(gridDim.axis * blockDim.axis), count);               \
    }                                                                                              \
    template <typename T> __device__ GpuGridRange<T> CudaGridRange##X(T count)                     \
    {                                                                                              \
        return GpuGridRange##X(count);                                                             \
    }
ORIBI_GPU_RANGE(X, x)
ORIBI_GPU_RANGE(Y, y)
ORIBI_GPU_RANGE(Z, z)
#undef ORIBI_GPU_RANGE

#define GPU_1D_KERNEL_LOOP(i, n)          for (int i : ::tensorflow::GpuGridRangeX<int>(n))
#define CUDA_1D_KERNEL_LOOP(i, n)         GPU_1D_KERNEL_LOOP(i, n)
#define GPU_AXIS_KERNEL_LOOP(i, n, axis)  for (int i : ::tensorflow::GpuGridRange##axis<int>(n))
#define CUDA_AXIS_KERNEL_LOOP(i, n, axis) GPU_AXIS_KERNEL_LOOP(i, n, axis)

template <typename T> __device__ T ldg(const T *place)
{
#if defined(__CUDA_ARCH__)
    return __ldg(place);
#else
    return *place;
#endif
}
template <typename T> __device__ T GpuLdg(const T *place)
{
    return ldg(place);
}

/* The value that was there. */
#define ORIBI_GPU_ATOMIC(Name, function)                                                           \
    template <typename T, typename U> __device__ T Gpu##Name(T *place, U value)                    \
    {                                                                                              \
        return function(place, static_cast<T>(value));                                             \
    }                                                                                              \
    template <typename T, typename U> __device__ T Cuda##Name(T *place, U value)                   \
    {                                                                                              \
        return Gpu##Name(place, value);                                                            \
    }
/* One word exchanged until nobody came between: for what the vendor has no atomic function. */
template <typename T, typename F> __device__ T GpuAtomicByWord(T *place, F change)
{
    using Word = typename std::conditional<sizeof(T) == 8, unsigned long long, unsigned>::type;
    static_assert(sizeof(T) == sizeof(Word), "of four or eight bytes");
    Word *word = reinterpret_cast<Word *>(place), seen = *word, expected;
    do {
        expected = seen;
        T value;
        memcpy(&value, &expected, sizeof value);
        value = change(value);
        Word wanted;
        memcpy(&wanted, &value, sizeof wanted);
        seen = atomicCAS(word, expected, wanted);
    } while (seen != expected);
    T before;
    memcpy(&before, &seen, sizeof before);
    return before;
}
template <typename T> __device__ T GpuAtomicSub(T *place, T value)
{
    return GpuAtomicByWord(place, [=](T x) { return x - value; });
}
template <typename T> __device__ T GpuAtomicMul(T *place, T value)
{
    return GpuAtomicByWord(place, [=](T x) { return x * value; });
}
template <typename T> __device__ T GpuAtomicDiv(T *place, T value)
{
    return GpuAtomicByWord(place, [=](T x) { return x / value; });
}
template <typename T> __device__ T GpuAtomicMax(T *place, T value)
{
    return GpuAtomicByWord(place, [=](T x) { return x < value ? value : x; });
}
template <typename T> __device__ T GpuAtomicMin(T *place, T value)
{
    return GpuAtomicByWord(place, [=](T x) { return value < x ? value : x; });
}
ORIBI_GPU_ATOMIC(AtomicAdd, atomicAdd)
#undef ORIBI_GPU_ATOMIC
template <typename T> __device__ T CudaAtomicMax(T *place, T value)
{
    return GpuAtomicMax(place, value);
}
template <typename T> __device__ T CudaAtomicMin(T *place, T value)
{
    return GpuAtomicMin(place, value);
}
template <typename T> __device__ T CudaAtomicSub(T *place, T value)
{
    return GpuAtomicSub(place, value);
}
/* The exchange succeeds when `expected` was there; the value that was. */
template <typename T> __device__ T GpuAtomicCAS(T *place, T expected, T value)
{
    return atomicCAS(place, expected, value);
}

__device__ inline void GpuSyncThreads()
{
    __syncthreads();
}
constexpr unsigned kGpuWarpAll = 0xffffffffu;
#if defined(__CUDACC__)
template <typename T> __device__ T GpuShuffleSync(unsigned mask, T value, int lane, int width = 32)
{
    return __shfl_sync(mask, value, lane, width);
}
template <typename T>
__device__ T GpuShuffleDownSync(unsigned mask, T value, int delta, int width = 32)
{
    return __shfl_down_sync(mask, value, static_cast<unsigned>(delta), width);
}
template <typename T>
__device__ T GpuShuffleUpSync(unsigned mask, T value, int delta, int width = 32)
{
    return __shfl_up_sync(mask, value, static_cast<unsigned>(delta), width);
}
template <typename T>
__device__ T GpuShuffleXorSync(unsigned mask, T value, int lanes, int width = 32)
{
    return __shfl_xor_sync(mask, value, lanes, width);
}
#endif

/* Kernels that many others begin with. */
template <typename T> __global__ void SetZero(const int count, T *out)
{
    GPU_1D_KERNEL_LOOP(i, count)
    {
        out[i] = T(0);
    }
}
template <typename T, typename U = T> __global__ void SetToValue(const int count, T *out, U value)
{
    GPU_1D_KERNEL_LOOP(i, count)
    {
        out[i] = static_cast<T>(value);
    }
}

} // namespace tensorflow
#endif

#endif
