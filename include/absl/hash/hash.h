/* SPDX-License-Identifier: Apache-2.0 */
/* absl::Hash: std::hash, classes with AbslHashValue, pairs, tuples and containers of those. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/hash/hash.h>
#elif !defined(ORIBI_ABSL_HASH_HASH_H_)
#define ORIBI_ABSL_HASH_HASH_H_

#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"

namespace absl ORIBI_HIDDEN
{

/* State that AbslHashValue(H state, const T &) combines values into. */
class HashState
{
  public:
    static HashState combine(HashState state)
    {
        return state;
    }
    template <typename T, typename... R>
    static HashState combine(HashState state, const T &value, const R &...rest)
    {
        return combine(state.with(value, 0), rest...);
    }
    template <typename T>
    static HashState combine_contiguous(HashState state, const T *data, size_t size)
    {
        for (size_t i = 0; i < size; i++) {
            state = combine(state, data[i]);
        }
        return combine(state, size);
    }
    size_t value() const
    {
        return value_;
    }

  private:
    HashState mix(size_t h) const
    {
        HashState out;
        out.value_ =
            value_ ^ (h + static_cast<size_t>(0x9e3779b97f4a7c15u) + (value_ << 6) + (value_ >> 2));
        return out;
    }
    template <typename T>
    auto with(const T &value, int) const
        -> decltype(AbslHashValue(std::declval<HashState>(), value))
    {
        return AbslHashValue(*this, value);
    }
    template <typename T>
    auto with(const T &value, long) const -> decltype(mix(std::hash<T>()(value)))
    {
        return mix(std::hash<T>()(value));
    }
    template <typename C, typename = typename C::const_iterator>
    HashState with(const C &range, ...) const
    {
        HashState state = *this;
        for (const auto &item : range) {
            state = combine(state, item);
        }
        return state;
    }
    template <typename A, typename B> HashState with(const std::pair<A, B> &v, int) const
    {
        return combine(*this, v.first, v.second);
    }
    template <typename... A> HashState with(const std::tuple<A...> &v, int) const
    {
        return all(v, std::index_sequence_for<A...>());
    }
    template <typename V, size_t... I> HashState all(const V &v, std::index_sequence<I...>) const
    {
        return combine(*this, std::get<I>(v)...);
    }
    size_t value_ = 0;
};

template <typename T> struct Hash {
    size_t operator()(const T &value) const
    {
        return HashState::combine(HashState(), value).value();
    }
};

template <typename... T> size_t HashOf(const T &...values)
{
    return HashState::combine(HashState(), values...).value();
}

} // namespace absl
#endif
