/* SPDX-License-Identifier: Apache-2.0 */
#include "check/guard.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/storage.h"

enum { CANARY_BYTES = 256 }; /* on either side; a multiple of ORIBI_TENSOR_ALIGNMENT */

typedef struct oribi_guarded {
    uint8_t *all; /* canary, data, canary */
    size_t bytes; /* of the data */
    TF_DataType dtype;
    const char *what;
    int index;
    oribi_buffer *buffer; /* one reference */
    struct oribi_guarded *next;
} oribi_guarded;

static void free_block(void *data, size_t bytes, void *arg)
{
    oribi_guarded *block = arg;
    oribi_elements_free(block->dtype, data, bytes);
    oribi_free(block->all);
    oribi_free(block);
}

bool oribi_guards_begin(oribi_guards *guards, uint8_t pattern, TF_Status *status)
{
    *guards = (oribi_guards){.pattern = pattern};
    return oribi_mutex_init(&guards->lock) || oribi_fail_memory(status);
}

static uint8_t canary_of(const oribi_guards *guards)
{
    return guards->pattern ^ 0xff;
}

static oribi_guarded *new_block(const oribi_guards *guards, uint8_t pattern, TF_DataType dtype,
                                size_t bytes)
{
    size_t all = 0;
    oribi_guarded *block = oribi_alloc_zero(1, sizeof *block);
    if (block == NULL || !oribi_size_add(bytes, 2 * (size_t)CANARY_BYTES, &all)) {
        oribi_free(block);
        return NULL;
    }
    block->all = oribi_alloc_aligned(all, ORIBI_TENSOR_ALIGNMENT);
    block->bytes = bytes;
    block->dtype = dtype;
    block->buffer = block->all != NULL
                        ? oribi_buffer_wrap(block->all + CANARY_BYTES, bytes, free_block, block)
                        : NULL;
    if (block->buffer == NULL) {
        oribi_free(block->all);
        oribi_free(block);
        return NULL;
    }
    memset(block->all, canary_of(guards), all);
    memset(block->all + CANARY_BYTES, oribi_dtype_owns(dtype) ? 0 : pattern, bytes);
    return block;
}

TF_Tensor *oribi_guards_tensor(oribi_guards *guards, TF_DataType dtype, const int64_t *dims,
                               int rank, const char *what, int index, TF_Status *status)
{
    size_t bytes = 0;
    TF_Tensor *tensor = oribi_tensor_handle(dtype, dims, rank);
    oribi_guarded *block = NULL;
    if (tensor != NULL && oribi_size_of_dims(dims, rank, oribi_dtype_bytes(dtype), &bytes)) {
        /* a temporary that is handed on unread is not taken for an output that was not written */
        const uint8_t pattern = index >= 0 ? guards->pattern : guards->pattern ^ 0x3c;
        block = new_block(guards, pattern, dtype, bytes);
    }
    if (block == NULL) {
        TF_DeleteTensor(tensor);
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_mutex_lock(&guards->lock);
    block->what = what;
    block->index = index >= 0 ? index : guards->n_temps++;
    block->next = guards->first;
    guards->first = block;
    oribi_mutex_unlock(&guards->lock);
    oribi_buffer_retain(block->buffer);
    tensor->buffer = block->buffer;
    tensor->data = block->all + CANARY_BYTES;
    tensor->bytes = bytes;
    return tensor;
}

TF_Tensor *oribi_guards_copy(oribi_guards *guards, const TF_Tensor *tensor, int index,
                             TF_Status *status)
{
    if (tensor->dtype == TF_VARIANT) {
        TF_Tensor *shared = oribi_tensor_share(tensor);
        if (shared == NULL) {
            oribi_fail_memory(status);
        }
        return shared;
    }
    TF_Tensor *copy = oribi_guards_tensor(guards, tensor->dtype, tensor->dims, tensor->rank,
                                          "input", index, status);
    if (copy != NULL && tensor->dtype != TF_STRING && copy->bytes > 0) {
        memcpy(copy->data, tensor->data, copy->bytes);
    }
    for (size_t i = 0;
         copy != NULL && copy->dtype == TF_STRING && i < copy->bytes / sizeof(TF_TString); i++) {
        const TF_TString *from = (const TF_TString *)tensor->data + i;
        TF_TString_Copy((TF_TString *)copy->data + i, TF_TString_GetDataPointer(from),
                        TF_TString_GetSize(from));
    }
    return copy;
}

/* The first byte that is not as it should be; `bytes`: none. */
static size_t find_other(const uint8_t *at, size_t bytes, uint8_t wanted)
{
    size_t i = 0;
    while (i < bytes && at[i] == wanted) {
        i++;
    }
    return i;
}

void oribi_guards_find_damage(const oribi_guards *guards, oribi_text *text)
{
    const uint8_t canary = canary_of(guards);
    for (const oribi_guarded *b = guards->first; b != NULL; b = b->next) {
        const size_t before = find_other(b->all, CANARY_BYTES, canary);
        const uint8_t *end = b->all + CANARY_BYTES + b->bytes;
        const size_t after = find_other(end, CANARY_BYTES, canary);
        const char *between = text->length > 0 ? "; " : "out-of-bounds: ";
        if (before < CANARY_BYTES) {
            oribi_text_printf(text, "%swrote at byte -%zu of %s %d, before its start", between,
                              CANARY_BYTES - before, b->what, b->index);
            between = "; ";
        }
        if (after < CANARY_BYTES) {
            oribi_text_printf(text, "%swrote at byte %zu of %s %d, which has %zu", between,
                              b->bytes + after, b->what, b->index, b->bytes);
        }
    }
}

void oribi_guards_end(oribi_guards *guards)
{
    while (guards->first != NULL) {
        oribi_guarded *block = guards->first;
        guards->first = block->next;
        oribi_buffer_release(block->buffer); /* frees it, too, unless a handle is open */
    }
    oribi_mutex_destroy(&guards->lock);
}
