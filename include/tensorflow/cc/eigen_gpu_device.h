/* SPDX-License-Identifier: Apache-2.0 */
/* Eigen's GPU device on the stream of a pluggable device. C++ only, header-only; compiled by nvcc
 * or hipcc with EIGEN_USE_GPU, like the kernel that uses it.
 *
 *     EigenGpuDevice device(ctx);
 *     out.device(device.get()) = in.square();
 *
 * Eigen names the vendor's stream gpuStream_t while its own headers are read, and undefines it at
 * their end, so the types stand here by the vendor's names. Device properties are a struct of the
 * vendor's runtime whose layout changes by version: each plugin fills its own from the device's
 * number.
 * Source   the design's "Device Assignment API". Since 1.2.
 */
#ifndef ORIBI_TENSORFLOW_CC_EIGEN_GPU_DEVICE_H_
#define ORIBI_TENSORFLOW_CC_EIGEN_GPU_DEVICE_H_

#ifndef EIGEN_USE_GPU
#error "#define EIGEN_USE_GPU before the first header of Eigen"
#endif

#include "unsupported/Eigen/CXX11/Tensor"

#include "tensorflow/c/eigen_device.h"

#if defined(EIGEN_USE_HIP)
#include <hip/hip_runtime.h>
typedef hipStream_t TF_EigenGpuStream;
typedef hipDeviceProp_t TF_EigenGpuProperties;
#define TF_EIGEN_GET_PROPERTIES hipGetDeviceProperties
#else
#include <cuda_runtime.h>
typedef cudaStream_t TF_EigenGpuStream;
typedef cudaDeviceProp TF_EigenGpuProperties;
#define TF_EIGEN_GET_PROPERTIES cudaGetDeviceProperties
#endif

/* The design's class. */
class __attribute__((visibility("hidden"))) EigenGpuStream : public Eigen::StreamInterface
{
  public:
    /* Takes no ownership: delete the handle after this. */
    explicit EigenGpuStream(TF_EigenStream *eigen_stream)
        : eigen_stream_(eigen_stream), stream_(static_cast<const TF_EigenGpuStream *>(
                                           TF_EigenStream_GetCudaStream(eigen_stream)))
    {
        (void)TF_EIGEN_GET_PROPERTIES(&properties_, TF_EigenStream_GetDeviceOrdinal(eigen_stream));
    }
    const TF_EigenGpuStream &stream() const override
    {
        return *stream_;
    }
    const TF_EigenGpuProperties &deviceProperties() const override
    {
        return properties_;
    }
    void *allocate(size_t num_bytes) const override
    {
        return TF_EigenStream_Allocate(eigen_stream_, num_bytes);
    }
    void deallocate(void *buffer) const override
    {
        TF_EigenStream_Deallocate(eigen_stream_, buffer);
    }
    void *scratchpad() const override
    {
        return TF_EigenStream_Scratchpad(eigen_stream_);
    }
    unsigned int *semaphore() const override
    {
        return TF_EigenStream_Semaphore(eigen_stream_);
    }

  private:
    TF_EigenStream *eigen_stream_;
    const TF_EigenGpuStream *stream_;
    TF_EigenGpuProperties properties_;
};

/* Handle, stream and device together: a variable of compute. */
class __attribute__((visibility("hidden"))) EigenGpuDevice
{
  public:
    /* Where is_good says no the context has failed already. */
    explicit EigenGpuDevice(TF_OpKernelContext *ctx)
        : handle_(TF_GetEigenStreamHandle(ctx)),
          stream_(handle_ != nullptr && TF_EigenStream_GetCudaStream(handle_) != nullptr
                      ? new EigenGpuStream(handle_)
                      : nullptr),
          device_(stream_ != nullptr ? new Eigen::GpuDevice(stream_) : nullptr)
    {
    }
    ~EigenGpuDevice()
    {
        delete device_;
        delete stream_;
        TF_DeleteEigenStreamHandle(handle_);
    }
    EigenGpuDevice(const EigenGpuDevice &) = delete;
    EigenGpuDevice &operator=(const EigenGpuDevice &) = delete;
    bool is_good() const
    {
        return device_ != nullptr;
    }
    const Eigen::GpuDevice &get() const
    {
        return *device_;
    }

  private:
    TF_EigenStream *handle_;
    EigenGpuStream *stream_;
    Eigen::GpuDevice *device_;
};

#endif /* ORIBI_TENSORFLOW_CC_EIGEN_GPU_DEVICE_H_ */
