/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what makes batches of blocks, and of what fills a tensor with one number. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/move/batch_blocks.h"
#include "tensor/status.h"

/* Pairs of numbers before and behind `n` dimensions; false: not constant, or not as many. */
static bool read_around(oribi_lowering *lowering, const oribi_call *call, int32_t n,
                        oribi_dims *out)
{
    const oribi_value *value = oribi_lower_input(lowering, call, 2);
    const bool is_wide = value->dtype == TF_INT64;
    const void *from = oribi_lower_constant(lowering, call, 2, is_wide ? TF_INT64 : TF_INT32);
    ORIBI_TRY(from != NULL);
    if (oribi_lower_count(value) != 2 * (int64_t)n) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    *out = (oribi_dims){.n = 2 * n};
    for (int32_t i = 0; i < 2 * n; i++) {
        out->at[i] = is_wide ? ((const int64_t *)from)[i] : ((const int32_t *)from)[i];
    }
    return true;
}

/* Paddings or crops are constant, of one or two dimensions behind the batch. */
static bool batch_space(oribi_lowering *lowering, oribi_call *call, bool to_space)
{
    oribi_sizes in, out;
    oribi_dims block, around;
    struct oribi_micro_batch_blocks_args args = {.to_space = to_space ? 1 : 0};
    ORIBI_TRY(
        oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 0), &in, &args.bytes) &&
        oribi_lower_sizes(lowering, call, oribi_lower_output(lowering, call), &out, NULL) &&
        oribi_lower_ints(lowering, call, 1, &block));
    const oribi_sizes *picture = to_space ? &out : &in, *small = to_space ? &in : &out;
    if (block.n < 1 || block.n > 2) {
        return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                          "node '%s' (%s): blocks of %d dimensions cannot be compiled to C yet; "
                          "those of one and two can",
                          call->node->name, call->node->op_name, (int)block.n);
    }
    ORIBI_TRY(read_around(lowering, call, block.n, &around));
    const int32_t last = block.n; /* dimension of columns */
    bool fits = in.n == out.n && in.n > last && in.n > 1;
    for (int32_t i = 0; fits && i < block.n; i++) {
        fits = block.at[i] >= 1 && block.at[i] <= INT32_MAX && around.at[2 * i] >= 0 &&
               around.at[2 * i] <= INT32_MAX / 2 && small->at[i + 1] <= INT32_MAX / 2 / block.at[i];
    }
    if (!fits) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    args.batch = picture->at[0];
    args.height = block.n == 2 ? picture->at[1] : 1;
    args.rows = block.n == 2 ? small->at[1] : 1;
    args.block_h = block.n == 2 ? (int32_t)block.at[0] : 1;
    args.top = block.n == 2 ? (int32_t)around.at[0] : 0;
    args.width = picture->at[last];
    args.columns = small->at[last];
    args.block_w = (int32_t)block.at[block.n - 1];
    args.left = (int32_t)around.at[2 * block.n - 2];
    for (int32_t i = last + 1; i < in.n; i++) {
        args.bytes *= in.at[i]; /* of less than 2^31: the picture has them all */
    }
    if ((int64_t)args.block_h * args.block_w * args.batch != small->at[0]) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "batch_blocks", batch_blocks, &args);
}

bool oribi_lower_space_to_batch(oribi_lowering *lowering, oribi_call *call)
{
    return batch_space(lowering, call, false);
}

bool oribi_lower_batch_to_space(oribi_lowering *lowering, oribi_call *call)
{
    return batch_space(lowering, call, true);
}

/* The result is the one number that `value` has, everywhere. */
static bool repeat(oribi_lowering *lowering, oribi_call *call, oribi_value_id value)
{
    oribi_sizes ignored;
    int32_t bytes;
    const oribi_value *y = oribi_lower_output(lowering, call);
    ORIBI_TRY(value >= 0 && oribi_lower_sizes(lowering, call, y, &ignored, &bytes));
    oribi_value_id *inputs =
        oribi_claim_array(lowering->arena, 1, sizeof *inputs, lowering->status);
    int32_t *count = oribi_claim_array(lowering->arena, 1, sizeof *count, lowering->status);
    int64_t *step = oribi_claim_array(lowering->arena, 1, sizeof *step, lowering->status);
    ORIBI_TRY(inputs != NULL && count != NULL && step != NULL);
    struct oribi_micro_move_args args;
    const struct oribi_micro_move_spec spec = {1, bytes, count, step, 0, 1};
    *inputs = value;
    *count = (int32_t)oribi_lower_count(y); /* 2 GiB at most: lower.c */
    call->inputs = inputs;
    return oribi_call_move(lowering, call, &spec, &args);
}

bool oribi_lower_fill(oribi_lowering *lowering, oribi_call *call)
{
    return oribi_lower_count(oribi_lower_input(lowering, call, 1)) == 1
               ? repeat(lowering, call, call->node->inputs[1])
               : oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

bool oribi_lower_zeros_like(oribi_lowering *lowering, oribi_call *call)
{
    static const int64_t one = 1;
    static const uint64_t zero[2] = {0};
    const TF_DataType dtype = oribi_lower_output(lowering, call)->dtype;
    return repeat(lowering, call,
                  oribi_graph_add_constant_copy(lowering->graph, "zero", dtype, &one, 1, zero,
                                                lowering->status));
}
