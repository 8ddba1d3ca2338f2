/* SPDX-License-Identifier: Apache-2.0 */
/* Scaled dot product attention as one op. Its meaning is that of ONNX's Attention without its
 * caches, which importers put before the keys and values: softcap before the mask, heads of queries
 * that share one of keys, a causal mask that begins or ends with the keys.
 */
#include <string.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Dims of input i in the order batch, heads, sequence, head size, whatever its layout. */
static bool read_operand(oribi_ops_ctx *ctx, int i, const char *layout_attr, int64_t out[4],
                         TF_Status *status)
{
    oribi_ops_shape shape;
    char layout[ORIBI_OPS_STRING];
    if (!oribi_ops_input_rank(ctx, i, 4, &shape, status) ||
        !oribi_ops_attr_string(ctx, layout_attr, layout, status)) {
        return false;
    }
    for (int axis = 0; axis < 4; axis++) {
        out[axis] = shape.at[strchr(layout, "BHSD"[axis]) - layout];
    }
    return true;
}

/* Batches repeat where one side has a single one. */
static bool merge_batch(int64_t *into, int64_t other, TF_Status *status)
{
    if (*into == 1 || other == 1) {
        *into = *into == 1 ? other : *into;
        return true;
    }
    return oribi_ops_merge_dim(into, other, status);
}

static void attention(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t q[4], k[4], v[4];
    char layout[ORIBI_OPS_STRING];
    if (!read_operand(ctx, 0, "query_layout", q, status) ||
        !read_operand(ctx, 1, "key_layout", k, status) ||
        !read_operand(ctx, 2, "value_layout", v, status) ||
        !oribi_ops_attr_string(ctx, "output_layout", layout, status) ||
        !oribi_ops_merge_dim(&q[3], k[3], status) || !oribi_ops_merge_dim(&k[2], v[2], status) ||
        !oribi_ops_merge_dim(&k[1], v[1], status) || !merge_batch(&k[0], v[0], status) ||
        !merge_batch(&q[0], k[0], status)) {
        return;
    }
    if (q[1] > 0 && k[1] > 0 && q[1] % k[1] != 0) {
        (void)oribi_ops_fail(status,
                             "%lld heads of queries cannot share %lld heads of keys and values",
                             (long long)q[1], (long long)k[1]);
        return;
    }
    const bool heads_last = strcmp(layout, "BSHD") == 0;
    const int64_t dims[] = {q[0], q[heads_last ? 2 : 1], q[heads_last ? 1 : 2], v[3]};
    oribi_ops_output_dims(ctx, 0, 4, dims, status);
}

const oribi_ops_row oribi_ops_attention[] = {
    {.name = "Oribi>Attention",
     .inputs = {"query: T", "key: T", "value: T", "mask: N * Tmask"},
     .outputs = {"output: T"},
     .attrs = {"T: {float}", "Tmask: {float, bool} = DT_FLOAT", "N: int >= 0 = 0",
               "query_layout: {'BHSD', 'BSHD'} = 'BHSD'",
               "key_layout: {'BHSD', 'BSHD', 'BHDS'} = 'BHSD'",
               "value_layout: {'BHSD', 'BSHD', 'BHDS'} = 'BHSD'",
               "output_layout: {'BHSD', 'BSHD'} = 'BHSD'", "scale: float = 0.0",
               "softcap: float = 0.0", "is_causal: bool = false", "causal_offset: int = 0",
               "safe_softmax: bool = true"},
     .shape = attention},
    {.name = NULL},
};
