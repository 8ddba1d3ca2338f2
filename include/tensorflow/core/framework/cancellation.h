/* SPDX-License-Identifier: Apache-2.0 */
/* CancellationManager: was the run cancelled? Callbacks are never called: ask instead. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_CANCELLATION_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_CANCELLATION_H_

#include <functional>

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
    bool IsCancelled() const
    {
        return TF_OpKernelContext_IsCancelled(ctx_);
    }
    bool IsCancelling() const
    {
        return false;
    }
    CancellationToken get_cancellation_token()
    {
        return next_++;
    }
    /* False: already cancelled. */
    bool RegisterCallback(CancellationToken, const CancelCallback &)
    {
        return !IsCancelled();
    }
    bool DeregisterCallback(CancellationToken)
    {
        return true;
    }
    bool TryDeregisterCallback(CancellationToken)
    {
        return true;
    }

  private:
    TF_OpKernelContext *ctx_;
    CancellationToken next_ = 0;
};

} // namespace tensorflow

#endif
