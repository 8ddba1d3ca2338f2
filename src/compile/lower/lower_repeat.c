/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what takes elements of any type from regular places: channel shuffles, tiles,
 * broadcasts. Transposes and slices: lower_move.c, which has the same kernel.
 */
#include "compile/lower/float/lower_f32.h"
#include "compile/lower/lower_parts.h"
#include "micro/geometry/geometry_walk.h"
#include "tensor/status.h"

typedef struct box { /* dims of the output, each with its step in the input */
    int32_t rank, *dims;
    int64_t *steps;
} box;

/* Room for two dimensions of each that a tensor has. */
static bool open_box(oribi_lowering *lowering, box *out)
{
    *out = (box){.dims = oribi_arena_array(lowering->arena, 2 * ORIBI_MAX_LOWERED_RANK, 4),
                 .steps = oribi_arena_array(lowering->arena, 2 * ORIBI_MAX_LOWERED_RANK, 8)};
    return (out->dims != NULL && out->steps != NULL) || oribi_fail_memory(lowering->status);
}

/* Tensors have ORIBI_MAX_LOWERED_RANK dimensions at most (oribi_lower_is_plain). */
static void add(box *b, int64_t dim, int64_t step)
{
    if (b->rank < 2 * ORIBI_MAX_LOWERED_RANK) {
        b->dims[b->rank] = (int32_t)dim;
        b->steps[b->rank++] = step;
    }
}

static bool set_box(oribi_lowering *lowering, oribi_call *call, const box *b)
{
    struct oribi_micro_move_args args;
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const struct oribi_micro_move_spec spec = {
        b->rank, (int32_t)oribi_dtype_bytes(x->dtype), b->dims, b->steps, 0, oribi_lower_count(x)};
    return oribi_call_move(lowering, call, &spec, &args);
}

/* Steps of a dense tensor. */
static oribi_dims dense(const oribi_shape *shape)
{
    oribi_dims steps = {0};
    (void)oribi_dims_fill(&steps, shape->rank, 1);
    oribi_geometry_steps(shape->dims, steps.n, 1, steps.at);
    return steps;
}

/* The channels of each pixel, as [groups, each], become [each, groups]. */
bool oribi_lower_channel_shuffle(oribi_lowering *lowering, oribi_call *call)
{
    box b;
    ORIBI_TRY(oribi_lower_is_plain(lowering, call) && open_box(lowering, &b));
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const int64_t groups = oribi_lower_int(call, "groups", 1);
    const int64_t channels = x->shape.rank > 0 ? x->shape.dims[x->shape.rank - 1] : 1;
    if (groups < 1 || channels % groups != 0) {
        return oribi_lower_refuse(lowering, call, "has groups that do not divide its channels");
    }
    add(&b, oribi_lower_count(x) / channels, channels);
    add(&b, channels / groups, 1);
    add(&b, groups, channels / groups);
    return set_box(lowering, call, &b);
}

bool oribi_lower_tile(oribi_lowering *lowering, oribi_call *call)
{
    box b;
    ORIBI_TRY(oribi_lower_is_plain(lowering, call) && open_box(lowering, &b));
    const oribi_shape *shape = &oribi_lower_input(lowering, call, 0)->shape;
    const oribi_shape *out = &oribi_lower_output(lowering, call)->shape;
    if (out->rank != shape->rank) {
        return oribi_lower_refuse(lowering, call, "changes the number of dimensions");
    }
    const oribi_dims steps = dense(shape);
    for (int32_t i = 0; i < shape->rank; i++) {
        add(&b, out->dims[i] / shape->dims[i], 0);
        add(&b, shape->dims[i], steps.at[i]);
    }
    return set_box(lowering, call, &b);
}

bool oribi_lower_broadcast(oribi_lowering *lowering, oribi_call *call)
{
    box b;
    ORIBI_TRY(oribi_lower_is_plain(lowering, call) && open_box(lowering, &b));
    const oribi_shape *shape = &oribi_lower_input(lowering, call, 0)->shape;
    const oribi_shape *out = &oribi_lower_output(lowering, call)->shape;
    const int32_t added = out->rank - shape->rank;
    if (added < 0) {
        return oribi_lower_refuse(lowering, call, "takes dimensions away");
    }
    const oribi_dims steps = dense(shape);
    for (int32_t i = 0; i < out->rank; i++) {
        const bool repeats = i < added || shape->dims[i - added] == 1;
        add(&b, out->dims[i], repeats ? 0 : steps.at[i - added]);
    }
    return set_box(lowering, call, &b);
}
