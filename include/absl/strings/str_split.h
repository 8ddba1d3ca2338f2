/* SPDX-License-Identifier: Apache-2.0 */
/* A text taken apart; the pieces convert to any container of strings or views. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/str_split.h>
#elif !defined(ORIBI_ABSL_STRINGS_STR_SPLIT_H_)
#define ORIBI_ABSL_STRINGS_STR_SPLIT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace absl ORIBI_HIDDEN
{

/* Delimiters: where the next one stands at or after pos, and its length. */
struct ByString {
    explicit ByString(string_view text) : delimiter(text)
    {
    }
    std::pair<size_t, size_t> Find(string_view text, size_t pos) const
    {
        if (delimiter.empty()) {
            return {pos + 1 < text.size() ? pos + 1 : string_view::npos, 0};
        }
        return {text.find(delimiter, pos), delimiter.size()};
    }
    std::string delimiter;
};
struct ByChar {
    explicit ByChar(char c) : delimiter(c)
    {
    }
    std::pair<size_t, size_t> Find(string_view text, size_t pos) const
    {
        return {text.find(delimiter, pos), 1};
    }
    char delimiter;
};
struct ByAnyChar {
    explicit ByAnyChar(string_view text) : set(text)
    {
    }
    std::pair<size_t, size_t> Find(string_view text, size_t pos) const
    {
        return {text.find_first_of(set, pos), 1};
    }
    std::string set;
};
template <typename D> struct MaxSplitsImpl {
    D delimiter;
    int limit;
};
struct AllowEmpty {
    bool operator()(string_view) const
    {
        return true;
    }
};
struct SkipEmpty {
    bool operator()(string_view piece) const
    {
        return !piece.empty();
    }
};
struct SkipWhitespace {
    bool operator()(string_view piece) const
    {
        return !StripAsciiWhitespace(piece).empty();
    }
};

class Pieces
{
  public:
    template <typename D, typename P>
    Pieces(string_view text, const D &delimiter, P keep, int limit = -1)
    {
        size_t begin = 0;
        for (;;) {
            const std::pair<size_t, size_t> at = limit == 0
                                                     ? std::make_pair(string_view::npos, size_t{0})
                                                     : delimiter.Find(text, begin);
            const bool last = at.first == string_view::npos;
            const string_view piece =
                text.substr(begin, last ? string_view::npos : at.first - begin);
            if (keep(piece)) {
                pieces_.push_back(piece);
            }
            if (last) {
                return;
            }
            begin = at.first + at.second;
            limit -= limit > 0;
        }
    }
    std::vector<string_view>::const_iterator begin() const
    {
        return pieces_.begin();
    }
    std::vector<string_view>::const_iterator end() const
    {
        return pieces_.end();
    }
    template <
        typename C, typename V = typename C::value_type,
        typename = typename std::enable_if<std::is_constructible<V, string_view>::value>::type>
    operator C() const
    {
        C out;
        for (string_view piece : pieces_) {
            out.insert(out.end(), V(piece));
        }
        return out;
    }
    template <typename A, typename B> operator std::pair<A, B>() const
    {
        return {pieces_.empty() ? A() : A(pieces_[0]), pieces_.size() < 2 ? B() : B(pieces_[1])};
    }

  private:
    std::vector<string_view> pieces_;
};

template <typename D> MaxSplitsImpl<D> MaxSplits(D delimiter, int limit)
{
    return {delimiter, limit};
}
inline MaxSplitsImpl<ByChar> MaxSplits(char delimiter, int limit)
{
    return {ByChar(delimiter), limit};
}
template <typename P = AllowEmpty> Pieces StrSplit(string_view text, char d, P keep = P())
{
    return Pieces(text, ByChar(d), keep);
}
template <typename P = AllowEmpty> Pieces StrSplit(string_view text, const char *d, P keep = P())
{
    return Pieces(text, ByString(d), keep);
}
template <typename P = AllowEmpty> Pieces StrSplit(string_view text, ByString d, P keep = P())
{
    return Pieces(text, d, keep);
}
template <typename P = AllowEmpty> Pieces StrSplit(string_view text, ByChar d, P keep = P())
{
    return Pieces(text, d, keep);
}
template <typename P = AllowEmpty> Pieces StrSplit(string_view text, ByAnyChar d, P keep = P())
{
    return Pieces(text, d, keep);
}
template <typename D, typename P = AllowEmpty>
Pieces StrSplit(string_view text, MaxSplitsImpl<D> d, P keep = P())
{
    return Pieces(text, d.delimiter, keep, d.limit);
}

} // namespace absl
#endif
