/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of space moved into depth or batch, and back. */
#include <inttypes.h>
#include <string.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Tensor dimensions of height, width and depth. */
static bool read_layout(oribi_ops_ctx *ctx, int out[3], bool *out_vectored, TF_Status *status)
{
    char format[ORIBI_OPS_STRING];
    if (!oribi_ops_attr_string(ctx, "data_format", format, status)) {
        return false;
    }
    bool channels_first = format[1] == 'C';
    out[0] = channels_first ? 2 : 1;
    out[1] = channels_first ? 3 : 2;
    out[2] = channels_first ? 1 : 3;
    *out_vectored = strstr(format, "VECT") != NULL;
    return true;
}

typedef bool (*scaling)(int64_t a, int64_t b, int64_t *out, TF_Status *status);

/* Height and width change the one way, the channels by its square the other. */
static void scale_blocks(oribi_ops_ctx *ctx, scaling space, scaling depth, TF_Status *status)
{
    oribi_ops_shape shape;
    int at[3];
    bool vectored;
    int64_t block, square;
    if (read_layout(ctx, at, &vectored, status) && !vectored &&
        oribi_ops_input_rank(ctx, 0, 4, &shape, status) &&
        oribi_ops_attr_int(ctx, "block_size", &block, status) &&
        oribi_ops_multiply(block, block, &square, status) &&
        space(shape.at[at[0]], block, &shape.at[at[0]], status) &&
        space(shape.at[at[1]], block, &shape.at[at[1]], status) &&
        depth(shape.at[at[2]], square, &shape.at[at[2]], status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static void depth_to_space(oribi_ops_ctx *ctx, TF_Status *status)
{
    scale_blocks(ctx, oribi_ops_multiply, oribi_ops_divide_evenly, status);
}

static void space_to_depth(oribi_ops_ctx *ctx, TF_Status *status)
{
    scale_blocks(ctx, oribi_ops_divide_evenly, oribi_ops_multiply, status);
}

/* Holds what SpaceToBatchND and BatchToSpaceND have in common. */
typedef struct batch_blocks {
    oribi_ops_shape shape;
    int64_t n_blocks;                      /* -1: unknown */
    oribi_wide_dims blocks, before, after; /* n is -1 where the values are not known */
} batch_blocks;

static bool read_blocks(oribi_ops_ctx *ctx, batch_blocks *b, TF_Status *status)
{
    oribi_ops_shape vector, pairs;
    if (!oribi_ops_input(ctx, 0, &b->shape, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &vector, status) ||
        !oribi_ops_input_rank(ctx, 2, 2, &pairs, status) ||
        !oribi_ops_merge_dim(&pairs.at[1], 2, status) ||
        !oribi_ops_merge_dim(&vector.at[0], pairs.at[0], status) ||
        !oribi_ops_input_list(ctx, 1, &b->blocks, status) ||
        !oribi_ops_input_pairs(ctx, 2, &b->before, &b->after, status)) {
        return false;
    }
    b->n_blocks = vector.at[0];
    for (int64_t i = 0; i < b->blocks.n; i++) {
        if (b->blocks.at[i] < 1) {
            return oribi_ops_fail(status, "block_shape must be positive, but holds %" PRId64,
                                  b->blocks.at[i]);
        }
    }
    for (int64_t i = 0; i < b->before.n; i++) {
        if (b->before.at[i] < 0 || b->after.at[i] < 0) {
            return oribi_ops_fail(status,
                                  "paddings and crops cannot be negative, but hold "
                                  "%" PRId64,
                                  b->before.at[i] < 0 ? b->before.at[i] : b->after.at[i]);
        }
    }
    return b->n_blocks < 0 || oribi_ops_at_least(&b->shape, b->n_blocks + 1, status);
}

/* The result has the input's rank; nothing more without the blocks. */
static bool is_open(oribi_ops_ctx *ctx, const batch_blocks *b, TF_Status *status)
{
    oribi_ops_shape result;
    if (b->shape.n >= 0 && b->n_blocks >= 0) {
        return false;
    }
    if (b->shape.n >= 0) {
        oribi_ops_set_unknown_dims(&result, b->shape.n);
    } else {
        oribi_ops_set_unknown(&result);
    }
    oribi_ops_output(ctx, 0, &result, status);
    return true;
}

static bool to_batch_dim(const batch_blocks *b, int64_t i, int64_t *dim, TF_Status *status)
{
    return oribi_ops_add(*dim, b->before.at[i], dim, status) &&
           oribi_ops_add(*dim, b->after.at[i], dim, status) &&
           oribi_ops_divide_evenly(*dim, b->blocks.at[i], dim, status);
}

static bool to_space_dim(const batch_blocks *b, int64_t i, int64_t *dim, TF_Status *status)
{
    return oribi_ops_multiply(*dim, b->blocks.at[i], dim, status) &&
           oribi_ops_subtract(*dim, b->before.at[i], dim, status) &&
           oribi_ops_subtract(*dim, b->after.at[i], dim, status);
}

static void move_blocks(oribi_ops_ctx *ctx, bool to_batch, TF_Status *status)
{
    batch_blocks b;
    if (!read_blocks(ctx, &b, status) || is_open(ctx, &b, status)) {
        return;
    }
    int64_t *batch = &b.shape.at[0];
    *batch = b.blocks.n < 0 ? -1 : *batch;
    for (int64_t i = 0; i < b.n_blocks; i++) {
        int64_t *dim = &b.shape.at[i + 1];
        if (b.blocks.n >= 0 && !(to_batch ? oribi_ops_multiply : oribi_ops_divide_evenly)(
                                   *batch, b.blocks.at[i], batch, status)) {
            return;
        }
        if (b.blocks.n < 0 || b.before.n < 0) {
            *dim = -1;
        } else if (!(to_batch ? to_batch_dim : to_space_dim)(&b, i, dim, status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &b.shape, status);
}

static void space_to_batch(oribi_ops_ctx *ctx, TF_Status *status)
{
    move_blocks(ctx, true, status);
}

static void batch_to_space(oribi_ops_ctx *ctx, TF_Status *status)
{
    move_blocks(ctx, false, status);
}

const oribi_ops_row oribi_ops_space[] = {
    {.name = "DepthToSpace",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; block_size: int >= 2; "
              "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     .traits = "rearranges",
     .shape = depth_to_space},
    {.name = "SpaceToDepth",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type; block_size: int >= 2; "
              "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     .traits = "rearranges",
     .shape = space_to_depth},
    {.name = "SpaceToBatchND",
     .inputs = "input: T; block_shape: Tblock_shape; paddings: Tpaddings",
     .outputs = "output: T",
     .attrs =
         "T: type; Tblock_shape: " ORIBI_OPS_INDEX_DEFAULT "; Tpaddings: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "parameters(block_shape, paddings)",
     .shape = space_to_batch},
    {.name = "BatchToSpaceND",
     .inputs = "input: T; block_shape: Tblock_shape; crops: Tcrops",
     .outputs = "output: T",
     .attrs =
         "T: type; Tblock_shape: " ORIBI_OPS_INDEX_DEFAULT "; Tcrops: " ORIBI_OPS_INDEX_DEFAULT,
     .traits = "moves(input); parameters(block_shape, crops)",
     .shape = batch_to_space},
    /* Ours: channels [groups, each] become [each, groups], in each pixel. */
    {.name = "Oribi>ChannelShuffle",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type; groups: int >= 1",
     .traits = "rearranges(x); along(x, -1)",
     .shape = oribi_ops_shape_unchanged},
    {.name = NULL},
};
