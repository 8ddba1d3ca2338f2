# SPDX-License-Identifier: Apache-2.0
"""Which exception stands for which status code? `Error` is the base; each also is the Python exception one expects."""


class Error(RuntimeError):
    """What the library reports: `code` is the status' number, `name` its word, `str()` its message."""

    code = 2
    name = "UNKNOWN"


class Cancelled(Error):
    code, name = 1, "CANCELLED"


class InvalidArgument(Error, ValueError):
    code, name = 3, "INVALID_ARGUMENT"


class DeadlineExceeded(Error, TimeoutError):
    code, name = 4, "DEADLINE_EXCEEDED"


class NotFound(Error, LookupError):
    code, name = 5, "NOT_FOUND"


class AlreadyExists(Error):
    code, name = 6, "ALREADY_EXISTS"


class PermissionDenied(Error):
    code, name = 7, "PERMISSION_DENIED"


class ResourceExhausted(Error, MemoryError):
    code, name = 8, "RESOURCE_EXHAUSTED"


class FailedPrecondition(Error):
    code, name = 9, "FAILED_PRECONDITION"


class Aborted(Error):
    code, name = 10, "ABORTED"


class OutOfRange(Error, IndexError):
    code, name = 11, "OUT_OF_RANGE"


class Unimplemented(Error, NotImplementedError):
    code, name = 12, "UNIMPLEMENTED"


class Internal(Error):
    code, name = 13, "INTERNAL"


class Unavailable(Error):
    code, name = 14, "UNAVAILABLE"


class DataLoss(Error):
    code, name = 15, "DATA_LOSS"


class Unauthenticated(Error):
    code, name = 16, "UNAUTHENTICATED"


BY_CODE = {c.code: c for c in (
    Error, Cancelled, InvalidArgument, DeadlineExceeded, NotFound, AlreadyExists, PermissionDenied, ResourceExhausted,
    FailedPrecondition, Aborted, OutOfRange, Unimplemented, Internal, Unavailable, DataLoss, Unauthenticated)}
