/* SPDX-License-Identifier: Apache-2.0 */
/* DeviceBase: the worker threads of the computation, and Eigen's device over them. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_DEVICE_BASE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_DEVICE_BASE_H_

#include <memory>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/platform/eigen.h"
#include "tensorflow/core/platform/threadpool.h"
#include "tensorflow/core/framework/types.h"

#if defined(ORIBI_HAS_EIGEN) && defined(EIGEN_USE_THREADS) && ORIBI_HAS_CONTRACT(1, 2)
#define ORIBI_HAS_EIGEN_THREADS 1
#include "tensorflow/cc/eigen_cpu_device.h"
#endif
/* With nvcc's or hipcc's headers in the path, and a plugin that is made for their devices. */
#if defined(ORIBI_HAS_EIGEN) && defined(EIGEN_USE_GPU) && ORIBI_HAS_CONTRACT(1, 2) &&              \
    (defined(GOOGLE_CUDA) || defined(TENSORFLOW_USE_ROCM) || defined(__CUDACC__) ||                \
     defined(__HIPCC__))
#define ORIBI_HAS_EIGEN_GPU 1
#include "tensorflow/cc/eigen_gpu_device.h"
#endif

namespace tensorflow ORIBI_HIDDEN
{

class DeviceBase
{
  public:
    struct CpuWorkerThreads {
        int num_threads = 0;
        thread::ThreadPool *workers = nullptr;
    };

    explicit DeviceBase(TF_OpKernelContext *ctx) : pool_(ctx)
    {
        threads_.num_threads = pool_.NumThreads();
        threads_.workers = &pool_;
    }
    const CpuWorkerThreads *tensorflow_cpu_worker_threads() const
    {
        return &threads_;
    }
    thread::ThreadPool *tensorflow_device_thread_pool()
    {
        return &pool_;
    }
    Allocator *GetAllocator(AllocatorAttributes)
    {
        return cpu_allocator();
    }
    const string &name() const
    {
        static const string name = "/job:localhost/replica:0/task:0/device:CPU:0";
        return name;
    }
    const string &device_type() const
    {
        static const string type = "CPU";
        return type;
    }
#ifdef ORIBI_HAS_EIGEN_THREADS
    const Eigen::ThreadPoolDevice *eigen_cpu_device()
    {
        Open<EigenCpuDevice>(&eigen_cpu_);
        return &static_cast<const EigenCpuDevice *>(eigen_cpu_.get())->get();
    }
#endif
#ifdef ORIBI_HAS_EIGEN_GPU
    /* That of the node's device; on the CPU the computation has failed and the process ends. */
    const Eigen::GpuDevice *eigen_gpu_device()
    {
        Open<EigenGpuDevice>(&eigen_gpu_);
        const auto *device = static_cast<const EigenGpuDevice *>(eigen_gpu_.get());
        CHECK(device->is_good()) << "the node is not on a GPU";
        return &device->get();
    }
#endif

  private:
    template <typename D> void Open(std::shared_ptr<void> *held)
    {
        if (*held == nullptr) {
            *held = std::make_shared<D>(pool_.context());
        }
    }
    thread::ThreadPool pool_;
    CpuWorkerThreads threads_;
    /* Files of one plugin see different devices of Eigen, and the same class. */
    std::shared_ptr<void> eigen_cpu_, eigen_gpu_;
};

} // namespace tensorflow

#endif
