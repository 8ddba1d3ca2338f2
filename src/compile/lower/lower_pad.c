/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of borders: of one value, or mirrored. */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/geometry/geometry_axes.h"
#include "micro/geometry/geometry_walk.h"
#include "micro/move/pad_axes.h"
#include "micro/move/pad_prepare.h"
#include "tensor/status.h"

typedef struct border {
    oribi_sizes dims;
    int32_t *pads; /* before and after of each */
    struct oribi_micro_pad_spec spec;
} border;

/* The paddings are a matrix [rank, 2] of int32 or int64. */
static bool read_pads(oribi_lowering *lowering, const oribi_call *call, border *b)
{
    const oribi_value *value = oribi_lower_input(lowering, call, 1);
    const bool is_wide = value->dtype == TF_INT64;
    if (oribi_lower_count(value) != 2 * (int64_t)b->spec.rank) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    const uint8_t *data = oribi_lower_constant(lowering, call, 1, is_wide ? TF_INT64 : TF_INT32);
    ORIBI_TRY(data != NULL);
    b->pads = oribi_claim_array(lowering->arena, 2 * (size_t)b->spec.rank + 1, sizeof *b->pads,
                                lowering->status);
    ORIBI_TRY(b->pads != NULL);
    for (int32_t i = 0; i < 2 * b->spec.rank; i++) {
        int64_t wide;
        if (is_wide) {
            memcpy(&wide, data + 8 * i, sizeof wide);
            b->pads[i] = wide < 0 || wide > INT32_MAX ? -1 : (int32_t)wide;
        } else {
            memcpy(&b->pads[i], data + 4 * i, sizeof b->pads[i]);
        }
    }
    b->spec.dims = b->dims.at;
    b->spec.pads = b->pads;
    return true;
}

static bool read_border(oribi_lowering *lowering, const oribi_call *call, border *b)
{
    memset(b, 0, sizeof *b);
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &b->dims, &b->spec.element_bytes));
    b->spec.rank = b->dims.n;
    return read_pads(lowering, call, b);
}

bool oribi_lower_pad(oribi_lowering *lowering, oribi_call *call)
{
    static const uint8_t nothing[8] = {0};
    border b;
    struct oribi_micro_pad_args args = {0};
    ORIBI_TRY(read_border(lowering, call, &b));
    b.spec.value = nothing;
    if (call->node->n_inputs > 2) {
        const oribi_value *value = oribi_lower_input(lowering, call, 2);
        b.spec.value = oribi_lower_constant(lowering, call, 2, value->dtype);
        ORIBI_TRY(b.spec.value != NULL);
        if (value->dtype != oribi_lower_input(lowering, call, 0)->dtype ||
            oribi_lower_count(value) != 1) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
    }
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_pad_prepare(&b.spec, &args)));
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "pad", pad, &args);
}

bool oribi_lower_mirror_pad(oribi_lowering *lowering, oribi_call *call)
{
    border b;
    struct oribi_micro_mirror_pad_args args = {0};
    ORIBI_TRY(read_border(lowering, call, &b));
    b.spec.reflects = oribi_lower_is(call, "mode", "REFLECT") ? 1 : 0;
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_mirror_pad_prepare(&b.spec, &args)));
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "mirror_pad", mirror_pad, &args);
}

/* --- ONNX's Pad ------------------------------------------------------------------------------- */

/* Dimension `axis` gets `before` and `after`; those below 0 are cut off first. */
static bool pad_axis(struct oribi_micro_pad_axes_args *args, int32_t axis, int32_t dim,
                     int64_t before, int64_t after)
{
    const int64_t first = before < 0 ? -before : 0, most = INT32_MAX / 4;
    const int64_t kept = dim - first + (after < 0 ? after : 0);
    if (before < -most || before > most || after < -most || after > most ||
        dim + before + after < 1 || (kept < 1 && args->mode != ORIBI_MICRO_PAD_FILLED)) {
        return false;
    }
    args->out[axis] = (int32_t)(dim + before + after);
    args->before[axis] = before > 0 ? (int32_t)before : 0;
    args->first[axis] = (int32_t)first;
    args->kept[axis] = kept > 0 ? (int32_t)kept : 0;
    return true;
}

static bool read_axes(oribi_lowering *lowering, const oribi_call *call, const oribi_sizes *dims,
                      struct oribi_micro_pad_axes_args *args)
{
    oribi_dims pads, axes, steps, wide = {0};
    if (dims->n < 1 || dims->n > ORIBI_MICRO_PAD_RANK) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
    }
    ORIBI_TRY(oribi_lower_ints(lowering, call, 1, &pads) &&
              oribi_lower_ints(lowering, call, 3, &axes));
    args->rank = dims->n;
    for (int32_t i = 0; i < dims->n; i++) {
        (void)oribi_dims_add(&wide, dims->at[i]);
        (void)pad_axis(args, i, dims->at[i], 0, 0);
    }
    oribi_geometry_steps(wide.at, dims->n, args->element_bytes, steps.at);
    for (int32_t i = 0; i < dims->n; i++) {
        args->step[i] = (int32_t)steps.at[i]; /* of a value below 2 GiB */
    }
    if (pads.n != 2 * axes.n) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    for (int32_t i = 0; i < axes.n; i++) {
        int32_t axis = 0;
        ORIBI_TRY(oribi_lower_axis(lowering, call, axes.at[i], dims->n, &axis));
        if (!pad_axis(args, axis, dims->at[axis], pads.at[i], pads.at[i + axes.n])) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
    }
    return true;
}

bool oribi_lower_pad_axes(oribi_lowering *lowering, oribi_call *call)
{
    static const char *const modes[] = {[ORIBI_MICRO_PAD_FILLED] = "constant",
                                        [ORIBI_MICRO_PAD_REFLECTED] = "reflect",
                                        [ORIBI_MICRO_PAD_REPEATED] = "edge",
                                        [ORIBI_MICRO_PAD_AROUND] = "wrap"};
    oribi_sizes dims;
    struct oribi_micro_pad_axes_args args = {0};
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &dims, &args.element_bytes));
    for (int32_t i = 0; i < 4; i++) {
        args.mode = oribi_lower_is(call, "mode", modes[i]) ? i : args.mode;
    }
    const void *value = oribi_lower_constant(lowering, call, 2, x->dtype);
    ORIBI_TRY(value != NULL && read_axes(lowering, call, &dims, &args));
    if (oribi_lower_count(oribi_lower_input(lowering, call, 2)) != 1) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    memcpy(args.value, value, (size_t)args.element_bytes);
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "pad_axes", pad_axes, &args);
}
