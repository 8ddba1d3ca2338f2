/* SPDX-License-Identifier: Apache-2.0 */
/* absl::StatusOr: a value, or why there is none. Asking a failed one for its value ends the
 * process, as in Abseil without exceptions.
 */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/status/statusor.h>
#elif !defined(ORIBI_ABSL_STATUS_STATUSOR_H_)
#define ORIBI_ABSL_STATUS_STATUSOR_H_

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"

namespace absl ORIBI_HIDDEN
{

template <typename T> class StatusOr
{
  public:
    using value_type = T;
    StatusOr() : status_(StatusCode::kUnknown, "")
    {
    }
    StatusOr(const Status &status) : status_(status)
    {
        refuse_ok();
    }
    StatusOr(Status &&status) : status_(std::move(status))
    {
        refuse_ok();
    }
    template <typename U = T, typename = typename std::enable_if<
                                  std::is_convertible<U &&, T>::value &&
                                  !std::is_same<typename std::decay<U>::type, StatusOr>::value &&
                                  !std::is_same<typename std::decay<U>::type, Status>::value>::type>
    StatusOr(U &&value) : value_(new T(std::forward<U>(value)))
    {
    }
    StatusOr(const StatusOr &other)
        : status_(other.status_), value_(other.value_ ? new T(*other.value_) : nullptr)
    {
    }
    StatusOr(StatusOr &&other) = default;
    template <typename U,
              typename = typename std::enable_if<std::is_constructible<T, U &&>::value>::type>
    StatusOr(StatusOr<U> &&other)
        : status_(other.status()), value_(other.ok() ? new T(std::move(*other)) : nullptr)
    {
    }
    StatusOr &operator=(const StatusOr &other)
    {
        status_ = other.status_;
        value_.reset(other.value_ ? new T(*other.value_) : nullptr);
        return *this;
    }
    StatusOr &operator=(StatusOr &&other) = default;

    bool ok() const
    {
        return status_.ok();
    }
    const Status &status() const
    {
        return status_;
    }
    const T &value() const &
    {
        return *checked();
    }
    T &value() &
    {
        return *checked();
    }
    T &&value() &&
    {
        return std::move(*checked());
    }
    const T &ValueOrDie() const
    {
        return *checked();
    }
    T &ValueOrDie()
    {
        return *checked();
    }
    const T &operator*() const &
    {
        return *checked();
    }
    T &operator*() &
    {
        return *checked();
    }
    T &&operator*() &&
    {
        return std::move(*checked());
    }
    const T *operator->() const
    {
        return checked();
    }
    T *operator->()
    {
        return checked();
    }
    template <typename U> T value_or(U &&other) const
    {
        return ok() ? *value_ : static_cast<T>(std::forward<U>(other));
    }
    void IgnoreError() const
    {
    }

  private:
    T *checked() const
    {
        if (!value_) {
            std::fprintf(stderr, "value of a failed StatusOr: %s\n", status_.ToString().c_str());
            std::abort();
        }
        return value_.get();
    }
    void refuse_ok()
    {
        if (status_.ok()) {
            status_ = Status(StatusCode::kInternal, "StatusOr made of an OK status");
        }
    }
    Status status_;
    std::unique_ptr<T> value_;
};

} // namespace absl

#endif
