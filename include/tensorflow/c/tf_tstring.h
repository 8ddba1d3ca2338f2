/* SPDX-License-Identifier: Apache-2.0 */
/* Exported twins of the inline string functions, for bindings that cannot compile C headers.
 * Layout, kinds and rules: ctstring.h.
 */
#ifndef ORIBI_TENSORFLOW_C_TF_TSTRING_H_
#define ORIBI_TENSORFLOW_C_TF_TSTRING_H_

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/ctstring.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroes the 24 bytes, which is "". Does not free.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_StringInit(TF_TString *t);

/* Copies the bytes; becomes SMALL or LARGE. dst must be initialised. */
TF_CAPI_EXPORT extern void TF_StringCopy(TF_TString *dst, const char *src, size_t size);

/* VIEW on caller memory, no copy; src must outlive dst.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_StringAssignView(TF_TString *dst, const char *src, size_t size);

/* Borrowed; SMALL points inside the struct. Not always NUL-terminated for VIEW and OFFSET.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern const char *TF_StringGetDataPointer(const TF_TString *tstr);

TF_CAPI_EXPORT extern TF_TString_Type TF_StringGetType(const TF_TString *str);

/* Bytes of text.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern size_t TF_StringGetSize(const TF_TString *tstr);

/* 22 for SMALL, the capacity for LARGE, 0 for VIEW and OFFSET.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern size_t TF_StringGetCapacity(const TF_TString *str);

/* Frees LARGE text and makes such a string ""; other kinds stay.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_StringDealloc(TF_TString *tstr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_TF_TSTRING_H_ */
