/* SPDX-License-Identifier: Apache-2.0 */
/* thread::ThreadPool: the host's pool during a computation, or one with threads of its own. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_THREADPOOL_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_THREADPOOL_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tensorflow/c/thread_pool.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

class Env;
struct ThreadOptions {
    size_t stack_size = 0;
    size_t guard_size = 0;
};

namespace thread
{

class ThreadPool
{
  public:
    enum class SchedulingStrategy { kAdaptive, kFixedBlockSize };
    class SchedulingParams
    {
      public:
        SchedulingParams(SchedulingStrategy strategy, absl::string_view, int64 size)
            : is_fixed_(strategy == SchedulingStrategy::kFixedBlockSize), size_(size)
        {
        }
        template <typename A, typename B>
        SchedulingParams(SchedulingStrategy strategy, A cost, B block)
            : is_fixed_(strategy == SchedulingStrategy::kFixedBlockSize),
              size_(is_fixed_ ? block.value_or(1) : cost.value_or(1))
        {
        }
        bool is_fixed() const
        {
            return is_fixed_;
        }
        int64 size() const
        {
            return size_;
        }

      private:
        bool is_fixed_;
        int64 size_; /* of a block, or the cost of a unit */
    };

    /* The host's pool; lives while the computation runs. */
    explicit ThreadPool(TF_OpKernelContext *ctx) : ctx_(ctx)
    {
    }
    ThreadPool(Env *, const string &, int threads) : ctx_(nullptr)
    {
        Start(threads);
    }
    ThreadPool(Env *, const ThreadOptions &, const string &, int threads, bool = true)
        : ctx_(nullptr)
    {
        Start(threads);
    }
    ~ThreadPool()
    {
        {
            std::lock_guard<std::mutex> held(mutex_);
            is_over_ = true;
        }
        changed_.notify_all();
        for (std::thread &t : threads_) {
            t.join();
        }
    }
    ThreadPool(const ThreadPool &) = delete;
    ThreadPool &operator=(const ThreadPool &) = delete;

    /* Runs fn later. */
    void Schedule(std::function<void()> fn)
    {
        if (ctx_ != nullptr) {
            TF_ThreadPool_Schedule(
                ctx_, {new std::function<void()>(std::move(fn)),
                       [](void *f) { (*static_cast<std::function<void()> *>(f))(); },
                       [](void *f) { delete static_cast<std::function<void()> *>(f); }});
            return;
        }
        {
            std::lock_guard<std::mutex> held(mutex_);
            queue_.push_back(std::move(fn));
        }
        changed_.notify_one();
    }
    void ScheduleWithHint(std::function<void()> fn, int, int)
    {
        Schedule(std::move(fn));
    }
    /* Calls fn on ranges that cover [0, total), and returns when all are done. */
    void ParallelFor(int64 total, int64 cost_per_unit, const std::function<void(int64, int64)> &fn)
    {
        if (ctx_ == nullptr) {
            const int64 n = std::max<int64>(1, NumThreads());
            Blocks(total, std::max<int64>(1, (total + n - 1) / n), fn);
            return;
        }
        auto *object = const_cast<std::function<void(int64, int64)> *>(&fn);
        TF_ThreadPool_ParallelFor(ctx_, total, std::max<int64>(1, cost_per_unit),
                                  {object,
                                   [](void *f, int64_t begin, int64_t end) {
                                       InLoop inside;
                                       (*static_cast<std::function<void(int64, int64)> *>(f))(begin,
                                                                                              end);
                                   },
                                   nullptr});
    }
    void ParallelFor(int64 total, const SchedulingParams &params,
                     const std::function<void(int64, int64)> &fn)
    {
        if (params.is_fixed()) {
            TransformRangeConcurrently(params.size(), total, fn);
        } else {
            ParallelFor(total, params.size(), fn);
        }
    }
    void TransformRangeConcurrently(int64 block_size, int64 total,
                                    const std::function<void(int64, int64)> &fn)
    {
        const int64 blocks = (total + block_size - 1) / block_size;
        ParallelFor(blocks, 1 << 30, [&](int64 begin, int64 end) {
            for (int64 i = begin; i < end; i++) {
                fn(i * block_size, std::min(total, (i + 1) * block_size));
            }
        });
    }
    void ParallelForWithWorkerId(int64 total, int64 cost_per_unit,
                                 const std::function<void(int64, int64, int)> &fn)
    {
        if (ctx_ == nullptr) {
            fn(0, total, 0);
            return;
        }
        auto *object = const_cast<std::function<void(int64, int64, int)> *>(&fn);
        TF_ThreadPool_ParallelForWithWorkerId(
            ctx_, total, std::max<int64>(1, cost_per_unit),
            {object,
             [](void *f, int64_t begin, int64_t end, int worker) {
                 InLoop inside;
                 (*static_cast<std::function<void(int64, int64, int)> *>(f))(begin, end, worker);
             },
             nullptr});
    }
    void ParallelForWithWorkerId(int64 total, const SchedulingParams &params,
                                 const std::function<void(int64, int64, int)> &fn)
    {
        ParallelForWithWorkerId(total, params.is_fixed() ? 1 << 20 : params.size(), fn);
    }
    int NumShardsUsedByFixedBlockSizeScheduling(int64 total, int64 block_size) const
    {
        return block_size <= 0 || total <= 1 || block_size >= total || NumThreads() == 1
                   ? 1
                   : static_cast<int>((total + block_size - 1) / block_size);
    }
    int NumThreads() const
    {
        return ctx_ != nullptr ? TF_ThreadPool_NumThreads(ctx_) : static_cast<int>(threads_.size());
    }
    int CurrentThreadId() const
    {
#if ORIBI_HAS_CONTRACT(1, 2)
        return ctx_ != nullptr ? TF_ThreadPool_CurrentThreadId(ctx_) : -1;
#else
        return -1;
#endif
    }
    /* Of the run whose pool this is; null: of its own threads. */
    TF_OpKernelContext *context() const
    {
        return ctx_;
    }
    /* Is the calling thread inside a block of a loop, or a scheduled function? */
    static bool IsInLoop()
    {
        return InLoop::Depth() > 0;
    }
    struct InLoop {
        InLoop()
        {
            Depth()++;
        }
        ~InLoop()
        {
            Depth()--;
        }
        static int &Depth()
        {
            static thread_local int depth = 0;
            return depth;
        }
    };

  private:
    void Start(int n)
    {
        for (int i = 0; i < n; i++) {
            threads_.emplace_back([this] { Work(); });
        }
    }
    void Work()
    {
        std::unique_lock<std::mutex> held(mutex_);
        for (;;) {
            changed_.wait(held, [this] { return is_over_ || !queue_.empty(); });
            if (queue_.empty()) {
                return;
            }
            std::function<void()> fn = std::move(queue_.front());
            queue_.pop_front();
            held.unlock();
            {
                InLoop inside;
                fn();
            }
            held.lock();
        }
    }
    void Blocks(int64 total, int64 size, const std::function<void(int64, int64)> &fn)
    {
        if (threads_.empty() || IsInLoop() || size >= total) {
            if (total > 0) {
                fn(0, total);
            }
            return;
        }
        std::mutex mutex;
        std::condition_variable done;
        int64 left = (total + size - 1) / size;
        for (int64 begin = 0; begin < total; begin += size) {
            Schedule([&, begin] {
                fn(begin, std::min(total, begin + size));
                std::lock_guard<std::mutex> held(mutex);
                left--;
                done.notify_one();
            });
        }
        std::unique_lock<std::mutex> held(mutex);
        done.wait(held, [&] { return left == 0; });
    }

    TF_OpKernelContext *ctx_;
    std::vector<std::thread> threads_;
    std::deque<std::function<void()>> queue_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_over_ = false;
};

} // namespace thread
} // namespace tensorflow

#endif
