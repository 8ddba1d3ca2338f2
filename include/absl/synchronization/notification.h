/* SPDX-License-Identifier: Apache-2.0 */
/* A flag that threads wait for. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/synchronization/notification.h>
#elif !defined(ORIBI_ABSL_SYNCHRONIZATION_NOTIFICATION_H_)
#define ORIBI_ABSL_SYNCHRONIZATION_NOTIFICATION_H_

#include <condition_variable>
#include <mutex>

namespace absl ORIBI_HIDDEN
{

class Notification
{
  public:
    bool HasBeenNotified() const
    {
        std::lock_guard<std::mutex> held(mutex_);
        return done_;
    }
    void WaitForNotification() const
    {
        std::unique_lock<std::mutex> held(mutex_);
        changed_.wait(held, [this] { return done_; });
    }
    void Notify()
    {
        std::lock_guard<std::mutex> held(mutex_);
        done_ = true;
        changed_.notify_all();
    }

  private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    bool done_ = false;
};

} // namespace absl
#endif
