/* SPDX-License-Identifier: Apache-2.0 */
/* What shape functions know of the values behind resource handles: read, set, merged, relaxed.
 * From node to node it travels in the graph: oribi_graph_infer.
 */
#include <inttypes.h>

#include "op/shape_internal.h"

/* How one shape takes in another; false: status is set. */
typedef bool (*combine_fn)(TF_ShapeInferenceContext *ctx, const oribi_shape *present,
                           const oribi_shape *added, oribi_shape *out, TF_Status *status);

static oribi_handle_data *find(TF_ShapeInferenceContext *ctx, bool is_input, int i,
                               TF_Status *status)
{
    int32_t count = is_input ? ctx->signature->n_inputs : ctx->signature->n_outputs;
    TF_SetStatus(status, TF_OK, "");
    if (i < 0 || i >= count) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "%s index out of range: %d of %" PRId32,
                   is_input ? "input" : "output", i, count);
        return NULL;
    }
    return is_input ? &ctx->input_handles[i] : &ctx->output_handles[i];
}

static int count_of(const oribi_handle_data *handles, int32_t count, int i)
{
    return i >= 0 && i < count ? handles[i].count : 0;
}

int TF_ShapeInferenceContextNumInputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i)
{
    return count_of(ctx->input_handles, ctx->signature->n_inputs, i);
}

int TF_ShapeInferenceContextNumOutputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i)
{
    return count_of(ctx->output_handles, ctx->signature->n_outputs, i);
}

static void read_part(TF_ShapeInferenceContext *ctx, bool is_input, int i, int k,
                      TF_ShapeHandle *shape, TF_DataType *dtype, TF_Status *status)
{
    if (!oribi_shape_begin(ctx, shape, status)) {
        return;
    }
    *dtype = (TF_DataType)0;
    const oribi_handle_data *data = find(ctx, is_input, i, status);
    if (data == NULL) {
        return;
    }
    if (k < 0 || k >= data->count) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "%s %d: shape and type index out of range: %d of %" PRId32,
                   is_input ? "input" : "output", i, k, data->count);
        return;
    }
    shape->shape = data->parts[k].shape;
    *dtype = data->parts[k].dtype;
}

void TF_ShapeInferenceContextInputHandleShapeAndType(TF_ShapeInferenceContext *ctx, int i, int k,
                                                     TF_ShapeHandle *shape, TF_DataType *dtype,
                                                     TF_Status *status)
{
    read_part(ctx, true, i, k, shape, dtype, status);
}

void TF_ShapeInferenceContextOutputHandleShapeAndType(TF_ShapeInferenceContext *ctx, int i, int k,
                                                      TF_ShapeHandle *shape, TF_DataType *dtype,
                                                      TF_Status *status)
{
    read_part(ctx, false, i, k, shape, dtype, status);
}

/* The caller's arrays as parts in the scratch. */
static bool take(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *const *shapes,
                 const TF_DataType *dtypes, int count, oribi_handle_data *out, TF_Status *status)
{
    if (count < 0 || (count > 0 && (shapes == NULL || dtypes == NULL))) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "%d shapes and types behind a handle: %s",
                          count, count < 0 ? "cannot be fewer than 0" : "an array is NULL");
    }
    oribi_handle_part *parts =
        oribi_claim_array(&ctx->scratch, (size_t)count + 1, sizeof *parts, status);
    ORIBI_TRY(parts != NULL);
    for (int k = 0; k < count; k++) {
        parts[k] = (oribi_handle_part){oribi_shape_of(shapes[k]), dtypes[k]};
    }
    *out = (oribi_handle_data){.parts = parts, .count = count};
    return true;
}

void TF_ShapeInferenceContextSetOutputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i,
                                                           TF_ShapeHandle *const *shapes,
                                                           const TF_DataType *dtypes, int count,
                                                           TF_Status *status)
{
    oribi_handle_data *data = find(ctx, false, i, status), taken;
    if (data != NULL && take(ctx, shapes, dtypes, count, &taken, status)) {
        *data = taken;
    }
}

/* A contradiction tells nothing: what was known stays. */
static bool merge_shapes(TF_ShapeInferenceContext *ctx, const oribi_shape *present,
                         const oribi_shape *added, oribi_shape *out, TF_Status *status)
{
    *out = present->rank < 0 ? *added : *present;
    if (present->rank < 0 || present->rank != added->rank) {
        return true;
    }
    oribi_shape merged;
    ORIBI_TRY(oribi_shape_new(ctx, present->rank, &merged, status));
    for (int32_t d = 0; d < merged.rank; d++) {
        if (!oribi_dims_merge(present->dims[d], added->dims[d], &merged.dims[d])) {
            return true;
        }
    }
    *out = merged;
    return true;
}

