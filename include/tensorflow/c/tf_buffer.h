/* SPDX-License-Identifier: Apache-2.0 */
/* Buffer: bytes with a deallocator; clients read and write the fields.
 */
#ifndef ORIBI_TENSORFLOW_C_TF_BUFFER_H_
#define ORIBI_TENSORFLOW_C_TF_BUFFER_H_

#include "c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Buffer {
    const void *data;
    size_t length;
    void (*data_deallocator)(void *data, size_t length);
} TF_Buffer;

/* Copies bytes, sets its own data_deallocator; caller deletes. */
TF_CAPI_EXPORT extern TF_Buffer *TF_NewBufferFromString(const void *proto, size_t proto_len);

/* Empty: data=NULL, length=0, data_deallocator=NULL; caller deletes. */
TF_CAPI_EXPORT extern TF_Buffer *TF_NewBuffer(void);

/* Calls data_deallocator(data,length) when non-NULL, then frees struct.
 * Errors  NULL ok.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_DeleteBuffer(TF_Buffer *);

/* Struct copy by value (24 bytes, hidden return pointer).
 * Errors  data stays owned by the source.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_Buffer TF_GetBuffer(TF_Buffer *buffer);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_TF_BUFFER_H_ */
