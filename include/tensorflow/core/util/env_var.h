/* SPDX-License-Identifier: Apache-2.0 */
/* Read*FromEnvVar: the value of an environment variable, or a default where it is not set. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_ENV_VAR_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_ENV_VAR_H_

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "tensorflow/core/platform/errors.h"

namespace tensorflow ORIBI_HIDDEN
{

inline Status ReadStringFromEnvVar(StringPiece name, StringPiece value, string *out)
{
    const char *text = std::getenv(string(name).c_str());
    *out = text != nullptr ? string(text) : string(value);
    return Status();
}
inline Status ReadBoolFromEnvVar(StringPiece name, bool value, bool *out)
{
    string text;
    *out = value;
    TF_RETURN_IF_ERROR(ReadStringFromEnvVar(name, "", &text));
    const string lower = str_util::Lowercase(text);
    if (lower == "1" || lower == "true") {
        *out = true;
    } else if (lower == "0" || lower == "false") {
        *out = false;
    } else if (!lower.empty()) {
        return errors::InvalidArgument("the environment variable ", name, " is '", text,
                                       "'; it must be true, false, 1 or 0");
    }
    return Status();
}
namespace internal
{
template <typename Read, typename T>
Status ReadNumberFromEnvVar(StringPiece name, T value, Read read, T *out)
{
    string text;
    *out = value;
    TF_RETURN_IF_ERROR(ReadStringFromEnvVar(name, "", &text));
    if (text.empty()) {
        return Status();
    }
    char *end = nullptr;
    errno = 0;
    const T got = read(text.c_str(), &end);
    if (*end != '\0' || errno != 0) {
        return errors::InvalidArgument("the environment variable ", name, " is '", text,
                                       "', which is no number that fits");
    }
    *out = got;
    return Status();
}
} // namespace internal
inline Status ReadInt64FromEnvVar(StringPiece name, int64 value, int64 *out)
{
    return internal::ReadNumberFromEnvVar(
        name, value,
        [](const char *text, char **end) { return int64{std::strtoll(text, end, 10)}; }, out);
}
inline Status ReadFloatFromEnvVar(StringPiece name, float value, float *out)
{
    return internal::ReadNumberFromEnvVar(
        name, value, [](const char *text, char **end) { return std::strtof(text, end); }, out);
}
inline Status ReadStringsFromEnvVar(StringPiece name, StringPiece value, std::vector<string> *out)
{
    string text;
    TF_RETURN_IF_ERROR(ReadStringFromEnvVar(name, value, &text));
    *out = str_util::Split(text, ',', str_util::SkipEmpty());
    return Status();
}

} // namespace tensorflow

#endif
