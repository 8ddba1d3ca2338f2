/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors inside the house: the layout of TF_Tensor and of the counted buffer behind it.
 * Handles come from thread-local slabs (handle.h); dims are inline up to rank 8.
 */
#ifndef ORIBI_TENSOR_TENSOR_H_
#define ORIBI_TENSOR_TENSOR_H_

#include <stdatomic.h>

#include "micro/dims.h"
#include "tensorflow/c/tf_tensor.h"
#include "tensorflow/c/tf_tstring.h"

enum { ORIBI_TENSOR_ALIGNMENT = 64, ORIBI_INLINE_RANK = 8 };

/* Storage shared by tensors. `release` runs once, when the last reference goes. */
typedef struct oribi_buffer {
    void *data;
    size_t bytes;
    _Atomic int32_t references;
    bool library_owned;    /* allocated by us on the heap: may be moved, strings are freed */
    uint8_t owned;         /* a TF_DataType whose elements own memory, freed before release; or 0 */
    bool is_read_only;     /* memory of another library that nobody may write (dlpack.c) */
    _Atomic bool is_spare; /* a run keeps it for results to come */
    void (*release)(struct oribi_buffer *buffer);             /* frees data and the struct itself */
    void (*deallocator)(void *data, size_t bytes, void *arg); /* of TF_NewTensor */
    void *arg;
    size_t held; /* of the heap of C: what its texts were counted with when that was done last */
} oribi_buffer;

/* New buffer of 64-byte aligned heap memory, one reference; NULL: no memory. */
oribi_buffer *oribi_buffer_new(size_t bytes);
/* Do elements of the type own memory, so that their bytes alone are no copy of them? */
static inline bool oribi_dtype_owns(TF_DataType dtype)
{
    return dtype == TF_STRING || dtype == TF_VARIANT;
}
/* Makes elements that own memory empty, and lets the buffer, one of oribi_buffer_new or of the same
 * release, free them at its end. Nothing for other types. */
void oribi_buffer_begin_elements(oribi_buffer *buffer, TF_DataType dtype);
/* Frees what the elements own; the bytes themselves are the caller's. Nothing for other types. */
void oribi_elements_free(TF_DataType dtype, void *elements, size_t bytes);
/* Bytes of the heap of C that texts among the elements own. */
size_t oribi_elements_held(TF_DataType dtype, const void *elements, size_t bytes);
void oribi_buffer_retain(oribi_buffer *buffer);
void oribi_buffer_release(oribi_buffer *buffer); /* NULL ok */

/* What a run context, the owner of storage, begins with: all that deleting one of its handles takes
 * on the thread that runs it. */
typedef struct oribi_tensor_owner {
    _Atomic(const void *) thread; /* oribi_thread_self() of the one that runs; NULL: none */
    int64_t open;                 /* handles that the running thread made, less those it dropped */
} oribi_tensor_owner;

/* Storage that a run context owns (an arena, a constant, a caller's input). Any thread may call. */
typedef struct oribi_tensor_owner_ops {
    /* TF_DeleteTensor calls this and does nothing else: the owner takes the handle back, with
     * oribi_tensor_handle_free when it came from the slabs. */
    void (*drop)(struct TF_Tensor *tensor);
    /* Makes `to`, a handle of the slabs without storage, one more handle on the storage of `from`:
     * sets data, bytes, owner_ops, owner and slot; dims and dtype are the caller's matter. */
    void (*share)(const struct TF_Tensor *from, struct TF_Tensor *to);
    /* The handle gives its storage up (TF_TensorBitcastFrom) and becomes a plain one of the slabs:
     * owner_ops, owner and slot NULL. */
    void (*leave)(struct TF_Tensor *tensor);
    /* Is the storage dense, and in the host's memory? */
    bool (*is_plain)(const struct TF_Tensor *tensor);
} oribi_tensor_owner_ops;

struct TF_Tensor {
    /* The first five as in oribi_slot (kernel/context.h), which copies them in one go. */
    void *data; /* into buffer, or into storage of the owner */
    size_t bytes;
    int64_t *dims; /* inline_dims, a heap block (dims_on_heap), or memory of the owner */
    int32_t rank;
    TF_DataType dtype;
    oribi_buffer *buffer; /* NULL: without storage yet, or the storage belongs to `owner` */
    bool dims_on_heap;    /* rank > 8: freed with the handle */
    bool is_quick;        /* deleting it on the running thread is to lay it back into *place */
    /* Set only while a run context owns the storage; see src/kernel/context.h. A handle that drops
     * its storage for another (TF_TensorBitcastFrom) goes through these as well. */
    const oribi_tensor_owner_ops *owner_ops;
    void *owner; /* an oribi_tensor_owner */
    void *slot;  /* the owner's mark */
    struct TF_Tensor **place;
    int64_t inline_dims[ORIBI_INLINE_RANK];
};

/* Gives the struct back to the slab it came from (any thread), dims on the heap included; touches
 * no storage. */
void oribi_tensor_handle_free(TF_Tensor *tensor);
/* Handle without storage from the slab of this thread, dims copied; NULL: no memory, or a rank
 * outside 0..ORIBI_MAX_TENSOR_RANK. */
TF_Tensor *oribi_tensor_handle(TF_DataType dtype, const int64_t *dims, int rank);
/* New handle on the same storage; NULL: no memory. */
TF_Tensor *oribi_tensor_share(const TF_Tensor *tensor);
/* The handle `to` lets go of what it has and takes type, dims and storage of `from`, which stays
 * as it is. False: no memory, and nothing changed. */
bool oribi_tensor_become(TF_Tensor *to, const TF_Tensor *from, TF_Status *status);
/* Bytes of one element in memory (24 for strings, 8 for resource and variant handles). */
size_t oribi_dtype_bytes(TF_DataType dtype);
const char *oribi_dtype_name(TF_DataType dtype); /* "float", "int32", ...; "invalid" */
TF_DataType oribi_dtype_parse(const char *name, size_t length); /* 0 when unknown */

#endif
