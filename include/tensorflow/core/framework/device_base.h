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
        if (!eigen_device_) {
            eigen_device_.reset(new EigenCpuDevice(pool_.context()));
        }
        return &eigen_device_->get();
    }
#endif

  private:
    thread::ThreadPool pool_;
    CpuWorkerThreads threads_;
#ifdef ORIBI_HAS_EIGEN_THREADS
    std::unique_ptr<EigenCpuDevice> eigen_device_;
#endif
};

} // namespace tensorflow

#endif
