/* SPDX-License-Identifier: Apache-2.0 */
/* std::optional, or its everyday part in C++14. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/types/optional.h>
#elif !defined(ORIBI_ABSL_TYPES_OPTIONAL_H_)
#define ORIBI_ABSL_TYPES_OPTIONAL_H_

#include <new>
#include <utility>
#if __cplusplus >= 201703L
#include <optional>
#endif

namespace absl ORIBI_HIDDEN
{

#if __cplusplus >= 201703L
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
#else
struct nullopt_t {
    explicit constexpr nullopt_t(int)
    {
    }
};
constexpr nullopt_t nullopt{0};

template <typename T> class optional
{
  public:
    using value_type = T;
    optional() : empty_(0)
    {
    }
    optional(nullopt_t) : empty_(0)
    {
    }
    optional(const T &value) : value_(value), has_(true)
    {
    }
    optional(T &&value) : value_(std::move(value)), has_(true)
    {
    }
    optional(const optional &other) : empty_(0)
    {
        if (other.has_) {
            emplace(other.value_);
        }
    }
    optional(optional &&other) : empty_(0)
    {
        if (other.has_) {
            emplace(std::move(other.value_));
        }
    }
    optional &operator=(const optional &other)
    {
        if (this != &other) {
            reset();
            if (other.has_) {
                emplace(other.value_);
            }
        }
        return *this;
    }
    ~optional()
    {
        reset();
    }
    template <typename... A> T &emplace(A &&...args)
    {
        reset();
        new (&value_) T(std::forward<A>(args)...);
        has_ = true;
        return value_;
    }
    void reset()
    {
        if (has_) {
            value_.~T();
            has_ = false;
        }
    }
    bool has_value() const
    {
        return has_;
    }
    explicit operator bool() const
    {
        return has_;
    }
    T &value()
    {
        return value_;
    }
    const T &value() const
    {
        return value_;
    }
    T &operator*()
    {
        return value_;
    }
    const T &operator*() const
    {
        return value_;
    }
    T *operator->()
    {
        return &value_;
    }
    const T *operator->() const
    {
        return &value_;
    }
    template <typename U> T value_or(U &&other) const
    {
        return has_ ? value_ : static_cast<T>(std::forward<U>(other));
    }

  private:
    union {
        char empty_;
        T value_;
    };
    bool has_ = false;
};
template <typename T> optional<typename std::decay<T>::type> make_optional(T &&value)
{
    return optional<typename std::decay<T>::type>(std::forward<T>(value));
}
#endif

} // namespace absl
#endif
