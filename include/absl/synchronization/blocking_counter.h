/* SPDX-License-Identifier: Apache-2.0 */
/* Waits until a number of things are done. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/synchronization/blocking_counter.h>
#elif !defined(ORIBI_ABSL_SYNCHRONIZATION_BLOCKING_COUNTER_H_)
#define ORIBI_ABSL_SYNCHRONIZATION_BLOCKING_COUNTER_H_

#include <condition_variable>
#include <mutex>

namespace absl ORIBI_HIDDEN
{

class BlockingCounter
{
  public:
    explicit BlockingCounter(int count) : count_(count)
    {
    }
    bool DecrementCount()
    {
        std::lock_guard<std::mutex> held(mutex_);
        count_--;
        changed_.notify_all();
        return count_ == 0;
    }
    void Wait()
    {
        std::unique_lock<std::mutex> held(mutex_);
        changed_.wait(held, [this] { return count_ <= 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_;
};

} // namespace absl
#endif
