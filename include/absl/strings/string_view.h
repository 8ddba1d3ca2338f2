/* SPDX-License-Identifier: Apache-2.0 */
/* absl::string_view: std::string_view from C++17 on, the part of it that C++14 code uses before.
 * Read next: str_cat.h.
 */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/string_view.h>
#elif !defined(ORIBI_ABSL_STRINGS_STRING_VIEW_H_)
#define ORIBI_ABSL_STRINGS_STRING_VIEW_H_

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <ostream>
#include <string>
#if __cplusplus >= 201703L
#include <string_view>
#endif

namespace absl ORIBI_HIDDEN
{

#if __cplusplus >= 201703L
using string_view = std::string_view;
#else

/* In a template, so that C++14 code may take its address. */
template <typename T> struct Npos {
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};
template <typename T> constexpr std::size_t Npos<T>::npos;

/* Text of someone else. */
class string_view : public Npos<void>
{
  public:
    using value_type = char;
    using const_iterator = const char *;
    using iterator = const char *;
    using const_reference = const char &;
    using reference = const char &;
    using const_reverse_iterator = std::reverse_iterator<const char *>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using traits_type = std::char_traits<char>;

    constexpr string_view() noexcept : data_(nullptr), size_(0)
    {
    }
    constexpr string_view(const char *data, size_type size) noexcept : data_(data), size_(size)
    {
    }
    string_view(const char *text) noexcept : data_(text), size_(text ? std::strlen(text) : 0)
    {
    }
    template <typename A>
    string_view(const std::basic_string<char, std::char_traits<char>, A> &text) noexcept
        : data_(text.data()), size_(text.size())
    {
    }

    constexpr const char *data() const noexcept
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
    constexpr const char *begin() const noexcept
    {
        return data_;
    }
    constexpr const char *end() const noexcept
    {
        return data_ + size_;
    }
    constexpr const char *cbegin() const noexcept
    {
        return data_;
    }
    constexpr const char *cend() const noexcept
    {
        return data_ + size_;
    }
    const_reverse_iterator rbegin() const noexcept
    {
        return const_reverse_iterator(end());
    }
    const_reverse_iterator rend() const noexcept
    {
        return const_reverse_iterator(begin());
    }
    constexpr const char &operator[](size_type i) const
    {
        return data_[i];
    }
    constexpr const char &at(size_type i) const
    {
        return data_[i];
    }
    constexpr const char &front() const
    {
        return data_[0];
    }
    constexpr const char &back() const
    {
        return data_[size_ - 1];
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
    void swap(string_view &other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }
    explicit operator std::string() const
    {
        return std::string(data_, size_);
    }
    size_type copy(char *out, size_type n, size_type pos = 0) const
    {
        const size_type count = std::min(n, size_ - pos);
        std::memcpy(out, data_ + pos, count);
        return count;
    }
    string_view substr(size_type pos = 0, size_type n = npos) const
    {
        const size_type from = std::min(pos, size_);
        return string_view(data_ + from, std::min(n, size_ - from));
    }
    int compare(string_view other) const noexcept
    {
        const size_type n = std::min(size_, other.size_);
        const int order = n == 0 ? 0 : std::memcmp(data_, other.data_, n);
        return order != 0 ? order : size_ < other.size_ ? -1 : size_ > other.size_ ? 1 : 0;
    }
    size_type find(string_view text, size_type pos = 0) const noexcept
    {
        if (pos > size_ || text.size_ > size_ - pos) {
            return npos;
        }
        const char *at = std::search(begin() + pos, end(), text.begin(), text.end());
        return at == end() && text.size_ != 0 ? npos : static_cast<size_type>(at - data_);
    }
    size_type find(char c, size_type pos = 0) const noexcept
    {
        const char *at = pos < size_ ? std::find(begin() + pos, end(), c) : end();
        return at == end() ? npos : static_cast<size_type>(at - data_);
    }
    size_type rfind(string_view text, size_type pos = npos) const noexcept
    {
        if (text.size_ > size_) {
            return npos;
        }
        for (size_type i = std::min(pos, size_ - text.size_) + 1; i-- > 0;) {
            if (substr(i, text.size_).compare(text) == 0) {
                return i;
            }
        }
        return npos;
    }
    size_type rfind(char c, size_type pos = npos) const noexcept
    {
        return rfind(string_view(&c, 1), pos);
    }
    size_type find_first_of(string_view set, size_type pos = 0) const noexcept
    {
        return find_in(set, pos, true);
    }
    size_type find_first_of(char c, size_type pos = 0) const noexcept
    {
        return find(c, pos);
    }
    size_type find_first_not_of(string_view set, size_type pos = 0) const noexcept
    {
        return find_in(set, pos, false);
    }
    size_type find_last_of(string_view set) const noexcept
    {
        return find_last_in(set, true);
    }
    size_type find_last_of(char c) const noexcept
    {
        return rfind(c);
    }
    size_type find_last_not_of(string_view set) const noexcept
    {
        return find_last_in(set, false);
    }

  private:
    static bool has(string_view set, char c)
    {
        return std::find(set.begin(), set.end(), c) != set.end();
    }
    size_type find_in(string_view set, size_type pos, bool wanted) const
    {
        for (size_type i = pos; i < size_; i++) {
            if (has(set, data_[i]) == wanted) {
                return i;
            }
        }
        return npos;
    }
    size_type find_last_in(string_view set, bool wanted) const
    {
        for (size_type i = size_; i-- > 0;) {
            if (has(set, data_[i]) == wanted) {
                return i;
            }
        }
        return npos;
    }

    const char *data_;
    size_type size_;
};

inline bool operator==(string_view a, string_view b) noexcept
{
    return a.size() == b.size() && a.compare(b) == 0;
}
inline bool operator!=(string_view a, string_view b) noexcept
{
    return !(a == b);
}
inline bool operator<(string_view a, string_view b) noexcept
{
    return a.compare(b) < 0;
}
inline bool operator>(string_view a, string_view b) noexcept
{
    return a.compare(b) > 0;
}
inline bool operator<=(string_view a, string_view b) noexcept
{
    return a.compare(b) <= 0;
}
inline bool operator>=(string_view a, string_view b) noexcept
{
    return a.compare(b) >= 0;
}
inline std::ostream &operator<<(std::ostream &out, string_view text)
{
    return out.write(text.data(), static_cast<std::streamsize>(text.size()));
}
#endif

inline string_view ClippedSubstr(string_view text, size_t pos, size_t n = string_view::npos)
{
    return text.substr(std::min(pos, text.size()), n);
}
inline string_view NullSafeStringView(const char *text)
{
    return text != nullptr ? string_view(text) : string_view();
}

} // namespace absl

#if __cplusplus < 201703L
namespace std
{
template <> struct ORIBI_HIDDEN hash<absl::string_view> {
    size_t operator()(absl::string_view text) const
    {
        size_t h = static_cast<size_t>(0xcbf29ce484222325u); /* FNV-1a */
        for (char c : text) {
            h = (h ^ static_cast<unsigned char>(c)) * static_cast<size_t>(0x100000001b3u);
        }
        return h;
    }
};
} // namespace std
#endif
#endif
