/* SPDX-License-Identifier: Apache-2.0 */
/* Status: a code and a message; the one error type of the contract. One thread at a time.
 */
#ifndef ORIBI_TENSORFLOW_C_TF_STATUS_H_
#define ORIBI_TENSORFLOW_C_TF_STATUS_H_

#include "c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Codes: the same numbers as gRPC. TF_* names are macros for the TSL_* enumerators. */
typedef enum TSL_Code {
    TSL_OK = 0,
    TSL_CANCELLED = 1,
    TSL_UNKNOWN = 2,
    TSL_INVALID_ARGUMENT = 3,
    TSL_DEADLINE_EXCEEDED = 4,
    TSL_NOT_FOUND = 5,
    TSL_ALREADY_EXISTS = 6,
    TSL_PERMISSION_DENIED = 7,
    TSL_RESOURCE_EXHAUSTED = 8,
    TSL_FAILED_PRECONDITION = 9,
    TSL_ABORTED = 10,
    TSL_OUT_OF_RANGE = 11,
    TSL_UNIMPLEMENTED = 12,
    TSL_INTERNAL = 13,
    TSL_UNAVAILABLE = 14,
    TSL_DATA_LOSS = 15,
    TSL_UNAUTHENTICATED = 16,
} TSL_Code;

#define TF_OK                  TSL_OK
#define TF_CANCELLED           TSL_CANCELLED
#define TF_UNKNOWN             TSL_UNKNOWN
#define TF_INVALID_ARGUMENT    TSL_INVALID_ARGUMENT
#define TF_DEADLINE_EXCEEDED   TSL_DEADLINE_EXCEEDED
#define TF_NOT_FOUND           TSL_NOT_FOUND
#define TF_ALREADY_EXISTS      TSL_ALREADY_EXISTS
#define TF_PERMISSION_DENIED   TSL_PERMISSION_DENIED
#define TF_RESOURCE_EXHAUSTED  TSL_RESOURCE_EXHAUSTED
#define TF_FAILED_PRECONDITION TSL_FAILED_PRECONDITION
#define TF_ABORTED             TSL_ABORTED
#define TF_OUT_OF_RANGE        TSL_OUT_OF_RANGE
#define TF_UNIMPLEMENTED       TSL_UNIMPLEMENTED
#define TF_INTERNAL            TSL_INTERNAL
#define TF_UNAVAILABLE         TSL_UNAVAILABLE
#define TF_DATA_LOSS           TSL_DATA_LOSS
#define TF_UNAUTHENTICATED     TSL_UNAUTHENTICATED

typedef struct TSL_Status TSL_Status;
typedef TSL_Status TF_Status;
typedef TSL_Code TF_Code;

/* Called for each payload; the strings are valid only inside the call. */
typedef void (*TSL_PayloadVisitor)(const char *key, const char *value, void *capture);
typedef TSL_PayloadVisitor TF_PayloadVisitor;

/* New object, code OK, message ""; caller deletes.
 * Errors  never NULL in practice.
 */
TF_CAPI_EXPORT extern TF_Status *TF_NewStatus(void);

/* Frees.
 * Errors  NULL ok.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_DeleteStatus(TF_Status *);

/* Copies msg; wipes older code, message, payloads.
 * Errors  code OK -> message dropped. msg NULL: do not rely on it (C++ string view of NULL).
 */
TF_CAPI_EXPORT extern void TF_SetStatus(TF_Status *s, TF_Code code, const char *msg);

/* Copies key and value; same key overwrites.
 * Errors  no effect while code is OK.
 */
TF_CAPI_EXPORT extern void TF_SetPayload(TF_Status *s, const char *key, const char *value);

/* Strings valid only inside the callback.
 * Errors  callback type void (*)(const char *key, const char *value, void *capture).
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_ForEachPayload(const TF_Status *s, TSL_PayloadVisitor visitor,
                                             void *capture);

/* Errno -> code; message is "context; strerror".
 * Errors  see errno map below.
 */
TF_CAPI_EXPORT extern void TF_SetStatusFromIOError(TF_Status *s, int error_code,
                                                   const char *context);

/* Plain read.
 * Errors  NULL crashes.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_Code TF_GetCode(const TF_Status *s);

/* Borrowed, NUL-terminated, valid until next change of *s.
 * Errors  OK -> "".
 * @context no-allocation
 */
TF_CAPI_EXPORT extern const char *TF_Message(const TF_Status *s);

/* Twins under the TSL_* names, for bindings made by tools that call them directly. */
TF_CAPI_EXPORT extern TSL_Status *TSL_NewStatus(void);
TF_CAPI_EXPORT extern void TSL_DeleteStatus(TSL_Status *);
TF_CAPI_EXPORT extern void TSL_SetStatus(TSL_Status *s, TSL_Code code, const char *msg);
TF_CAPI_EXPORT extern void TSL_SetPayload(TSL_Status *s, const char *key, const char *value);
TF_CAPI_EXPORT extern void TSL_ForEachPayload(const TSL_Status *s, TSL_PayloadVisitor visitor,
                                              void *capture);
TF_CAPI_EXPORT extern void TSL_SetStatusFromIOError(TSL_Status *s, int error_code,
                                                    const char *context);
TF_CAPI_EXPORT extern TSL_Code TSL_GetCode(const TSL_Status *s);
TF_CAPI_EXPORT extern const char *TSL_Message(const TSL_Status *s);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_TF_STATUS_H_ */
