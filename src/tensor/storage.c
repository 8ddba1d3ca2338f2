/* SPDX-License-Identifier: Apache-2.0 */
/* Counted storage of tensors: heap memory of ours, or a caller's with its deallocator. */
#include <string.h>

#include "base/alloc.h"
#include "tensor/storage.h"
#include "tensorflow/c/variant.h"

enum { HEAD_BYTES = ORIBI_TENSOR_ALIGNMENT };
_Static_assert(sizeof(oribi_buffer) <= HEAD_BYTES, "struct and data share one block");

void oribi_elements_free(TF_DataType dtype, void *elements, size_t bytes)
{
    TF_TString *strings = elements;
    TF_VariantHead **variants = elements;
    for (size_t i = 0; dtype == TF_STRING && i < bytes / sizeof(*strings); i++) {
        TF_TString_Dealloc(&strings[i]);
    }
    for (size_t i = 0; dtype == TF_VARIANT && i < bytes / sizeof(*variants); i++) {
        if (variants[i] != NULL) {
            variants[i]->type->destroy(variants[i]);
        }
    }
}

size_t oribi_elements_held(TF_DataType dtype, const void *elements, size_t bytes)
{
    const TF_TString *strings = elements;
    size_t held = 0;
    for (size_t i = 0; dtype == TF_STRING && i < bytes / sizeof *strings; i++) {
        held += TF_TString_GetType(&strings[i]) == TF_TSTR_LARGE
                    ? TF_TString_GetCapacity(&strings[i])
                    : 0;
    }
    return held;
}

static void release_own(oribi_buffer *buffer)
{
    oribi_elements_free((TF_DataType)buffer->owned, buffer->data, buffer->bytes);
    oribi_free(buffer);
}

/* Zeros are empty strings and empty variants: safe to free before anybody has set them. */
void oribi_buffer_begin_elements(oribi_buffer *buffer, TF_DataType dtype)
{
    if (oribi_dtype_owns(dtype)) {
        memset(buffer->data, 0, buffer->bytes);
        buffer->owned = (uint8_t)dtype;
    }
}

oribi_buffer *oribi_buffer_new(size_t bytes)
{
    size_t total = 0;
    /* Data is padded to whole alignments, and is never of size 0: vector code may load the last one
     * whole. */
    if (!oribi_size_add(bytes == 0 ? 1 : bytes, HEAD_BYTES, &total) ||
        !oribi_size_round_up(total, HEAD_BYTES, &total)) {
        return NULL;
    }
    oribi_buffer *buffer = oribi_alloc_aligned(total, ORIBI_TENSOR_ALIGNMENT);
    if (buffer == NULL) {
        return NULL;
    }
    *buffer = (oribi_buffer){.data = (char *)buffer + HEAD_BYTES,
                             .bytes = bytes,
                             .references = 1,
                             .library_owned = true,
                             .release = release_own};
    return buffer;
}

static void release_foreign(oribi_buffer *buffer)
{
    oribi_buffer taken = {.data = buffer->data,
                          .bytes = buffer->bytes,
                          .deallocator = buffer->deallocator,
                          .arg = buffer->arg};
    oribi_handle_free(buffer);
    if (taken.deallocator != NULL) {
        taken.deallocator(taken.data, taken.bytes, taken.arg);
    }
}

oribi_buffer *oribi_buffer_wrap(void *data, size_t bytes,
                                void (*deallocator)(void *data, size_t bytes, void *arg), void *arg)
{
    oribi_buffer *buffer = oribi_handle_new(ORIBI_HANDLE_BUFFER);
    if (buffer != NULL) {
        *buffer = (oribi_buffer){.data = data,
                                 .bytes = bytes,
                                 .references = 1,
                                 .release = release_foreign,
                                 .deallocator = deallocator,
                                 .arg = arg};
    }
    return buffer;
}

void oribi_buffer_retain(oribi_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
}

void oribi_buffer_release(oribi_buffer *buffer)
{
    /* Release and acquire: all writes through other handles come before the memory goes. */
    if (buffer != NULL &&
        atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) == 1) {
        buffer->release(buffer);
    }
}
