/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of other libraries: TF_Tensor to and from DLPack, over the same memory.
 *
 * Going out, one block has the managed struct, a further handle on the tensor, dims and strides.
 * Coming in, a counted buffer over the other's memory calls its deleter.
 */
#include "tensorflow/c/dlpack.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "micro/geometry/geometry_walk.h"
#include "tensor/status.h"
#include "tensor/storage.h"
#include "tensor/tensor.h"

enum { HOST = 1, CUDA_HOST = 3, ROCM_HOST = 11, MAJOR = 1, MINOR = 1 };

typedef struct type_row {
    uint8_t dtype, code, bits;
} type_row;

/* The first row of a code and width is what comes in. */
static const type_row types[] = {
    {TF_INT8, 0, 8},           {TF_INT16, 0, 16},
    {TF_INT32, 0, 32},         {TF_INT64, 0, 64},
    {TF_UINT8, 1, 8},          {TF_UINT16, 1, 16},
    {TF_UINT32, 1, 32},        {TF_UINT64, 1, 64},
    {TF_HALF, 2, 16},          {TF_FLOAT, 2, 32},
    {TF_DOUBLE, 2, 64},        {TF_BFLOAT16, 4, 16},
    {TF_COMPLEX64, 5, 64},     {TF_COMPLEX128, 5, 128},
    {TF_BOOL, 6, 8},           {TF_FLOAT8_E4M3B11FNUZ, 9, 8},
    {TF_FLOAT8_E4M3FN, 10, 8}, {TF_FLOAT8_E4M3FNUZ, 11, 8},
    {TF_FLOAT8_E5M2, 12, 8},   {TF_FLOAT8_E5M2FNUZ, 13, 8},
    {TF_FLOAT4_E2M1FN, 17, 4}, {TF_INT4, 0, 4},
    {TF_INT2, 0, 2},           {TF_UINT4, 1, 4},
    {TF_UINT2, 1, 2},          {TF_QINT8, 0, 8},
    {TF_QINT16, 0, 16},        {TF_QINT32, 0, 32},
    {TF_QUINT8, 1, 8},         {TF_QUINT16, 1, 16},
};
enum { N_TYPES = sizeof types / sizeof types[0] };

/* --- Out ------------------------------------------------------------------------------------- */

typedef struct outgoing {
    union {
        DLManagedTensorVersioned versioned;
        DLManagedTensor plain;
    } managed; /* first: a deleter finds the rest */
    TF_Tensor *tensor;
    int64_t sizes[]; /* rank dims, then rank strides */
} outgoing;

static void free_outgoing(outgoing *out)
{
    TF_DeleteTensor(out->tensor);
    oribi_free(out);
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    free_outgoing((outgoing *)(void *)self);
}

static void delete_plain(DLManagedTensor *self)
{
    free_outgoing((outgoing *)(void *)self);
}

static const type_row *row_of(TF_DataType dtype)
{
    for (int i = 0; i < N_TYPES; i++) {
        if (types[i].dtype == (uint8_t)dtype) {
            return &types[i];
        }
    }
    return NULL;
}

static TF_Tensor *share_or_copy(const TF_Tensor *tensor, unsigned flags)
{
    if ((flags & TF_DLPACK_COPY) == 0) {
        return oribi_tensor_share(tensor);
    }
    TF_Tensor *copy = TF_AllocateTensor(tensor->dtype, tensor->dims, tensor->rank, tensor->bytes);
    if (copy != NULL && tensor->bytes > 0) {
        memcpy(copy->data, tensor->data, tensor->bytes);
    }
    return copy;
}

/* The block with all but what differs between the two forms; NULL: status set. */
static outgoing *make(const TF_Tensor *tensor, unsigned flags, DLTensor *out, TF_Status *status)
{
    const type_row *row = row_of(tensor->dtype);
    TF_SetStatus(status, TF_OK, "");
    if (row == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "DLPack has no elements of type %s",
                   oribi_dtype_name(tensor->dtype));
        return NULL;
    }
    if (tensor->owner_ops != NULL && !tensor->owner_ops->is_plain(tensor)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "the tensor is in a device's memory or is written with a row stride: copy it "
                   "first");
        return NULL;
    }
    const size_t rank = (size_t)tensor->rank;
    outgoing *made = oribi_alloc_zero(1, sizeof *made + 2 * rank * sizeof made->sizes[0]);
    TF_Tensor *held = made != NULL ? share_or_copy(tensor, flags) : NULL;
    if (held == NULL) {
        oribi_free(made);
        oribi_fail_memory(status);
        return NULL;
    }
    made->tensor = held;
    memcpy(made->sizes, held->dims, rank * sizeof made->sizes[0]);
    oribi_geometry_steps(held->dims, held->rank, 1, made->sizes + rank);
    *out = (DLTensor){.data = TF_TensorElementCount(held) > 0 ? held->data : NULL,
                      .device = {HOST, 0},
                      .ndim = held->rank,
                      .dtype = {row->code, row->bits, 1},
                      .shape = made->sizes,
                      .strides = made->sizes + rank};
    return made;
}

