/* SPDX-License-Identifier: Apache-2.0 */
/* BlockingCounter: waits until a number of things are done. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_BLOCKING_COUNTER_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_BLOCKING_COUNTER_H_

#include <condition_variable>
#include <mutex>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

class BlockingCounter
{
  public:
    explicit BlockingCounter(int count) : count_(count)
    {
    }
    void DecrementCount()
    {
        std::lock_guard<std::mutex> held(mutex_);
        count_--;
        changed_.notify_all();
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

} // namespace tensorflow

#endif
