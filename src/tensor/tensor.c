/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Tensor: handles on storage. Not here: the storage (storage.c), the slabs (handle.c). */
#include "tensor/tensor.h"

#include <string.h>

#include "base/alloc.h"
#include "tensor/handle.h"
#include "tensor/owner.h"
#include "tensor/status.h"
#include "tensor/storage.h"

/* Gives the handle room for `rank` dims, in place where they fit; false: no memory, unchanged. */
static bool set_dims(TF_Tensor *tensor, const int64_t *dims, int rank)
{
    int64_t *room = tensor->inline_dims;
    if (rank > ORIBI_INLINE_RANK) {
        room = oribi_alloc_array((size_t)rank, sizeof(*room));
        if (room == NULL) {
            return false;
        }
    }
    if (rank > 0) {
        memmove(room, dims, (size_t)rank * sizeof(*room));
    }
    if (tensor->dims_on_heap) {
        oribi_free(tensor->dims);
    }
    tensor->dims = room;
    tensor->dims_on_heap = room != tensor->inline_dims;
    tensor->is_quick = tensor->is_quick && !tensor->dims_on_heap;
    tensor->rank = rank;
    return true;
}

TF_Tensor *oribi_tensor_handle(TF_DataType dtype, const int64_t *dims, int rank)
{
    if (rank < 0 || rank > ORIBI_MAX_TENSOR_RANK) {
        return NULL;
    }
    TF_Tensor *tensor = oribi_handle_new(ORIBI_HANDLE_TENSOR);
    if (tensor == NULL) {
        return NULL;
    }
    tensor->data = NULL;
    tensor->bytes = 0;
    tensor->buffer = NULL;
    tensor->dims = tensor->inline_dims;
    tensor->dims_on_heap = false;
    tensor->is_quick = false;
    tensor->dtype = dtype;
    tensor->owner_ops = NULL;
    tensor->owner = NULL;
    tensor->slot = NULL;
    tensor->place = NULL;
    if (!set_dims(tensor, dims, rank)) {
        oribi_handle_free(tensor);
        return NULL;
    }
    return tensor;
}

void oribi_tensor_handle_free(TF_Tensor *tensor)
{
    if (tensor != NULL && tensor->dims_on_heap) {
        oribi_free(tensor->dims);
    }
    oribi_handle_free(tensor);
}

/* Makes `to`, a handle of the slabs without storage, a further handle on the storage of `from`. */
static void join_storage(TF_Tensor *to, const TF_Tensor *from)
{
    if (from->owner_ops != NULL) {
        to->buffer = NULL;
        from->owner_ops->share(from, to);
        return;
    }
    to->data = from->data;
    to->bytes = from->bytes;
    to->buffer = from->buffer;
    if (to->buffer != NULL) {
        oribi_buffer_retain(to->buffer);
    }
}

TF_Tensor *oribi_tensor_share(const TF_Tensor *tensor)
{
    TF_Tensor *shared = oribi_tensor_handle(tensor->dtype, tensor->dims, tensor->rank);
    if (shared != NULL) {
        join_storage(shared, tensor);
    }
    return shared;
}

/* May a tensor of this type and shape be laid over `len` bytes? */
static bool fits(TF_DataType dtype, const int64_t *dims, int rank, size_t len)
{
    /* Resource elements are opaque; their size is told to nobody, so not checked. */
    size_t element = oribi_dtype_owns(dtype) ? oribi_dtype_bytes(dtype) : TF_DataTypeSize(dtype);
    size_t bytes = 0;
    return rank >= 0 && rank <= ORIBI_MAX_TENSOR_RANK && oribi_dtype_bytes(dtype) > 0 &&
           oribi_size_of_dims(dims, rank, element, &bytes) && bytes <= len;
}

/* Handle on a new buffer, whose reference it takes; NULL: no memory, buffer released. */
static TF_Tensor *tensor_over(TF_DataType dtype, const int64_t *dims, int rank,
                              oribi_buffer *buffer)
{
    TF_Tensor *tensor = buffer == NULL ? NULL : oribi_tensor_handle(dtype, dims, rank);
    if (tensor == NULL) {
        oribi_buffer_release(buffer);
        return NULL;
    }
    tensor->data = buffer->data;
    tensor->bytes = buffer->bytes;
    tensor->buffer = buffer;
    return tensor;
}

TF_Tensor *TF_AllocateTensor(TF_DataType dtype, const int64_t *dims, int num_dims, size_t len)
{
    if (!fits(dtype, dims, num_dims, len)) {
        return NULL;
    }
    oribi_buffer *buffer = oribi_buffer_new(len);
    if (buffer != NULL) {
        oribi_buffer_begin_elements(buffer, dtype);
    }
    return tensor_over(dtype, dims, num_dims, buffer);
}

static bool is_aligned(const void *data)
{
    return (uintptr_t)data % ORIBI_TENSOR_ALIGNMENT == 0;
}

/* Types whose elements are bytes and nothing else. */
static bool is_plain(TF_DataType dtype)
{
    return TF_DataTypeSize(dtype) > 0;
}

TF_Tensor *TF_NewTensor(TF_DataType dtype, const int64_t *dims, int num_dims, void *data,
                        size_t len, void (*deallocator)(void *data, size_t len, void *arg),
                        void *deallocator_arg)
{
    TF_Tensor *tensor = NULL;
    bool taken = false; /* the buffer will run the deallocator */
    if (fits(dtype, dims, num_dims, len)) {
        oribi_buffer *buffer = NULL;
        if (is_plain(dtype) && !is_aligned(data)) {
            buffer = oribi_buffer_new(len);
            if (buffer != NULL && len > 0) {
                memcpy(buffer->data, data, len);
            }
        } else {
            buffer = oribi_buffer_wrap(data, len, deallocator, deallocator_arg);
            taken = buffer != NULL;
        }
        tensor = tensor_over(dtype, dims, num_dims, buffer);
    }
    if (!taken && deallocator != NULL) {
        deallocator(data, len, deallocator_arg);
    }
    return tensor;
}

