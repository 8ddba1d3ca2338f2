/* SPDX-License-Identifier: Apache-2.0 */
/* Eigen's CPU device on the host's threads and memory, in a kernel of any style. C++ only,
 * Eigen 3.3 or newer, header-only; #define EIGEN_USE_THREADS before the first header of Eigen.
 *
 *     static void compute(void *, TF_OpKernelContext *ctx)
 *     {
 *         EigenCpuDevice device(ctx);
 *         out.device(device.get()) = a.contract(b, pairs);
 *     }
 *
 * Source   the design's "Device Assignment API" and its first appendix. Since 1.2.
 */
#ifndef ORIBI_TENSORFLOW_CC_EIGEN_CPU_DEVICE_H_
#define ORIBI_TENSORFLOW_CC_EIGEN_CPU_DEVICE_H_

#ifndef EIGEN_USE_THREADS
#error "#define EIGEN_USE_THREADS before the first header of Eigen"
#endif

#include <functional>
#include <utility>

#include "unsupported/Eigen/CXX11/Tensor"

#include "tensorflow/c/eigen_device.h"
#include "tensorflow/c/thread_pool.h"

/* A plugin's own copy: two plugins with different Eigens do not meet. */
#if defined(__GNUC__)
#define ORIBI_EIGEN_LOCAL __attribute__((visibility("hidden")))
#else
#define ORIBI_EIGEN_LOCAL
#endif

/* The pool of a run as Eigen sees one.
 *
 * Eigen waits for what it schedules, and a thread of the pool that waits cannot do what is waited
 * for. So inside a block of a loop (where Eigen is called by a thread of the pool) functions run at
 * once; inside a function that was scheduled through here they are scheduled, since Eigen's own
 * never wait. A function that a kernel schedules, and that uses Eigen in turn, may wait for ever
 * when all threads do so: use one device from the thread that computes. */
class ORIBI_EIGEN_LOCAL EigenThreadPool : public Eigen::ThreadPoolInterface
{
  public:
    /* ctx: lives as long as this. */
    explicit EigenThreadPool(TF_OpKernelContext *ctx) : ctx_(ctx)
    {
    }
    void Schedule(std::function<void()> fn) override
    {
        ScheduleWithHint(std::move(fn), 1, NumThreads());
    }
    void ScheduleWithHint(std::function<void()> fn, int start, int end) override
    {
        if (NumThreads() == 1 || (CurrentThreadId() >= 0 && Depth() == 0)) {
            fn();
            return;
        }
        TF_ThreadPool_ScheduleWithHint(
            ctx_, {new std::function<void()>(std::move(fn)), Run, Delete}, start, end);
    }
    int NumThreads() const override
    {
        return TF_ThreadPool_NumThreads(ctx_);
    }
    int CurrentThreadId() const override
    {
        return TF_ThreadPool_CurrentThreadId(ctx_);
    }

  private:
    static void Run(void *fn)
    {
        Depth()++;
        (*static_cast<std::function<void()> *>(fn))();
        Depth()--;
    }
    static void Delete(void *fn)
    {
        delete static_cast<std::function<void()> *>(fn);
    }
    /* Functions scheduled through here that the calling thread is inside of. */
    static int &Depth()
    {
        static thread_local int depth = 0;
        return depth;
    }

    TF_OpKernelContext *ctx_;
};

/* Eigen's temporaries in memory of the run. */
class ORIBI_EIGEN_LOCAL EigenAllocator : public Eigen::Allocator
{
  public:
    explicit EigenAllocator(TF_OpKernelContext *ctx) : handle_(TF_GetEigenAllocatorHandle(ctx))
    {
    }
    ~EigenAllocator() override
    {
        TF_DeleteEigenAllocatorHandle(handle_);
    }
    EigenAllocator(const EigenAllocator &) = delete;
    EigenAllocator &operator=(const EigenAllocator &) = delete;
    void *allocate(size_t num_bytes) const override
    {
        return TF_EigenAllocator_Allocate(handle_, num_bytes);
    }
    void deallocate(void *buffer) const override
    {
        TF_EigenAllocator_Deallocate(handle_, buffer);
    }

  private:
    TF_EigenAllocator *handle_;
};

/* Both, and the device over them: a variable of compute. */
class ORIBI_EIGEN_LOCAL EigenCpuDevice
{
  public:
    explicit EigenCpuDevice(TF_OpKernelContext *ctx)
        : pool_(ctx), allocator_(ctx), device_(&pool_, pool_.NumThreads(), &allocator_)
    {
    }
    EigenCpuDevice(const EigenCpuDevice &) = delete;
    EigenCpuDevice &operator=(const EigenCpuDevice &) = delete;
    const Eigen::ThreadPoolDevice &get() const
    {
        return device_;
    }

  private:
    EigenThreadPool pool_;
    EigenAllocator allocator_;
    Eigen::ThreadPoolDevice device_;
};

#endif /* ORIBI_TENSORFLOW_CC_EIGEN_CPU_DEVICE_H_ */