DLManagedTensorVersioned *TF_TensorToDLPack(const TF_Tensor *tensor, unsigned flags,
                                            TF_Status *status)
{
    DLTensor content;
    outgoing *made = make(tensor, flags, &content, status);
    if (made == NULL) {
        return NULL;
    }
    const oribi_buffer *buffer = made->tensor->buffer;
    const bool is_read_only =
        (flags & TF_DLPACK_READ_ONLY) != 0 || (buffer != NULL && buffer->is_read_only);
    made->managed.versioned = (DLManagedTensorVersioned){
        .version = {MAJOR, MINOR},
        .manager_ctx = made,
        .deleter = delete_versioned,
        .flags = (is_read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0) |
                 ((flags & TF_DLPACK_COPY) != 0 ? DLPACK_FLAG_BITMASK_IS_COPIED : 0) |
                 (content.dtype.bits < 8 ? DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED : 0),
        .dl_tensor = content};
    return &made->managed.versioned;
}

DLManagedTensor *TF_TensorToDLPackUnversioned(const TF_Tensor *tensor, unsigned flags,
                                              TF_Status *status)
{
    DLTensor content;
    outgoing *made = make(tensor, flags, &content, status);
    if (made == NULL) {
        return NULL;
    }
    const oribi_buffer *buffer = made->tensor->buffer;
    if (content.dtype.bits < 8 || (flags & TF_DLPACK_READ_ONLY) != 0 ||
        (buffer != NULL && buffer->is_read_only)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "DLPack before 1.0 can say neither that a tensor is read-only nor that elements "
                   "of %d bits have a byte each: use TF_TensorToDLPack, or copy",
                   (int)content.dtype.bits);
        free_outgoing(made);
        return NULL;
    }
    made->managed.plain = (DLManagedTensor){content, made, delete_plain};
    return &made->managed.plain;
}

/* --- In -------------------------------------------------------------------------------------- */

typedef struct incoming {
    const DLTensor *content;
    bool is_padded, is_read_only;
    void (*release)(void *data, size_t bytes, void *managed);
    void *managed;
    TF_DataType dtype;
    size_t bytes; /* as we lay it out */
} incoming;

static void release_versioned(void *data, size_t bytes, void *managed)
{
    DLManagedTensorVersioned *self = managed;
    (void)data;
    (void)bytes;
    if (self->deleter != NULL) {
        self->deleter(self);
    }
}

static void release_plain(void *data, size_t bytes, void *managed)
{
    DLManagedTensor *self = managed;
    (void)data;
    (void)bytes;
    if (self->deleter != NULL) {
        self->deleter(self);
    }
}

static bool check(incoming *in, TF_Status *status)
{
    const DLTensor *t = in->content;
    in->dtype = (TF_DataType)0;
    for (int i = N_TYPES - 1; i >= 0; i--) {
        if (types[i].code == t->dtype.code && types[i].bits == t->dtype.bits) {
            in->dtype = (TF_DataType)types[i].dtype;
        }
    }
    if (in->dtype == 0 || t->dtype.lanes != 1) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "no element type is DLPack's code %d with %d bits and %d lanes",
                          (int)t->dtype.code, (int)t->dtype.bits, (int)t->dtype.lanes);
    }
    if (t->device.device_type != HOST && t->device.device_type != CUDA_HOST &&
        t->device.device_type != ROCM_HOST) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "the tensor is in memory of DLPack's device type %d: copy it to the host",
                          (int)t->device.device_type);
    }
    if (t->ndim < 0 || t->ndim > ORIBI_MAX_TENSOR_RANK || (t->ndim > 0 && t->shape == NULL) ||
        !oribi_size_of_dims(t->shape, t->ndim, oribi_dtype_bytes(in->dtype), &in->bytes) ||
        (in->bytes > 0 && t->data == NULL)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "the tensor has %d axes and at most %d can be, or its sizes are negative "
                          "or cannot be addressed, or it has elements and no memory",
                          (int)t->ndim, ORIBI_MAX_TENSOR_RANK);
    }
    return true;
}

/* Strides of axes with one index say nothing. */
static bool is_dense(const DLTensor *t, size_t bytes)
{
    int64_t step = 1;
    for (int i = t->ndim - 1; i >= 0 && t->strides != NULL && bytes > 0; i--) {
        if (t->shape[i] > 1 && t->strides[i] != step) {
            return false;
        }
        step *= t->shape[i];
    }
    return true;
}

static const uint8_t *first_byte(const DLTensor *t)
{
    return t->data != NULL ? (const uint8_t *)t->data + t->byte_offset : NULL;
}

