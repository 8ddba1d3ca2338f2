/* SPDX-License-Identifier: Apache-2.0 */
/* Mutex, its guards and CondVar over the standard ones; Condition is polled on each unlock. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/synchronization/mutex.h>
#elif !defined(ORIBI_ABSL_SYNCHRONIZATION_MUTEX_H_)
#define ORIBI_ABSL_SYNCHRONIZATION_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace absl ORIBI_HIDDEN
{

class Condition
{
  public:
    explicit Condition(const bool *flag) : holds_([flag] { return *flag; })
    {
    }
    template <typename T>
    Condition(bool (*holds)(T *), T *arg) : holds_([holds, arg] { return holds(arg); })
    {
    }
    template <typename F>
    explicit Condition(const F *holds) : holds_([holds] { return (*holds)(); })
    {
    }
    bool Eval() const
    {
        return holds_();
    }

  private:
    std::function<bool()> holds_;
};

class Mutex
{
  public:
    void Lock()
    {
        mutex_.lock();
    }
    void Unlock()
    {
        changed_.notify_all();
        mutex_.unlock();
    }
    bool TryLock()
    {
        return mutex_.try_lock();
    }
    void ReaderLock()
    {
        Lock();
    }
    void ReaderUnlock()
    {
        Unlock();
    }
    void WriterLock()
    {
        Lock();
    }
    void WriterUnlock()
    {
        Unlock();
    }
    void AssertHeld() const
    {
    }
    void Await(const Condition &condition)
    {
        std::unique_lock<std::mutex> held(mutex_, std::adopt_lock);
        changed_.wait(held, [&condition] { return condition.Eval(); });
        held.release();
    }
    void LockWhen(const Condition &condition)
    {
        Lock();
        Await(condition);
    }

  private:
    friend class CondVar;
    std::mutex mutex_;
    std::condition_variable changed_;
};

class CondVar
{
  public:
    void Wait(Mutex *mutex)
    {
        std::unique_lock<std::mutex> held(mutex->mutex_, std::adopt_lock);
        signal_.wait(held);
        held.release();
    }
    void Signal()
    {
        signal_.notify_one();
    }
    void SignalAll()
    {
        signal_.notify_all();
    }

  private:
    std::condition_variable signal_;
};

class MutexLock
{
  public:
    explicit MutexLock(Mutex *mutex) : mutex_(mutex)
    {
        mutex_->Lock();
    }
    explicit MutexLock(Mutex &mutex) : MutexLock(&mutex)
    {
    }
    ~MutexLock()
    {
        mutex_->Unlock();
    }
    MutexLock(const MutexLock &) = delete;
    MutexLock &operator=(const MutexLock &) = delete;

  private:
    Mutex *mutex_;
};
using ReaderMutexLock = MutexLock;
using WriterMutexLock = MutexLock;

} // namespace absl
#endif
