/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels pack once: the contract's call, and memory for a kernel that shares with nobody.
 * Who shares with whom is decided in src/session/packs.c.
 */
#include <string.h>

#include "base/alloc.h"
#include "kernel/construction_internal.h"

enum { LINE = 64 };

oribi_packed *oribi_packed_new(const TF_PackedConstant *wanted, TF_Status *status)
{
    oribi_packed *packed = oribi_alloc_zero(1, sizeof *packed);
    char *layout = oribi_strdup(wanted->layout);
    if (packed == NULL || layout == NULL) {
        oribi_free(packed);
        oribi_free(layout);
        oribi_fail_memory(status);
        return NULL;
    }
    packed->bytes = wanted->bytes;
    packed->inputs = wanted->inputs;
    packed->layout = layout;
    return packed;
}

void oribi_packed_free(oribi_packed *packed)
{
    if (packed != NULL) {
        oribi_free(packed->layout);
        oribi_free(packed);
    }
}

void oribi_packed_release(oribi_packed *packed)
{
    while (packed != NULL) {
        oribi_packed *next = packed->next;
        packed->release(packed);
        packed = next;
    }
}

static void release_own(oribi_packed *packed)
{
    oribi_free(packed->owner);
    oribi_packed_free(packed);
}

oribi_packed *oribi_packed_make(const TF_PackedConstant *wanted, TF_Status *status)
{
    oribi_packed *packed = oribi_packed_new(wanted, status);
    void *memory = packed != NULL ? oribi_alloc_aligned(wanted->bytes, LINE) : NULL;
    if (memory == NULL) {
        oribi_packed_free(packed);
        oribi_fail(status, TF_RESOURCE_EXHAUSTED, "no memory for %zu bytes of packed constants",
                   wanted->bytes);
        return NULL;
    }
    wanted->fill(wanted->arg, memory);
    packed->data = packed->owner = memory;
    packed->release = release_own;
    return packed;
}

const void *TF_OpKernelConstruction_PackedConstant(TF_OpKernelConstruction *ctx,
                                                   const TF_PackedConstant *packed,
                                                   TF_Status *status)
{
    const oribi_node_view *node = ctx->node;
    TF_SetStatus(status, TF_OK, "");
    if (packed == NULL || packed->struct_size < TF_PACKED_CONSTANT_STRUCT_SIZE ||
        packed->layout == NULL || packed->fill == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "a packed constant has a struct_size, a layout and a function that fills it");
        return NULL;
    }
    oribi_packed *made = node->packed_constant != NULL
                             ? node->packed_constant(node->arg, ctx->def, packed, status)
                             : oribi_packed_make(packed, status);
    if (made == NULL) {
        return NULL;
    }
    made->next = ctx->packed;
    ctx->packed = made;
    return made->data;
}