TF_Tensor *TF_TensorMaybeMove(TF_Tensor *tensor)
{
    const oribi_buffer *buffer = tensor->buffer;
    bool movable = tensor->owner_ops == NULL && buffer != NULL && buffer->library_owned &&
                   atomic_load_explicit(&buffer->references, memory_order_acquire) == 1;
    return movable ? tensor : NULL;
}

/* Kept out of the fast path, which then needs no stack. */
static __attribute__((noinline)) void delete_slow(TF_Tensor *tensor)
{
    if (tensor == NULL) {
        return;
    }
    if (tensor->owner_ops != NULL) {
        tensor->owner_ops->drop(tensor);
        return;
    }
    oribi_buffer_release(tensor->buffer);
    oribi_tensor_handle_free(tensor);
}

void TF_DeleteTensor(TF_Tensor *tensor)
{
    if (tensor != NULL && tensor->is_quick) {
        oribi_tensor_owner *owner = tensor->owner;
        if (oribi_tensor_owner_runs_here(owner)) {
            owner->open--;
            oribi_tensor_lay_back(tensor);
            return;
        }
    }
    delete_slow(tensor);
}

TF_DataType TF_TensorType(const TF_Tensor *tensor)
{
    return tensor->dtype;
}

/* A rank that cannot be had, or no memory for one above 8: dims stay, for want of a status. */
void TF_SetShape(TF_Tensor *tensor, const int64_t *dims, int num_dims)
{
    if (num_dims >= 0 && num_dims <= ORIBI_MAX_TENSOR_RANK) {
        (void)set_dims(tensor, dims, num_dims);
    }
}

int TF_NumDims(const TF_Tensor *tensor)
{
    return tensor->rank;
}

int64_t TF_Dim(const TF_Tensor *tensor, int dim_index)
{
    return dim_index >= 0 && dim_index < tensor->rank ? tensor->dims[dim_index] : -1;
}

size_t TF_TensorByteSize(const TF_Tensor *tensor)
{
    return tensor->bytes;
}

void *TF_TensorData(const TF_Tensor *tensor)
{
    return tensor->data;
}

int64_t TF_TensorElementCount(const TF_Tensor *tensor)
{
    uint64_t count = 1;
    for (int i = 0; i < tensor->rank; i++) {
        count *= (uint64_t)tensor->dims[i]; /* TF_SetShape checks nothing: wraps, defined */
    }
    return (int64_t)count;
}

/* The storage of `from`, seen with a type and dims. False: no memory, and nothing changed. */
static bool become(TF_Tensor *to, const TF_Tensor *from, TF_DataType type, const int64_t *dims,
                   int rank)
{
    if (!set_dims(to, dims, rank)) {
        return false;
    }
    to->dtype = type;
    if (to != from) { /* should both share the storage, `from` keeps it alive */
        if (to->owner_ops != NULL) {
            to->owner_ops->leave(to);
        } else {
            oribi_buffer_release(to->buffer);
        }
        join_storage(to, from);
    }
    return true;
}

bool oribi_tensor_become(TF_Tensor *to, const TF_Tensor *from, TF_Status *status)
{
    return become(to, from, from->dtype, from->dims, from->rank) || oribi_fail_memory(status);
}

void TF_TensorBitcastFrom(const TF_Tensor *from, TF_DataType type, TF_Tensor *to,
                          const int64_t *new_dims, int num_new_dims, TF_Status *status)
{
    size_t old_size = TF_DataTypeSize(from->dtype), new_size = TF_DataTypeSize(type);
    size_t old_bytes = 0, new_bytes = 0;
    if (old_size == 0 || new_size == 0) {
        (void)oribi_fail(status, TF_INVALID_ARGUMENT,
                         "bitcast from %s to %s: both types need elements of a fixed size",
                         oribi_dtype_name(from->dtype), oribi_dtype_name(type));
        return;
    }
    if (num_new_dims < 0 || num_new_dims > ORIBI_MAX_TENSOR_RANK ||
        !oribi_size_of_dims(new_dims, num_new_dims, new_size, &new_bytes) ||
        !oribi_size_of_dims(from->dims, from->rank, old_size, &old_bytes)) {
        (void)oribi_fail(status, TF_INVALID_ARGUMENT,
                         "bitcast from %s to %s: a dimension is negative or the shape is too large",
                         oribi_dtype_name(from->dtype), oribi_dtype_name(type));
        return;
    }
    if (old_bytes != new_bytes) {
        (void)oribi_fail(status, TF_INVALID_ARGUMENT,
                         "bitcast from %s to %s: the tensor has %zu bytes, the new shape needs %zu",
                         oribi_dtype_name(from->dtype), oribi_dtype_name(type), old_bytes,
                         new_bytes);
        return;
    }
    if (become(to, from, type, new_dims, num_new_dims)) {
        TF_SetStatus(status, TF_OK, "");
    } else {
        (void)oribi_fail_memory(status);
    }
}

bool TF_TensorIsAligned(const TF_Tensor *tensor)
{
    return tensor->dtype == TF_STRING || is_aligned(tensor->data);
}

size_t TF_TensorDefaultAlignment(void)
{
    return ORIBI_TENSOR_ALIGNMENT;
}
