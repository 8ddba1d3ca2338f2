/* SPDX-License-Identifier: Apache-2.0 */
/* absl::Span: elements of someone else. Read next: ../../tensorflow/core/lib/gtl/array_slice.h. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/types/span.h>
#elif !defined(ORIBI_ABSL_TYPES_SPAN_H_)
#define ORIBI_ABSL_TYPES_SPAN_H_

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>

namespace absl ORIBI_HIDDEN
{

template <typename T> class Span
{
    template <typename C>
    using Data = decltype(static_cast<T *>(std::declval<C &>().data()), std::declval<C &>().size());
    template <typename C> using IfConst = typename std::enable_if<std::is_const<T>::value, C>::type;

  public:
    using element_type = T;
    using value_type = typename std::remove_cv<T>::type;
    using pointer = T *;
    using const_pointer = const T *;
    using reference = T &;
    using const_reference = const T &;
    using iterator = T *;
    using const_iterator = const T *;
    using reverse_iterator = std::reverse_iterator<T *>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    static constexpr size_type npos = static_cast<size_type>(-1);

    constexpr Span() noexcept : data_(nullptr), size_(0)
    {
    }
    constexpr Span(T *data, size_type size) noexcept : data_(data), size_(size)
    {
    }
    template <size_t N> constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N)
    {
    }
    template <typename C, typename = Data<C>, typename = IfConst<C>, typename = void>
    Span(const C &container) noexcept : data_(container.data()), size_(container.size())
    {
    }
    template <typename C, typename = Data<C>,
              typename = typename std::enable_if<!std::is_const<T>::value, C>::type>
    explicit Span(C &container) noexcept : data_(container.data()), size_(container.size())
    {
    }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime" /* for arguments of calls */
#endif
    template <typename U = T, typename = IfConst<U>>
    Span(std::initializer_list<value_type> list) noexcept : data_(list.begin()), size_(list.size())
    {
    }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr size_type size() const noexcept
    {
        return size_;
    }
    constexpr size_type length() const noexcept
    {
        return size_;
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T &operator[](size_type i) const
    {
        return data_[i];
    }
    constexpr T &at(size_type i) const
    {
        return data_[i];
    }
    constexpr T &front() const
    {
        return data_[0];
    }
    constexpr T &back() const
    {
        return data_[size_ - 1];
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }
    constexpr const T *cbegin() const noexcept
    {
        return data_;
    }
    constexpr const T *cend() const noexcept
    {
        return data_ + size_;
    }
    reverse_iterator rbegin() const noexcept
    {
        return reverse_iterator(end());
    }
    reverse_iterator rend() const noexcept
    {
        return reverse_iterator(begin());
    }
    void remove_prefix(size_type n)
    {
        data_ += n;
        size_ -= n;
    }
    void remove_suffix(size_type n)
    {
        size_ -= n;
    }
    Span subspan(size_type pos = 0, size_type n = npos) const
    {
        const size_type from = std::min(pos, size_);
        return Span(data_ + from, std::min(n, size_ - from));
    }
    Span first(size_type n) const
    {
        return subspan(0, n);
    }
    Span last(size_type n) const
    {
        return subspan(size_ - n, n);
    }

  private:
    T *data_;
    size_type size_;
};

template <typename T, typename U> bool operator==(Span<T> a, Span<U> b)
{
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}
template <typename T, typename U> bool operator!=(Span<T> a, Span<U> b)
{
    return !(a == b);
}

template <typename T> Span<T> MakeSpan(T *data, size_t size)
{
    return Span<T>(data, size);
}
template <typename T> Span<T> MakeSpan(T *begin, T *end)
{
    return Span<T>(begin, static_cast<size_t>(end - begin));
}
template <typename C>
auto MakeSpan(C &c) -> Span<typename std::remove_pointer<decltype(c.data())>::type>
{
    return Span<typename std::remove_pointer<decltype(c.data())>::type>(c.data(), c.size());
}
template <typename T, size_t N> Span<T> MakeSpan(T (&array)[N])
{
    return Span<T>(array, N);
}
template <typename T> Span<const T> MakeConstSpan(const T *data, size_t size)
{
    return Span<const T>(data, size);
}
template <typename T> Span<const T> MakeConstSpan(const T *begin, const T *end)
{
    return Span<const T>(begin, static_cast<size_t>(end - begin));
}
template <typename C>
auto MakeConstSpan(const C &c) -> Span<typename std::remove_pointer<decltype(c.data())>::type>
{
    return Span<typename std::remove_pointer<decltype(c.data())>::type>(c.data(), c.size());
}
template <typename T, size_t N> Span<const T> MakeConstSpan(const T (&array)[N])
{
    return Span<const T>(array, N);
}

} // namespace absl
#endif