/* Only what both say. */
static bool relax_shapes(TF_ShapeInferenceContext *ctx, const oribi_shape *present,
                         const oribi_shape *added, oribi_shape *out, TF_Status *status)
{
    *out = oribi_shape_unknown(ctx);
    if (present->rank < 0 || present->rank != added->rank) {
        return true;
    }
    ORIBI_TRY(oribi_shape_new(ctx, present->rank, out, status));
    for (int32_t d = 0; d < out->rank; d++) {
        if (present->dims[d] == added->dims[d]) {
            out->dims[d] = present->dims[d];
        }
    }
    return true;
}

static bool is_same(const oribi_shape *a, const oribi_shape *b)
{
    bool same = a->rank == b->rank || (a->rank < 0 && b->rank < 0);
    for (int32_t d = 0; same && d < a->rank; d++) {
        same = a->dims[d] == b->dims[d] || (a->dims[d] < 0 && b->dims[d] < 0);
    }
    return same;
}

/* All of it or nothing; whether anything changed. */
static bool combine(TF_ShapeInferenceContext *ctx, oribi_handle_data *data,
                    const oribi_handle_data *added, combine_fn fn, TF_Status *status)
{
    bool changed = false;
    if (data->count != added->count) {
        return false;
    }
    oribi_handle_part *parts =
        oribi_claim_array(&ctx->scratch, (size_t)data->count + 1, sizeof *parts, status);
    ORIBI_TRY(parts != NULL);
    for (int32_t k = 0; k < data->count; k++) {
        const oribi_handle_part *old = &data->parts[k], *other = &added->parts[k];
        if (old->dtype != other->dtype && old->dtype != (TF_DataType)0) {
            return false;
        }
        parts[k].dtype = other->dtype;
        ORIBI_TRY(fn(ctx, &old->shape, &other->shape, &parts[k].shape, status));
        changed |= old->dtype != other->dtype || !is_same(&old->shape, &parts[k].shape);
    }
    if (changed) {
        data->parts = parts;
    }
    return changed;
}

static bool change(TF_ShapeInferenceContext *ctx, bool is_input, int i,
                   TF_ShapeHandle *const *shapes, const TF_DataType *dtypes, int count,
                   combine_fn fn, TF_Status *status)
{
    oribi_handle_data *data = find(ctx, is_input, i, status), added;
    ORIBI_TRY(data != NULL && take(ctx, shapes, dtypes, count, &added, status));
    if (data->count == 0) {
        *data = added;
        return count > 0;
    }
    return combine(ctx, data, &added, fn, status);
}

bool TF_ShapeInferenceContextMergeInputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i,
                                                            TF_ShapeHandle *const *shapes,
                                                            const TF_DataType *dtypes, int count,
                                                            TF_Status *status)
{
    return change(ctx, true, i, shapes, dtypes, count, merge_shapes, status);
}

bool TF_ShapeInferenceContextMergeOutputHandleShapesAndTypes(TF_ShapeInferenceContext *ctx, int i,
                                                             TF_ShapeHandle *const *shapes,
                                                             const TF_DataType *dtypes, int count,
                                                             TF_Status *status)
{
    return change(ctx, false, i, shapes, dtypes, count, merge_shapes, status);
}

bool TF_ShapeInferenceContextRelaxInputHandleShapesAndMergeTypes(TF_ShapeInferenceContext *ctx,
                                                                 int i,
                                                                 TF_ShapeHandle *const *shapes,
                                                                 const TF_DataType *dtypes,
                                                                 int count, TF_Status *status)
{
    return change(ctx, true, i, shapes, dtypes, count, relax_shapes, status);
}

bool TF_ShapeInferenceContextRelaxOutputHandleShapesAndMergeTypes(TF_ShapeInferenceContext *ctx,
                                                                  int i,
                                                                  TF_ShapeHandle *const *shapes,
                                                                  const TF_DataType *dtypes,
                                                                  int count, TF_Status *status)
{
    return change(ctx, false, i, shapes, dtypes, count, relax_shapes, status);
}

bool oribi_handle_data_copy(oribi_arena *arena, const oribi_handle_data *from,
                            oribi_handle_data *out)
{
    oribi_handle_part *parts = NULL;
    if (from->count == 0) {
        *out = (oribi_handle_data){.quantisation = from->quantisation};
        return true;
    }
    parts = oribi_arena_array(arena, (size_t)from->count, sizeof *parts);
    if (parts == NULL) {
        return false;
    }
    for (int32_t k = 0; k < from->count; k++) {
        parts[k].dtype = from->parts[k].dtype;
        if (!oribi_shape_take_out(arena, &from->parts[k].shape, &parts[k].shape)) {
            return false;
        }
    }
    *out = (oribi_handle_data){
        .parts = parts, .count = from->count, .quantisation = from->quantisation};
    return true;
}