/* Elements below 8 bits, the first in the lowest bits; signed ones with their sign. */
static void unpack(const incoming *in, uint8_t *to)
{
    const uint8_t *from = first_byte(in->content);
    const unsigned bits = in->content->dtype.bits;
    const unsigned mask = (1u << bits) - 1;
    const unsigned sign = in->content->dtype.code == 0 ? 1u << (bits - 1) : 0;
    for (size_t i = 0; i < in->bytes; i++) {
        const size_t at = i * bits;
        const unsigned value = ((unsigned)from[at / 8] >> (at % 8)) & mask;
        to[i] = (uint8_t)((value ^ sign) - sign);
    }
}

/* Line by line along the last axis. */
static void gather(const incoming *in, uint8_t *to)
{
    const DLTensor *t = in->content;
    const size_t element = oribi_dtype_bytes(in->dtype);
    oribi_wide_dims index = {0};
    const int last = t->ndim - 1;
    const uint8_t *from = first_byte(t);
    for (uint8_t *end = to + in->bytes; to < end;) {
        const uint8_t *line = from;
        for (int i = 0; i < last; i++) {
            line += index.at[i] * t->strides[i] * (int64_t)element;
        }
        for (int64_t k = 0; k < t->shape[last]; k++, to += element) {
            memcpy(to, line + k * t->strides[last] * (int64_t)element, element);
        }
        for (int i = last - 1; i >= 0 && ++index.at[i] == t->shape[i]; i--) {
            index.at[i] = 0;
        }
    }
}

static TF_Tensor *copy_in(const incoming *in, bool is_packed, bool dense, TF_Status *status)
{
    const DLTensor *t = in->content;
    TF_Tensor *made = TF_AllocateTensor(in->dtype, t->shape, t->ndim, in->bytes);
    if (made == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    if (is_packed) {
        unpack(in, made->data);
    } else if (!dense) {
        gather(in, made->data);
    } else if (in->bytes > 0) {
        memcpy(made->data, first_byte(t), in->bytes);
    }
    in->release(NULL, 0, in->managed);
    return made;
}

static TF_Tensor *wrap(const incoming *in, TF_Status *status)
{
    const DLTensor *t = in->content;
    TF_Tensor *made = oribi_tensor_handle(in->dtype, t->shape, t->ndim);
    oribi_buffer *buffer =
        made != NULL ? oribi_buffer_wrap((void *)first_byte(t), in->bytes, in->release, in->managed)
                     : NULL;
    if (buffer == NULL) {
        TF_DeleteTensor(made);
        oribi_fail_memory(status);
        return NULL;
    }
    buffer->is_read_only = in->is_read_only;
    made->buffer = buffer;
    made->data = buffer->data;
    made->bytes = in->bytes;
    return made;
}

static TF_Tensor *take(incoming *in, unsigned flags, TF_Status *status)
{
    if (!check(in, status)) {
        return NULL;
    }
    const bool is_packed = in->content->dtype.bits < 8 && !in->is_padded && in->bytes > 0;
    const bool dense = is_dense(in->content, in->bytes);
    const bool aligned = (uintptr_t)first_byte(in->content) % ORIBI_TENSOR_ALIGNMENT == 0;
    if (in->bytes == 0) { /* an address that is not NULL, as all tensors have */
        return copy_in(in, false, true, status);
    }
    if (!is_packed && dense && aligned) {
        return wrap(in, status);
    }
    const char *why = is_packed ? "its elements are packed below 8 bits"
                      : !dense  ? "it is not dense in row-major order"
                                : "it does not begin at a multiple of 64 bytes";
    if ((flags & TF_DLPACK_MAY_COPY) == 0 || (is_packed && !dense)) {
        oribi_fail(status, TF_FAILED_PRECONDITION, "the tensor cannot be used where it is: %s%s",
                   why,
                   is_packed && !dense ? ", nor is it dense: make it contiguous"
                                       : "; TF_DLPACK_MAY_COPY allows a copy");
        return NULL;
    }
    return copy_in(in, is_packed, dense, status);
}

TF_Tensor *TF_TensorFromDLPack(DLManagedTensorVersioned *managed, unsigned flags, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (managed == NULL || managed->version.major != MAJOR) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "%s: this is DLPack %d",
                   managed == NULL ? "there is no tensor (NULL)"
                                   : "the tensor is of another major version of DLPack",
                   MAJOR);
        return NULL;
    }
    incoming in = {.content = &managed->dl_tensor,
                   .is_padded = (managed->flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0,
                   .is_read_only = (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0,
                   .release = release_versioned,
                   .managed = managed};
    return take(&in, flags, status);
}

TF_Tensor *TF_TensorFromDLPackUnversioned(DLManagedTensor *managed, unsigned flags,
                                          TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    if (managed == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "there is no tensor (NULL)");
        return NULL;
    }
    incoming in = {.content = &managed->dl_tensor, .release = release_plain, .managed = managed};
    return take(&in, flags, status);
}
