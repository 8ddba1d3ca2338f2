/* SPDX-License-Identifier: Apache-2.0 */
/* mutex, its guards, condition_variable. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_MUTEX_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "tensorflow/core/platform/thread_annotations.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

enum ConditionResult { kCond_Timeout, kCond_MaybeNotified };
enum LinkerInitialized { LINKER_INITIALIZED };

/* Readers exclude each other too: C++14 has no reader lock without a timer. */
class mutex : public std::mutex
{
  public:
    mutex() = default;
    explicit mutex(LinkerInitialized)
    {
    }
    void lock_shared()
    {
        lock();
    }
    bool try_lock_shared()
    {
        return try_lock();
    }
    void unlock_shared()
    {
        unlock();
    }
    void assert_held() const
    {
    }
};

class mutex_lock
{
  public:
    explicit mutex_lock(mutex &m) : mutex_(&m)
    {
        mutex_->lock();
    }
    mutex_lock(mutex &m, std::try_to_lock_t) : mutex_(m.try_lock() ? &m : nullptr)
    {
    }
    mutex_lock(mutex_lock &&other) noexcept : mutex_(other.mutex_)
    {
        other.mutex_ = nullptr;
    }
    mutex_lock(const mutex_lock &) = delete;
    mutex_lock &operator=(const mutex_lock &) = delete;
    ~mutex_lock()
    {
        if (mutex_ != nullptr) {
            mutex_->unlock();
        }
    }
    mutex *get() const
    {
        return mutex_;
    }
    explicit operator bool() const
    {
        return mutex_ != nullptr;
    }

  private:
    mutex *mutex_;
};
using tf_shared_lock = mutex_lock;

class condition_variable
{
  public:
    void wait(mutex_lock &held)
    {
        std::unique_lock<std::mutex> inner(*held.get(), std::adopt_lock);
        signal_.wait(inner);
        inner.release();
    }
    template <typename P> void wait(mutex_lock &held, P holds)
    {
        while (!holds()) {
            wait(held);
        }
    }
    template <typename R, typename D>
    std::cv_status wait_for(mutex_lock &held, std::chrono::duration<R, D> time)
    {
        std::unique_lock<std::mutex> inner(*held.get(), std::adopt_lock);
        const std::cv_status result = signal_.wait_for(inner, time);
        inner.release();
        return result;
    }
    void notify_one()
    {
        signal_.notify_one();
    }
    void notify_all()
    {
        signal_.notify_all();
    }

  private:
    std::condition_variable signal_;
};

inline ConditionResult WaitForMilliseconds(mutex_lock *held, condition_variable *changed, int64 ms)
{
    return changed->wait_for(*held, std::chrono::milliseconds(ms)) == std::cv_status::timeout
               ? kCond_Timeout
               : kCond_MaybeNotified;
}

} // namespace tensorflow

#endif
