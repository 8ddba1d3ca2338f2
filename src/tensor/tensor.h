/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors inside the house: the layout of TF_Tensor and of the counted buffer behind it.
 * Handles come from thread-local slabs (handle.h); dims are inline up to rank 8.
 */
#ifndef ORIBI_TENSOR_TENSOR_H_
#define ORIBI_TENSOR_TENSOR_H_

#include <stdatomic.h>

#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/c/tf_tstring.h"

enum { ORIBI_TENSOR_ALIGNMENT = 64, ORIBI_INLINE_RANK = 8, ORIBI_MAX_RANK = 254 };

/* Storage shared by tensors. `release` runs once, when the last reference goes. */
typedef struct oribi_buffer {
    void *data;
    size_t bytes;
    _Atomic int32_t references;
    bool library_owned; /* allocated by us on the heap: may be moved, strings are freed */
    bool has_strings;   /* elements are TF_TString: dealloc each before release */
    void (*release)(struct oribi_buffer *buffer);             /* frees data and the struct itself */
    void (*deallocator)(void *data, size_t bytes, void *arg); /* of TF_NewTensor */
    void *arg;
} oribi_buffer;

/* New buffer of 64-byte aligned heap memory, one reference; NULL: no memory. */
oribi_buffer *oribi_buffer_new(size_t bytes);
void oribi_buffer_retain(oribi_buffer *buffer);
void oribi_buffer_release(oribi_buffer *buffer); /* NULL ok */

struct TF_Tensor {
    void *data; /* into buffer, or the run's arena */
    size_t bytes;
    oribi_buffer *buffer; /* NULL: the storage belongs to a run's arena, counted by `owner` */
    int64_t *dims;        /* inline_dims, or heap for rank > 8 */
    int32_t rank;
    TF_DataType dtype;
    /* Called on delete of a handle whose buffer is NULL, so that a run sees open handles. The
     * session sets it; see src/session. */
    void (*on_delete)(void *owner, struct TF_Tensor *tensor);
    void *owner;
    int64_t inline_dims[ORIBI_INLINE_RANK];
};

/* Handle without storage from the slab of this thread, dims copied; NULL: no memory. */
TF_Tensor *oribi_tensor_handle(TF_DataType dtype, const int64_t *dims, int rank);
/* New handle on the same storage. */
TF_Tensor *oribi_tensor_share(const TF_Tensor *tensor);
/* Bytes of one element in memory (24 for strings, 8 for resource and variant handles). */
size_t oribi_dtype_bytes(TF_DataType dtype);
const char *oribi_dtype_name(TF_DataType dtype); /* "float", "int32", ...; "invalid" */
TF_DataType oribi_dtype_parse(const char *name, size_t length); /* 0 when unknown */

#endif
