/* SPDX-License-Identifier: Apache-2.0 */
/* printf whose arguments may be strings of any class and whose lengths are known. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/strings/str_format.h>
#elif !defined(ORIBI_ABSL_STRINGS_STR_FORMAT_H_)
#define ORIBI_ABSL_STRINGS_STR_FORMAT_H_

#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"

namespace absl ORIBI_HIDDEN
{

/* One argument, widened to what printf takes. */
class FormatArg
{
  public:
    template <typename T, typename std::enable_if<
                              std::is_integral<T>::value || std::is_enum<T>::value, int>::type = 0>
    FormatArg(T v)
        : kind_(Kind::kInt), int_(static_cast<long long>(v)), bytes_(sizeof(T)),
          is_signed_(std::is_signed<T>::value || std::is_enum<T>::value)
    {
    }
    FormatArg(double v) : kind_(Kind::kReal), real_(v)
    {
    }
    FormatArg(float v) : kind_(Kind::kReal), real_(static_cast<double>(v))
    {
    }
    FormatArg(const char *v) : kind_(Kind::kText), text_(v == nullptr ? "" : v)
    {
    }
    template <typename S,
              typename std::enable_if<std::is_class<S>::value &&
                                          std::is_convertible<const S &, string_view>::value,
                                      int>::type = 0>
    FormatArg(const S &v) : kind_(Kind::kText), text_(static_cast<string_view>(v))
    {
    }
    template <typename T, typename std::enable_if<!std::is_same<T, const char>::value &&
                                                      !std::is_same<T, char>::value,
                                                  int>::type = 0>
    FormatArg(T *v) : kind_(Kind::kPointer), pointer_(v)
    {
    }

    /* spec: "%", flags, width, precision, without length and conversion. */
    void Append(std::string *out, std::string spec, char conversion) const
    {
        if (kind_ == Kind::kText) {
            spec += conversion == 'v' ? 's' : conversion;
            if (spec == "%s") {
                out->append(text_.data(), text_.size());
            } else {
                print(out, spec, std::string(text_).c_str());
            }
        } else if (kind_ == Kind::kReal) {
            print(out, spec + (conversion == 'v' || conversion == 's' ? 'g' : conversion), real_);
        } else if (kind_ == Kind::kPointer) {
            print(out, spec + 'p', pointer_);
        } else if (conversion == 'c') {
            print(out, spec + 'c', static_cast<int>(int_));
        } else if (conversion == 'd' || conversion == 'i' || conversion == 'v') {
            print(out, spec + (is_signed_ ? "lld" : "llu"), int_);
        } else if (std::string("eEfFgGaA").find(conversion) != std::string::npos) {
            print(out, spec + conversion, static_cast<double>(int_));
        } else {
            const unsigned long long mask =
                bytes_ >= 8 ? ~0ull : (1ull << (8 * bytes_)) - 1; /* two's complement of T */
            print(out, spec + "ll" + conversion, static_cast<unsigned long long>(int_) & mask);
        }
    }
    int AsInt() const
    {
        return static_cast<int>(int_);
    }

  private:
    enum class Kind { kInt, kReal, kText, kPointer };
    template <typename T> static void print(std::string *out, const std::string &spec, T value)
    {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        const int n = std::snprintf(nullptr, 0, spec.c_str(), value);
        if (n > 0) {
            std::vector<char> text(static_cast<size_t>(n) + 1);
            std::snprintf(text.data(), text.size(), spec.c_str(), value);
            out->append(text.data(), static_cast<size_t>(n));
        }
#pragma GCC diagnostic pop
    }
    Kind kind_;
    long long int_ = 0;
    size_t bytes_ = 8;
    bool is_signed_ = true;
    double real_ = 0;
    const void *pointer_ = nullptr;
    string_view text_;
};

inline std::string FormatArgs(string_view format, const std::vector<FormatArg> &args)
{
    std::string out;
    size_t next = 0;
    for (size_t i = 0; i < format.size(); i++) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        if (i + 1 < format.size() && format[i + 1] == '%') {
            out += '%';
            i++;
            continue;
        }
        std::string spec = "%";
        for (i++; i < format.size() &&
                  string_view("-+ #0123456789.*lhzjtLq").find(format[i]) != string_view::npos;
             i++) {
            if (format[i] == '*') {
                spec += next < args.size() ? std::to_string(args[next++].AsInt()) : "";
            } else if (string_view("lhzjtLq").find(format[i]) == string_view::npos) {
                spec += format[i];
            }
        }
        if (i < format.size() && next < args.size()) {
            args[next++].Append(&out, spec, format[i]);
        }
    }
    return out;
}
template <typename... A> std::string StrFormat(string_view format, const A &...args)
{
    return FormatArgs(format, std::vector<FormatArg>{FormatArg(args)...});
}
template <typename... A>
void StrAppendFormat(std::string *out, string_view format, const A &...args)
{
    out->append(FormatArgs(format, std::vector<FormatArg>{FormatArg(args)...}));
}
template <typename... A> int FPrintF(std::FILE *file, string_view format, const A &...args)
{
    const std::string text = StrFormat(format, args...);
    return std::fputs(text.c_str(), file) < 0 ? -1 : static_cast<int>(text.size());
}

} // namespace absl
#endif
