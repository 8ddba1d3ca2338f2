/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of an exception that would leave the plugin: a status, or it waits until the loop in
 * which it was thrown has ended. A plugin without exceptions has none of this. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_EXCEPTIONS_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_EXCEPTIONS_H_

#ifdef __cpp_exceptions
#include <exception>
#include <mutex>
#include <new>
#endif

#include "tensorflow/core/platform/errors.h"

namespace tensorflow ORIBI_HIDDEN
{

#ifdef __cpp_exceptions
/* Runs fn, which is to be what `where` says of a kernel or op; what it throws is the status. */
template <typename Fn> Status StatusOfException(const char *where, const Fn &fn)
{
    try {
        fn();
        return Status();
    } catch (const std::bad_alloc &) {
        return errors::ResourceExhausted(where, " threw std::bad_alloc: there is no memory");
    } catch (const std::exception &error) {
        return errors::Internal(where, " threw an exception: ", error.what());
    } catch (...) {
        return errors::Internal(where, " threw an exception of an unknown type");
    }
}

/* The first exception of a loop on several threads. */
class CaughtException
{
  public:
    template <typename Fn> void Run(const Fn &fn)
    {
        try {
            fn();
        } catch (...) {
            std::lock_guard<std::mutex> held(mutex_);
            first_ = first_ == nullptr ? std::current_exception() : first_;
        }
    }
    void Rethrow() const
    {
        if (first_ != nullptr) {
            std::rethrow_exception(first_);
        }
    }

  private:
    std::mutex mutex_;
    std::exception_ptr first_;
};
#else
template <typename Fn> Status StatusOfException(const char *, const Fn &fn)
{
    fn();
    return Status();
}
struct CaughtException {
    template <typename Fn> void Run(const Fn &fn)
    {
        fn();
    }
    void Rethrow() const
    {
    }
};
#endif

} // namespace tensorflow

#endif
