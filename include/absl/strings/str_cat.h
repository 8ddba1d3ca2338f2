/* SPDX-License-Identifier: Apache-2.0 */
/* Text put together from values: StrCat, StrAppend, Hex, Dec. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/str_cat.h>
#elif !defined(ORIBI_ABSL_STRINGS_STR_CAT_H_)
#define ORIBI_ABSL_STRINGS_STR_CAT_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"

namespace absl ORIBI_HIDDEN
{

enum PadSpec : uint8_t {
    kNoPad = 1,
    kZeroPad2,
    kZeroPad3,
    kZeroPad4,
    kZeroPad5,
    kZeroPad6,
    kZeroPad7,
    kZeroPad8,
    kZeroPad9,
    kZeroPad10,
    kZeroPad11,
    kZeroPad12,
    kZeroPad13,
    kZeroPad14,
    kZeroPad15,
    kZeroPad16
};
struct Hex {
    uint64_t value;
    int width;
    template <typename Int>
    explicit Hex(Int v, PadSpec pad = kNoPad)
        : value(static_cast<uint64_t>(static_cast<typename std::make_unsigned<Int>::type>(v))),
          width(pad)
    {
    }
};
struct Dec {
    long long value;
    int width;
    template <typename Int>
    explicit Dec(Int v, PadSpec pad = kNoPad) : value(static_cast<long long>(v)), width(pad)
    {
    }
};

/* One argument of StrCat; lives for the call. kRoundTrip writes floating point numbers with as many
 * digits as reading them back needs, else with six. */
template <bool kRoundTrip> class BasicAlphaNum
{
  public:
    BasicAlphaNum(int v) : BasicAlphaNum(static_cast<long long>(v))
    {
    }
    BasicAlphaNum(unsigned v) : BasicAlphaNum(static_cast<unsigned long long>(v))
    {
    }
    BasicAlphaNum(long v) : BasicAlphaNum(static_cast<long long>(v))
    {
    }
    BasicAlphaNum(unsigned long v) : BasicAlphaNum(static_cast<unsigned long long>(v))
    {
    }
    BasicAlphaNum(long long v)
    {
        keep(std::snprintf(digits_, sizeof(digits_), "%lld", v));
    }
    BasicAlphaNum(unsigned long long v)
    {
        keep(std::snprintf(digits_, sizeof(digits_), "%llu", v));
    }
    BasicAlphaNum(float v)
    {
        print(static_cast<double>(v), 9,
              [v](const char *text) { return std::strtof(text, nullptr) == v; });
    }
    BasicAlphaNum(double v)
    {
        print(v, 17, [v](const char *text) {
            return std::strtod(text, nullptr) <= v && std::strtod(text, nullptr) >= v;
        });
    }
    BasicAlphaNum(Hex hex)
    {
        keep(std::snprintf(digits_, sizeof(digits_), "%0*llx", hex.width,
                           static_cast<unsigned long long>(hex.value)));
    }
    BasicAlphaNum(Dec dec)
    {
        keep(std::snprintf(digits_, sizeof(digits_), "%0*lld", dec.width, dec.value));
    }
    BasicAlphaNum(const char *text) : text_(NullSafeStringView(text))
    {
    }
    BasicAlphaNum(string_view text) : text_(text)
    {
    }
    template <typename A>
    BasicAlphaNum(const std::basic_string<char, std::char_traits<char>, A> &text)
        : text_(text.data(), text.size())
    {
    }
    BasicAlphaNum(const std::vector<bool>::reference &v) : BasicAlphaNum(static_cast<bool>(v))
    {
    }
    /* Enumerations as numbers; classes that convert to a string_view (tstring). */
    template <typename E, typename std::enable_if<std::is_enum<E>::value, int>::type = 0>
    BasicAlphaNum(E v) : BasicAlphaNum(static_cast<long long>(v))
    {
    }
    template <typename S,
              typename std::enable_if<std::is_class<S>::value &&
                                          std::is_convertible<const S &, string_view>::value,
                                      int>::type = 0>
    BasicAlphaNum(const S &text) : text_(static_cast<string_view>(text))
    {
    }
    BasicAlphaNum(const BasicAlphaNum &) = delete;
    BasicAlphaNum &operator=(const BasicAlphaNum &) = delete;

    string_view Piece() const
    {
        return text_;
    }
    const char *data() const
    {
        return text_.data();
    }
    size_t size() const
    {
        return text_.size();
    }

  private:
    void keep(int n)
    {
        text_ = string_view(digits_, static_cast<size_t>(n));
    }
    template <typename Same> void print(double v, int most, Same same)
    {
        for (int precision = 6; precision <= most; precision++) {
            keep(std::snprintf(digits_, sizeof(digits_), "%.*g", precision, v));
            if (!kRoundTrip || same(digits_)) {
                return;
            }
        }
    }
    char digits_[40];
    string_view text_;
};
using AlphaNum = BasicAlphaNum<false>;

inline void AppendPieces(std::string *out, std::initializer_list<string_view> pieces)
{
    size_t size = out->size();
    for (string_view piece : pieces) {
        size += piece.size();
    }
    out->reserve(size);
    for (string_view piece : pieces) {
        out->append(piece.data(), piece.size());
    }
}

/* The arguments become AlphaNums that live until the call returns. */
template <typename... A> void StrAppend(std::string *out, const A &...args)
{
    AppendPieces(out, {AlphaNum(args).Piece()...});
}
template <typename... A> std::string StrCat(const A &...args)
{
    std::string out;
    AppendPieces(&out, {AlphaNum(args).Piece()...});
    return out;
}

} // namespace absl
#endif
