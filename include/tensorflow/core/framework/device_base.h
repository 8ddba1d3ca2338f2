/* SPDX-License-Identifier: Apache-2.0 */
/* DeviceBase: the worker threads of the computation, and Eigen's device over them. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_DEVICE_BASE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_DEVICE_BASE_H_

#include <memory>

#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/platform/eigen.h"
#include "tensorflow/core/platform/threadpool.h"
#include "tensorflow/core/framework/types.h"

namespace tensorflow ORIBI_HIDDEN
{

#if defined(ORIBI_HAS_EIGEN) && defined(EIGEN_USE_THREADS)
#define ORIBI_HAS_EIGEN_THREADS 1
/* The host's pool as Eigen sees one. What runs inside a loop runs inline: a worker that waited for
 * other workers could wait for ever. */
class EigenPool : public Eigen::ThreadPoolInterface
{
  public:
    explicit EigenPool(thread::ThreadPool *pool) : pool_(pool)
    {
    }
    void Schedule(std::function<void()> fn) override
    {
        if (NumThreads() == 1 || thread::ThreadPool::IsInLoop()) {
            fn();
        } else {
            pool_->Schedule([fn] {
                thread::ThreadPool::InLoop inside;
                fn();
            });
        }
    }
    void ScheduleWithHint(std::function<void()> fn, int, int) override
    {
        Schedule(std::move(fn));
    }
    int NumThreads() const override
    {
        return pool_->NumThreads();
    }
    int CurrentThreadId() const override
    {
        return -1;
    }

  private:
    thread::ThreadPool *pool_;
};
#endif

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
            eigen_pool_.reset(new EigenPool(&pool_));
            eigen_device_.reset(new Eigen::ThreadPoolDevice(eigen_pool_.get(), pool_.NumThreads()));
        }
        return eigen_device_.get();
    }
#endif

  private:
    thread::ThreadPool pool_;
    CpuWorkerThreads threads_;
#ifdef ORIBI_HAS_EIGEN_THREADS
    std::unique_ptr<EigenPool> eigen_pool_;
    std::unique_ptr<Eigen::ThreadPoolDevice> eigen_device_;
#endif
};

} // namespace tensorflow

#endif
