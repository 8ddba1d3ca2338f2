/* SPDX-License-Identifier: Apache-2.0 */
/* absl::Status, which is also tensorflow::Status: a code and a message, cheap when it is OK.
 * StatusCode has the enumerators of both spellings (kNotFound, NOT_FOUND); the older accessors of
 * TensorFlow's class (error_message, Status::OK) stay. Read next: statusor.h.
 */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/status/status.h>
#elif !defined(ORIBI_ABSL_STATUS_STATUS_H_)
#define ORIBI_ABSL_STATUS_STATUS_H_

#include <memory>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"

namespace absl ORIBI_HIDDEN
{

/* X-macro: name as constant, as function part, number of gRPC. */
#define ORIBI_STATUS_CODES(X)                                                                      \
    X(CANCELLED, Cancelled, 1)                                                                     \
    X(UNKNOWN, Unknown, 2)                                                                         \
    X(INVALID_ARGUMENT, InvalidArgument, 3)                                                        \
    X(DEADLINE_EXCEEDED, DeadlineExceeded, 4)                                                      \
    X(NOT_FOUND, NotFound, 5)                                                                      \
    X(ALREADY_EXISTS, AlreadyExists, 6)                                                            \
    X(PERMISSION_DENIED, PermissionDenied, 7)                                                      \
    X(RESOURCE_EXHAUSTED, ResourceExhausted, 8)                                                    \
    X(FAILED_PRECONDITION, FailedPrecondition, 9)                                                  \
    X(ABORTED, Aborted, 10)                                                                        \
    X(OUT_OF_RANGE, OutOfRange, 11)                                                                \
    X(UNIMPLEMENTED, Unimplemented, 12)                                                            \
    X(INTERNAL, Internal, 13)                                                                      \
    X(UNAVAILABLE, Unavailable, 14)                                                                \
    X(DATA_LOSS, DataLoss, 15)                                                                     \
    X(UNAUTHENTICATED, Unauthenticated, 16)

enum class StatusCode : int {
    kOk = 0,
    OK = 0,
#define ORIBI_STATUS_CODE(NAME, Name, number) k##Name = number, NAME = number,
    ORIBI_STATUS_CODES(ORIBI_STATUS_CODE)
#undef ORIBI_STATUS_CODE
};

inline const char *StatusCodeToText(StatusCode code)
{
    switch (code) {
    case StatusCode::kOk:
        return "OK";
#define ORIBI_STATUS_CODE(NAME, Name, number)                                                      \
    case StatusCode::k##Name:                                                                      \
        return #NAME;
        ORIBI_STATUS_CODES(ORIBI_STATUS_CODE)
#undef ORIBI_STATUS_CODE
    }
    return "UNKNOWN";
}
inline std::string StatusCodeToString(StatusCode code)
{
    return StatusCodeToText(code);
}
inline std::ostream &operator<<(std::ostream &out, StatusCode code)
{
    return out << StatusCodeToText(code);
}

class Status
{
    struct Rep {
        StatusCode code;
        std::string message;
    };

  public:
    Status() = default;
    Status(StatusCode code, string_view message)
        : rep_(code == StatusCode::kOk
                   ? nullptr
                   : std::make_shared<const Rep>(Rep{code, std::string(message)}))
    {
    }
    static Status OK()
    {
        return Status();
    }
    bool ok() const
    {
        return rep_ == nullptr;
    }
    StatusCode code() const
    {
        return rep_ ? rep_->code : StatusCode::kOk;
    }
    int raw_code() const
    {
        return static_cast<int>(code());
    }
    string_view message() const
    {
        return error_message();
    }
    const std::string &error_message() const
    {
        static const std::string none;
        return rep_ ? rep_->message : none;
    }
    std::string ToString() const
    {
        return rep_ ? StatusCodeToText(rep_->code) + std::string(": ") + rep_->message : "OK";
    }
    /* Keeps the first failure. */
    void Update(const Status &other)
    {
        if (ok()) {
            rep_ = other.rep_;
        }
    }
    void IgnoreError() const
    {
    }
    friend bool operator==(const Status &a, const Status &b)
    {
        return a.code() == b.code() && a.error_message() == b.error_message();
    }
    friend bool operator!=(const Status &a, const Status &b)
    {
        return !(a == b);
    }

  private:
    std::shared_ptr<const Rep> rep_;
};

inline std::ostream &operator<<(std::ostream &out, const Status &status)
{
    return out << status.ToString();
}
inline Status OkStatus()
{
    return Status();
}
#define ORIBI_STATUS_CODE(NAME, Name, number)                                                      \
    inline Status Name##Error(string_view message)                                                 \
    {                                                                                              \
        return Status(StatusCode::k##Name, message);                                               \
    }                                                                                              \
    inline bool Is##Name(const Status &status)                                                     \
    {                                                                                              \
        return status.code() == StatusCode::k##Name;                                               \
    }
ORIBI_STATUS_CODES(ORIBI_STATUS_CODE)
#undef ORIBI_STATUS_CODE

} // namespace absl
#endif
