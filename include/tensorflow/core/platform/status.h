/* SPDX-License-Identifier: Apache-2.0 */
/* Status: absl::Status, with the macros that hand a failure on, and its form at the C border. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_STATUS_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_STATUS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/core/platform/stringpiece.h"

namespace tensorflow ORIBI_HIDDEN
{

using absl::OkStatus;
using absl::Status;
using absl::StatusOr;

/* error::INVALID_ARGUMENT and the others, of one type with absl::StatusCode. */
namespace error
{
using Code = absl::StatusCode;
constexpr Code OK = Code::kOk;
constexpr Code CANCELLED = Code::kCancelled;
constexpr Code UNKNOWN = Code::kUnknown;
constexpr Code INVALID_ARGUMENT = Code::kInvalidArgument;
constexpr Code DEADLINE_EXCEEDED = Code::kDeadlineExceeded;
constexpr Code NOT_FOUND = Code::kNotFound;
constexpr Code ALREADY_EXISTS = Code::kAlreadyExists;
constexpr Code PERMISSION_DENIED = Code::kPermissionDenied;
constexpr Code UNAUTHENTICATED = Code::kUnauthenticated;
constexpr Code RESOURCE_EXHAUSTED = Code::kResourceExhausted;
constexpr Code FAILED_PRECONDITION = Code::kFailedPrecondition;
constexpr Code ABORTED = Code::kAborted;
constexpr Code OUT_OF_RANGE = Code::kOutOfRange;
constexpr Code UNIMPLEMENTED = Code::kUnimplemented;
constexpr Code INTERNAL = Code::kInternal;
constexpr Code UNAVAILABLE = Code::kUnavailable;
constexpr Code DATA_LOSS = Code::kDataLoss;
} // namespace error

/* A TF_Status for one call, deleted at the end of the scope. */
class CStatus
{
  public:
    CStatus() : status_(TF_NewStatus())
    {
    }
    explicit CStatus(const Status &status) : CStatus()
    {
        TF_SetStatus(status_, static_cast<TF_Code>(static_cast<int>(status.code())),
                     std::string(status.message()).c_str());
    }
    ~CStatus()
    {
        TF_DeleteStatus(status_);
    }
    CStatus(const CStatus &) = delete;
    CStatus &operator=(const CStatus &) = delete;
    TF_Status *get() const
    {
        return status_;
    }
    operator TF_Status *() const
    {
        return status_;
    }
    bool ok() const
    {
        return TF_GetCode(status_) == TF_OK;
    }
    Status ToStatus() const
    {
        return ok() ? Status()
                    : Status(static_cast<absl::StatusCode>(static_cast<int>(TF_GetCode(status_))),
                             TF_Message(status_));
    }

  private:
    TF_Status *status_;
};

inline std::string error_name(error::Code code)
{
    return absl::StatusCodeToString(code);
}

} // namespace tensorflow

#define TF_RETURN_IF_ERROR(...)                                                                    \
    do {                                                                                           \
        ::tensorflow::Status oribi_status_ = (__VA_ARGS__);                                        \
        if (TF_PREDICT_FALSE(!oribi_status_.ok())) {                                               \
            return oribi_status_;                                                                  \
        }                                                                                          \
    } while (0)
#define TF_RETURN_WITH_CONTEXT_IF_ERROR(expr, ...)                                                 \
    do {                                                                                           \
        ::tensorflow::Status oribi_status_ = (expr);                                               \
        if (TF_PREDICT_FALSE(!oribi_status_.ok())) {                                               \
            ::tensorflow::errors::AppendToMessage(&oribi_status_, __VA_ARGS__);                    \
            return oribi_status_;                                                                  \
        }                                                                                          \
    } while (0)
#define ORIBI_ASSIGN_OR_RETURN(name, lhs, rexpr)                                                   \
    auto name = (rexpr);                                                                           \
    if (TF_PREDICT_FALSE(!name.ok())) {                                                            \
        return name.status();                                                                      \
    }                                                                                              \
    lhs = std::move(name).value()
#define TF_ASSIGN_OR_RETURN(lhs, rexpr)                                                            \
    ORIBI_ASSIGN_OR_RETURN(ORIBI_UNIQUE(oribi_value_), lhs, rexpr)

#include "tensorflow/core/platform/logging.h"
#define TF_CHECK_OK(...)  CHECK_EQ(::tensorflow::Status(), (__VA_ARGS__))
#define TF_QCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)
#define TF_DCHECK_OK(...) DCHECK_EQ(::tensorflow::Status(), (__VA_ARGS__))

#endif
