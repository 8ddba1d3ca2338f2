/* SPDX-License-Identifier: Apache-2.0 */
/* See packed_weights.h. */
#include "cpu/product/packed_weights.h"

#include "micro/geometry/geometry_walk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

bool oribi_weights_constant(oribi_kit_setup *setup, int index, int rank, oribi_weights_view *out)
{
    TF_ConstantView view = {.struct_size = TF_CONSTANT_VIEW_STRUCT_SIZE};
    if (setup->state == NULL || TF_GetCode(setup->status) != TF_OK ||
        !TF_OpKernelConstruction_ConstantView(setup->construction, index, &view) ||
        view.rank != rank || view.dtype != (int32_t)TF_FLOAT) {
        return false;
    }
    out->data = view.data;
    return oribi_dims_set(&out->dims, view.dims, rank) &&
           oribi_dims_set(&out->strides, view.strides, rank);
}

bool oribi_weights_input(oribi_kit_run *run, int index, int rank, oribi_weights_view *out)
{
    const TF_Tensor *tensor = NULL;
    for (int i = 0; i < run->n_in; i++) {
        tensor = i == index ? run->in[i] : tensor;
    }
    if (tensor == NULL) {
        return oribi_kit_fail(run, TF_INTERNAL, "input %d could not be packed", index);
    }
    out->data = TF_TensorData(tensor);
    if (TF_TensorType(tensor) != TF_FLOAT || TF_NumDims(tensor) != rank ||
        !oribi_dims_fill(&out->dims, rank, 0) || !oribi_dims_fill(&out->strides, rank, 0)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d must be float of rank %d, not %d",
                              index, rank, TF_NumDims(tensor));
    }
    for (int i = 0; i < rank; i++) {
        out->dims.at[i] = TF_Dim(tensor, i);
    }
    oribi_geometry_steps(out->dims.at, rank, (int64_t)sizeof(float), out->strides.at);
    return true;
}

void oribi_weights_read(void *arg, const char *from, int64_t bytes)
{
    const oribi_weights_reader *reader = arg;
    TF_OpKernelConstruction_ConstantRead(reader->construction, reader->index, from, (size_t)bytes);
}

/* Bytes for `count` floats: whole cache lines, and one more, for loops may read past the last
 * panel. False: too many. */
static bool bytes_of(int64_t count, int64_t *out)
{
    enum { FLOATS = LINE / sizeof(float) };
    int64_t floats = 0;
    return count >= 0 && oribi_count_round_up(count, FLOATS, &floats) &&
           !__builtin_add_overflow(floats, FLOATS, &floats) &&
           !__builtin_mul_overflow(floats, (int64_t)sizeof(float), out);
}

float *oribi_weights_allocate(oribi_kit_setup *setup, int64_t count)
{
    void *memory = NULL;
    int64_t bytes = 0;
    if (setup->state != NULL && bytes_of(count, &bytes) &&
        (memory = aligned_alloc(LINE, (size_t)bytes)) == NULL) {
        (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED,
                                   "no memory for %lld packed weights", (long long)count);
    }
    return memory;
}

typedef struct filling {
    const oribi_weights_packing *packing;
    size_t bytes;
} filling;

static void fill_weights(void *arg, void *to)
{
    const filling *f = arg;
    const size_t used = (size_t)f->packing->count * sizeof(float);
    f->packing->fill(f->packing->arg, to);
    memset((char *)to + used, 0, f->bytes - used);
}

const float *oribi_weights_pack(oribi_kit_setup *setup, const oribi_weights_packing *packing,
                                const char *layout, ...)
{
    char text[128];
    int64_t bytes = 0;
    va_list args;
    if (setup->state == NULL || TF_GetCode(setup->status) != TF_OK ||
        !bytes_of(packing->count, &bytes)) {
        return NULL;
    }
    va_start(args, layout);
    (void)vsnprintf(text, sizeof text, layout, args);
    va_end(args);
    filling all = {packing, (size_t)bytes};
    const TF_PackedConstant wanted = {.struct_size = TF_PACKED_CONSTANT_STRUCT_SIZE,
                                      .inputs = packing->inputs,
                                      .layout = text,
                                      .bytes = (size_t)bytes,
                                      .fill = fill_weights,
                                      .arg = &all};
    return TF_OpKernelConstruction_PackedConstant(setup->construction, &wanted, setup->status);
}

int64_t oribi_weights_count(const oribi_gemm_variant *variant, int64_t groups, int64_t k, int64_t n)
{
    int64_t most = 0;
    if (__builtin_mul_overflow(groups, k, &most) ||
        __builtin_mul_overflow(most, n + variant->width, &most) || most > INT64_MAX / 16) {
        return -1;
    }
    return groups * oribi_gemm_packed_count(variant, k, n);
}
