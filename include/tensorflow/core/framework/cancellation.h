/* SPDX-License-Identifier: Apache-2.0 */
/* CancellationManager: was the run cancelled, and functions that are called when it is, when it
 * passes its time limit, or when another node fails. They are the node's: those that are left when
 * it is done are forgotten. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_CANCELLATION_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_CANCELLATION_H_

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

using CancellationToken = int64;
using CancelCallback = std::function<void()>;

class CancellationManager
{
  public:
    static const CancellationToken kInvalidToken = -1;
    explicit CancellationManager(TF_OpKernelContext *ctx) : ctx_(ctx)
    {
    }
    ~CancellationManager()
    {
        if (calls_ != nullptr && calls_->take_back != nullptr) {
            calls_->take_back(ctx_, nullptr, nullptr);
        }
    }
    CancellationManager(const CancellationManager &) = delete;
    CancellationManager &operator=(const CancellationManager &) = delete;
    bool IsCancelled() const
    {
        return TF_OpKernelContext_IsCancelled(ctx_);
    }
    bool IsCancelling() const
    {
        const std::shared_ptr<Calls> calls = Existing();
        if (calls == nullptr) {
            return false;
        }
        std::lock_guard<std::mutex> lock(calls->mutex);
        return calls->phase == kCalling;
    }
    CancellationToken get_cancellation_token()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return next_++;
    }
    /* False: already cancelled, and the function will not be called. */
    bool RegisterCallback(CancellationToken token, const CancelCallback &callback)
    {
        const std::shared_ptr<Calls> calls = Made();
        {
            std::lock_guard<std::mutex> lock(calls->mutex);
            if (calls->phase != kQuiet) {
                return false;
            }
            calls->callbacks[token] = callback;
        }
        return Ask(calls.get(), token);
    }
    /* Waits for functions that are being called. False: it was, or is, too late. */
    bool DeregisterCallback(CancellationToken token)
    {
        const std::shared_ptr<Calls> calls = Existing();
        if (calls == nullptr) {
            return true;
        }
        std::unique_lock<std::mutex> lock(calls->mutex);
        calls->changed.wait(lock, [&calls] { return calls->phase != kCalling; });
        if (calls->phase == kQuiet) {
            calls->callbacks.erase(token);
        }
        return calls->phase == kQuiet;
    }
    /* Does not wait. True: the function was there, and will not be called. */
    bool TryDeregisterCallback(CancellationToken token)
    {
        const std::shared_ptr<Calls> calls = Existing();
        if (calls == nullptr) {
            return false;
        }
        std::lock_guard<std::mutex> lock(calls->mutex);
        return calls->phase == kQuiet && calls->callbacks.erase(token) > 0;
    }

  private:
    enum Phase { kQuiet, kCalling, kCalled };
    /* Outlives the manager where a callback ends the node that it belongs to. */
    struct Calls : std::enable_shared_from_this<Calls> {
        std::mutex mutex;
        std::condition_variable changed;
        std::map<CancellationToken, CancelCallback> callbacks;
        Phase phase = kQuiet;
        bool (*take_back)(TF_OpKernelContext *, void (*)(void *), void *) = nullptr;
    };

    static void CallAll(void *object)
    {
        const std::shared_ptr<Calls> calls = static_cast<Calls *>(object)->shared_from_this();
        std::map<CancellationToken, CancelCallback> callbacks;
        {
            std::lock_guard<std::mutex> lock(calls->mutex);
            calls->phase = kCalling;
            callbacks.swap(calls->callbacks);
        }
        for (const auto &each : callbacks) {
            each.second();
        }
        std::lock_guard<std::mutex> lock(calls->mutex);
        calls->phase = kCalled;
        calls->changed.notify_all();
    }
    std::shared_ptr<Calls> Existing() const
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return calls_;
    }
    std::shared_ptr<Calls> Made()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (calls_ == nullptr) {
            calls_ = std::make_shared<Calls>();
        }
        return calls_;
    }
    /* The C function is named here alone, so that a plugin that registers nothing does not want it
     * of an older host. It is asked for each callback: the same answer, unless the run stopped. */
    bool Ask(Calls *calls, CancellationToken token)
    {
#if ORIBI_HAS_CONTRACT(1, 3)
        {
            std::lock_guard<std::mutex> lock(calls->mutex);
            calls->take_back = &TF_OpKernelContext_OnCancel;
        }
        if (TF_OpKernelContext_OnCancel(ctx_, &CallAll, calls)) {
            return true;
        }
        {
            std::lock_guard<std::mutex> lock(calls->mutex);
            if (calls->callbacks.erase(token) == 0) {
                return true; /* it was called meanwhile */
            }
            if (calls->phase != kQuiet) {
                return false;
            }
        }
        CallAll(calls); /* the run stopped, and the host has forgotten those before this one */
        return false;
#else
        (void)calls;
        (void)token;
        return !IsCancelled();
#endif
    }

    TF_OpKernelContext *ctx_;
    mutable std::mutex mutex_;
    CancellationToken next_ = 0;
    std::shared_ptr<Calls> calls_;
};

} // namespace tensorflow

#endif
