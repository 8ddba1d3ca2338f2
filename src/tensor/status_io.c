/* SPDX-License-Identifier: Apache-2.0 */
/* Status from errno. The table is the one that plugins know from TensorFlow. */
#include <errno.h>
#include <string.h>

#include "tensor/status.h"

static const struct {
    int error;
    TF_Code code;
} errno_codes[] = {
    {EINVAL, TF_INVALID_ARGUMENT},
    {ENAMETOOLONG, TF_INVALID_ARGUMENT},
    {E2BIG, TF_INVALID_ARGUMENT},
    {EDOM, TF_INVALID_ARGUMENT},
    {EFAULT, TF_INVALID_ARGUMENT},
    {EILSEQ, TF_INVALID_ARGUMENT},
    {ENOTTY, TF_INVALID_ARGUMENT},
    {ESPIPE, TF_INVALID_ARGUMENT},
    {ETIMEDOUT, TF_DEADLINE_EXCEEDED},
    {ENOENT, TF_NOT_FOUND},
    {ENODEV, TF_NOT_FOUND},
    {ENXIO, TF_NOT_FOUND},
    {ESRCH, TF_NOT_FOUND},
    {EEXIST, TF_ALREADY_EXISTS},
    {EADDRNOTAVAIL, TF_ALREADY_EXISTS},
    {EALREADY, TF_ALREADY_EXISTS},
    {EPERM, TF_PERMISSION_DENIED},
    {EACCES, TF_PERMISSION_DENIED},
    {EROFS, TF_PERMISSION_DENIED},
    {ENOTEMPTY, TF_FAILED_PRECONDITION},
    {EISDIR, TF_FAILED_PRECONDITION},
    {ENOTDIR, TF_FAILED_PRECONDITION},
    {EBADF, TF_FAILED_PRECONDITION},
    {EBUSY, TF_FAILED_PRECONDITION},
    {EPIPE, TF_FAILED_PRECONDITION},
    {ETXTBSY, TF_FAILED_PRECONDITION},
    {ENOSPC, TF_RESOURCE_EXHAUSTED},
    {EMFILE, TF_RESOURCE_EXHAUSTED},
    {ENFILE, TF_RESOURCE_EXHAUSTED},
    {ENOMEM, TF_RESOURCE_EXHAUSTED},
    {EDQUOT, TF_RESOURCE_EXHAUSTED},
    {EFBIG, TF_OUT_OF_RANGE},
    {EOVERFLOW, TF_OUT_OF_RANGE},
    {ERANGE, TF_OUT_OF_RANGE},
    {ENOSYS, TF_UNIMPLEMENTED},
    {ENOTSUP, TF_UNIMPLEMENTED},
    {EXDEV, TF_UNIMPLEMENTED},
    {EAGAIN, TF_UNAVAILABLE},
    {EINTR, TF_UNAVAILABLE},
    {ECONNREFUSED, TF_UNAVAILABLE},
    {ECONNRESET, TF_UNAVAILABLE},
    {EHOSTUNREACH, TF_UNAVAILABLE},
    {ENETDOWN, TF_UNAVAILABLE},
    {EDEADLK, TF_ABORTED},
    {ESTALE, TF_ABORTED},
    {ECANCELED, TF_CANCELLED},
};

static TF_Code code_of(int error)
{
    for (size_t i = 0; i < sizeof(errno_codes) / sizeof(errno_codes[0]); i++) {
        if (errno_codes[i].error == error) {
            return errno_codes[i].code;
        }
    }
    return TF_UNKNOWN;
}

bool oribi_fail_io(TF_Status *status, int error, const char *path)
{
    char room[128];
    const char *reason = error == ESPIPE ? "not a regular file; copy it to one" /* base/file.h */
                                         : strerror_r(error, room, sizeof(room));
    return oribi_fail(status, code_of(error), "%s: %s", path[0] != '\0' ? path : "''", reason);
}

void TF_SetStatusFromIOError(TF_Status *status, int error_code, const char *context)
{
    if (error_code == 0) {
        TF_SetStatus(status, TF_OK, "");
        return;
    }
    char room[128];
    const char *reason = strerror_r(error_code, room, sizeof(room));
    (void)oribi_fail(status, code_of(error_code), "%s; %s", context != NULL ? context : "", reason);
}

void TSL_SetStatusFromIOError(TSL_Status *status, int error_code, const char *context)
{
    TF_SetStatusFromIOError(status, error_code, context);
}
