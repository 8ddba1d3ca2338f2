/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of borders: of one value, or mirrored. */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
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
    b->pads = oribi_arena_array(lowering->arena, 2 * (size_t)b->spec.rank + 1, sizeof *b->pads);
    if (b->pads == NULL) {
        return oribi_fail_memory(lowering->status);
    }
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
