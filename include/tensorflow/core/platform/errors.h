/* SPDX-License-Identifier: Apache-2.0 */
/* errors::*: a Status from any number of values, and questions about its code. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_ERRORS_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_ERRORS_H_

#include <sstream>

#include "tensorflow/core/platform/status.h"
#include "tensorflow/core/platform/str_util.h"
#include "tensorflow/core/platform/strcat.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace errors
{

/* What StrCat does not take is printed. */
template <typename T>
auto ForStrCat(const T &value, int)
    -> decltype(strings::AlphaNum(value).Piece(), static_cast<const T &>(value))
{
    return value;
}
template <typename T> string ForStrCat(const T &value, long)
{
    std::ostringstream out;
    out << value;
    return out.str();
}

#define ORIBI_ERROR(Name)                                                                          \
    template <typename... A> Status Name(const A &...args)                                         \
    {                                                                                              \
        return Status(absl::StatusCode::k##Name, strings::StrCat(ForStrCat(args, 0)...));          \
    }                                                                                              \
    inline bool Is##Name(const Status &status)                                                     \
    {                                                                                              \
        return status.code() == absl::StatusCode::k##Name;                                         \
    }
ORIBI_ERROR(Cancelled)
ORIBI_ERROR(Unknown)
ORIBI_ERROR(InvalidArgument)
ORIBI_ERROR(DeadlineExceeded)
ORIBI_ERROR(NotFound)
ORIBI_ERROR(AlreadyExists)
ORIBI_ERROR(PermissionDenied)
ORIBI_ERROR(ResourceExhausted)
ORIBI_ERROR(FailedPrecondition)
ORIBI_ERROR(Aborted)
ORIBI_ERROR(OutOfRange)
ORIBI_ERROR(Unimplemented)
ORIBI_ERROR(Internal)
ORIBI_ERROR(Unavailable)
ORIBI_ERROR(DataLoss)
ORIBI_ERROR(Unauthenticated)
#undef ORIBI_ERROR

template <typename... A> void AppendToMessage(Status *status, const A &...args)
{
    *status =
        Status(status->code(), strings::StrCat(status->message(), "\n\t", ForStrCat(args, 0)...));
}
inline string FormatNodeNameForError(const string &name)
{
    return strings::StrCat("{{node ", name, "}}");
}
inline string FormatColocationNodeForError(const string &name)
{
    return strings::StrCat("{{colocation_node ", name, "}}");
}

} // namespace errors
} // namespace tensorflow

#endif
