/* SPDX-License-Identifier: Apache-2.0 */
/* strings::Printf and Appendf. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_STRINGPRINTF_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_STRINGPRINTF_H_

#include <cstdarg>
#include <cstdio>
#include <vector>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace strings
{

TF_PRINTF_ATTRIBUTE(2, 0)
inline void Appendv(string *out, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    if (n > 0) {
        std::vector<char> text(static_cast<size_t>(n) + 1);
        std::vsnprintf(text.data(), text.size(), format, args);
        out->append(text.data(), static_cast<size_t>(n));
    }
}
TF_PRINTF_ATTRIBUTE(1, 2)
inline string Printf(const char *format, ...)
{
    string out;
    va_list args;
    va_start(args, format);
    Appendv(&out, format, args);
    va_end(args);
    return out;
}
TF_PRINTF_ATTRIBUTE(2, 3)
inline void Appendf(string *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Appendv(out, format, args);
    va_end(args);
}

} // namespace strings
} // namespace tensorflow

#endif
