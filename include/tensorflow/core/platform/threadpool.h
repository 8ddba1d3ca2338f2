/* SPDX-License-Identifier: Apache-2.0 */
/* thread::ThreadPool: the host's pool during a computation, or one with threads of its own. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_THREADPOOL_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_THREADPOOL_H_

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tensorflow/c/thread_pool.h"
#include "tensorflow/core/platform/exceptions.h"
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
            TF_ThreadPool_Schedule(ctx_, Callable(std::move(fn)));
        } else {
            Push({std::move(fn), 0, NumThreads()});
        }
    }
    /* As Schedule, by preference on a thread of start <= number < limit. */
    void ScheduleWithHint(std::function<void()> fn, int start, int limit)
    {
#if ORIBI_HAS_CONTRACT(1, 2)
        if (ctx_ != nullptr) {
            TF_ThreadPool_ScheduleWithHint(ctx_, Callable(std::move(fn)), start, limit);
            return;
        }
#endif
        if (ctx_ != nullptr) {
            Schedule(std::move(fn));
        } else {
            Push({std::move(fn), start, limit});
        }
    }
    /* Calls fn on ranges that cover [0, total), and returns when all are done. */
    void ParallelFor(int64 total, int64 cost_per_unit, const std::function<void(int64, int64)> &fn)
    {
        if (ctx_ == nullptr) {
            Blocks(total, Share(total), [&fn](int64 begin, int64 end, int) { fn(begin, end); });
            return;
        }
        Loop<std::function<void(int64, int64)>> loop(fn);
        TF_ThreadPool_ParallelFor(ctx_, total, std::max<int64>(1, cost_per_unit),
                                  {&loop, &RunLoop, nullptr});
        loop.caught.Rethrow();
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
#if ORIBI_HAS_CONTRACT(1, 2)
        if (ctx_ != nullptr) {
            Loop<std::function<void(int64, int64)>> loop(fn);
            TF_ThreadPool_TransformRangeConcurrently(ctx_, std::max<int64>(1, block_size), total,
                                                     {&loop, &RunLoop, nullptr});
            loop.caught.Rethrow();
            return;
        }
#endif
        if (ctx_ == nullptr) {
            Blocks(total, std::max<int64>(1, block_size),
                   [&fn](int64 begin, int64 end, int) { fn(begin, end); });
            return;
        }
        const int64 blocks = (total + block_size - 1) / block_size;
        ParallelFor(blocks, 1 << 30, [&](int64 begin, int64 end) {
            for (int64 i = begin; i < end; i++) {
                fn(i * block_size, std::min(total, (i + 1) * block_size));
            }
        });
    }
    /* Workers are 0 <= number <= NumThreads(); two blocks at once have two workers. */
    void ParallelForWithWorkerId(int64 total, int64 cost_per_unit,
                                 const std::function<void(int64, int64, int)> &fn)
    {
        if (ctx_ == nullptr) {
            Blocks(total, Share(total), fn);
            return;
        }
        Loop<std::function<void(int64, int64, int)>> loop(fn);
        TF_ThreadPool_ParallelForWithWorkerId(
            ctx_, total, std::max<int64>(1, cost_per_unit),
            {&loop,
             [](void *f, int64_t begin, int64_t end, int worker) {
                 auto *self = static_cast<Loop<std::function<void(int64, int64, int)>> *>(f);
                 InLoop inside;
                 self->caught.Run([&] { self->fn(begin, end, worker); });
             },
             nullptr});
        loop.caught.Rethrow();
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
        if (ctx_ != nullptr) {
            return TF_ThreadPool_CurrentThreadId(ctx_);
        }
#endif
        return ctx_ == nullptr ? OwnNumber() : -1;
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
    /* A function for the host's threads, which are no place for its exceptions. */
    template <typename Fn> struct Loop {
        explicit Loop(const Fn &f) : fn(f)
        {
        }
        const Fn &fn;
        CaughtException caught;
    };
    static void RunLoop(void *object, int64_t begin, int64_t end)
    {
        auto *self = static_cast<Loop<std::function<void(int64, int64)>> *>(object);
        InLoop inside;
        self->caught.Run([&] { self->fn(begin, end); });
    }
    static TF_Callable Callable(std::function<void()> fn)
    {
        return {new std::function<void()>(std::move(fn)),
                [](void *f) { (*static_cast<std::function<void()> *>(f))(); },
                [](void *f) { delete static_cast<std::function<void()> *>(f); }};
    }

    /* --- Threads of its own --- */
    struct Task {
        std::function<void()> fn;
        int start, limit; /* threads that the caller prefers */
    };
    void Start(int n)
    {
        is_idle_.resize(static_cast<size_t>(std::max(0, n)), false);
        for (int i = 0; i < n; i++) {
            threads_.emplace_back([this, i] { Work(i); });
        }
    }
    void Push(Task task)
    {
        {
            std::lock_guard<std::mutex> held(mutex_);
            queue_.push_back(std::move(task));
        }
        changed_.notify_all(); /* the one that may take it is among them */
    }
    static int &OwnNumber()
    {
        static thread_local int number = -1;
        return number;
    }
    /* The first task that this thread may take: one that prefers it, or whose preferred threads are
     * all at work. */
    std::deque<Task>::iterator FindTask(int number)
    {
        return std::find_if(queue_.begin(), queue_.end(), [this, number](const Task &task) {
            bool waits = false;
            for (int i = std::max(0, task.start);
                 i < std::min(task.limit, static_cast<int>(is_idle_.size())); i++) {
                waits = waits || is_idle_[static_cast<size_t>(i)];
            }
            return !waits || (task.start <= number && number < task.limit);
        });
    }
    void Work(int number)
    {
        OwnNumber() = number;
        std::unique_lock<std::mutex> held(mutex_);
        for (;;) {
            auto at = queue_.end();
            is_idle_[static_cast<size_t>(number)] = true;
            changed_.wait(held, [&] {
                at = FindTask(number);
                return at != queue_.end() || (is_over_ && queue_.empty());
            });
            is_idle_[static_cast<size_t>(number)] = false;
            if (at == queue_.end()) {
                return;
            }
            std::function<void()> fn = std::move(at->fn);
            queue_.erase(at);
            if (!queue_.empty()) {
                changed_.notify_all(); /* fewer are idle: others may take what is left */
            }
            held.unlock();
            {
                InLoop inside;
                fn();
            }
            held.lock();
        }
    }
    int64 Share(int64 total) const
    {
        const int64 n = std::max<int64>(1, NumThreads());
        return std::max<int64>(1, (total + n - 1) / n);
    }
    void Blocks(int64 total, int64 size, const std::function<void(int64, int64, int)> &fn)
    {
        if (threads_.empty() || IsInLoop() || size >= total) {
            for (int64 begin = 0; begin < total; begin += size) {
                fn(begin, std::min(total, begin + size), NumThreads());
            }
            return;
        }
        std::mutex mutex;
        std::condition_variable done;
        CaughtException caught;
        int64 left = (total + size - 1) / size;
        for (int64 begin = 0; begin < total; begin += size) {
            Schedule([&, begin] {
                caught.Run([&] { fn(begin, std::min(total, begin + size), OwnNumber()); });
                std::lock_guard<std::mutex> held(mutex);
                left--;
                done.notify_one();
            });
        }
        std::unique_lock<std::mutex> held(mutex);
        done.wait(held, [&] { return left == 0; });
        caught.Rethrow();
    }

    TF_OpKernelContext *ctx_;
    std::vector<std::thread> threads_;
    std::vector<bool> is_idle_;
    std::deque<Task> queue_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_over_ = false;
};

} // namespace thread
} // namespace tensorflow

#endif
