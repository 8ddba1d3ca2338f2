/* SPDX-License-Identifier: Apache-2.0 */
/* gtl::MakeCleanup: calls a function at the end of the scope. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_GTL_CLEANUP_H_
#define ORIBI_TENSORFLOW_CORE_LIB_GTL_CLEANUP_H_

#include <utility>

#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace gtl
{

template <typename F> class Cleanup
{
  public:
    Cleanup(F fn) : fn_(std::move(fn)) // NOLINT: as others write it
    {
    }
    Cleanup(Cleanup &&other) noexcept : fn_(std::move(other.fn_)), is_over_(other.is_over_)
    {
        other.is_over_ = true;
    }
    Cleanup(const Cleanup &) = delete;
    Cleanup &operator=(const Cleanup &) = delete;
    ~Cleanup()
    {
        if (!is_over_) {
            fn_();
        }
    }
    /* It is not called then. */
    F release()
    {
        is_over_ = true;
        return std::move(fn_);
    }
    bool is_released() const
    {
        return is_over_;
    }

  private:
    F fn_;
    bool is_over_ = false;
};
template <typename F> Cleanup<F> MakeCleanup(F fn)
{
    return Cleanup<F>(std::move(fn));
}

} // namespace gtl
} // namespace tensorflow

#endif
