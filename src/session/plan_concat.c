/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenation without copying: where every part of a join (ConcatV2) comes from a kernel that may
 * write there, the inputs live inside the output and the step has nothing left to do.
 *
 * Two cases: all dimensions before the axis are 1 (pieces lie one after the other), or the axis is
 * the last one and the producers declared strided outputs.
 */
#include <string.h>

#include "base/alloc.h"
#include "micro/geometry/geometry_axes.h"
#include "op/traits.h"
#include "session/batch/batch.h"
#include "session/session_plan_internal.h"

typedef struct concat {
    const oribi_session_step *step;
    int32_t output;
    int32_t first, n_pieces; /* inputs */
    int32_t axis, rank;
    bool is_flat; /* pieces lie one after the other */
} concat;

/* An input says the axis, a constant scalar, or an attribute does. */
static bool read_axis(const oribi_session *session, const oribi_node *node, const oribi_traits *t,
                      int32_t rank, int32_t *out_axis)
{
    int64_t axis = t->axis;
    if (t->axes >= 0 &&
        !oribi_graph_constant_exactly(session->graph, node->inputs[t->axes], &axis, 1)) {
        return false;
    }
    return oribi_geometry_axis(axis, rank, out_axis);
}

static bool read_concat(oribi_plan_builder *builder, int32_t s, concat *out)
{
    const oribi_session_step *step = &builder->session->steps[s];
    const oribi_node *node = step->node;
    oribi_traits traits;
    oribi_op_traits(node->op, &node->attrs, &node->signature, &traits);
    if ((traits.is & ORIBI_TRAIT_JOINS) == 0 || traits.n_data < 2 || step->flight >= 0) {
        return false;
    }
    const int32_t v = step->outputs[0];
    const oribi_wish *wish = &builder->plan->record->values[v];
    /* other members of its class are made from it, later */
    if (!builder->items[v].is_stored || wish->rank < 1 || step->device != 0 ||
        builder->items[oribi_plan_root(builder, v)].first != s ||
        builder->plan->places[v].request != ORIBI_REQUEST_ALLOCATE) {
        return false;
    }
    *out = (concat){.step = step,
                    .output = v,
                    .first = traits.data,
                    .n_pieces = traits.n_data,
                    .rank = wish->rank,
                    .is_flat = true};
    if (!read_axis(builder->session, node, &traits, wish->rank, &out->axis)) {
        return false;
    }
    for (int32_t k = 0; k < out->axis; k++) {
        out->is_flat &= wish->dims[k] == 1;
    }
    return out->is_flat || out->axis == wish->rank - 1;
}

static bool declares_strides(const oribi_session *session, int32_t value)
{
    const oribi_session_step *step = &session->steps[session->values[value].producer];
    for (int32_t i = 0; i < step->node->n_outputs && i < 64; i++) {
        if (step->outputs[i] == value) {
            return (step->kernel.def->strided_outputs >> i & 1) != 0;
        }
    }
    return false;
}

/* Can value u be written at offset inside the output? */
static bool piece_fits(oribi_plan_builder *builder, const concat *join, int32_t u, size_t offset)
{
    const oribi_session *session = builder->session;
    const oribi_session_value *value = &session->values[u];
    const oribi_wish *wish = &builder->plan->record->values[u];
    const oribi_wish *whole = &builder->plan->record->values[join->output];
    if (value->producer < 0 || value->n_uses != 1 || value->is_output ||
        !builder->items[u].is_stored || builder->items[u].is_piece ||
        builder->items[oribi_plan_root(builder, u)].n_members != 1 ||
        builder->plan->places[u].request != ORIBI_REQUEST_ALLOCATE || wish->rank != join->rank ||
        oribi_batch_apart(builder->plan->record->batch, value->producer, u, join->output) ||
        oribi_batch_apart(builder->plan->record->batch, (int32_t)(join->step - session->steps), u,
                          join->output)) {
        return false;
    }
    for (int32_t k = 0; k < join->rank; k++) {
        if (k != join->axis && wish->dims[k] != whole->dims[k]) {
            return false;
        }
    }
    /* a kernel that promised nothing gets the alignment of any other output */
    return declares_strides(builder->session, u) ||
           (join->is_flat && offset % ORIBI_TENSOR_ALIGNMENT == 0);
}

/* Bytes from one piece to the next, within a row or in all. */
static size_t piece_step(const oribi_plan_builder *builder, const concat *join, int32_t u)
{
    const oribi_wish *wish = &builder->plan->record->values[u];
    size_t bytes = oribi_dtype_bytes(builder->session->values[u].dtype);
    for (int32_t k = join->axis; k < join->rank; k++) {
        bytes *= (size_t)wish->dims[k]; /* part of a product that was checked */
    }
    return bytes;
}

static bool all_fit(oribi_plan_builder *builder, const concat *join)
{
    const oribi_wish *whole = &builder->plan->record->values[join->output];
    size_t offset = 0;
    int64_t along = 0;
    for (int32_t i = 0; i < join->n_pieces; i++) {
        const int32_t u = join->step->inputs[join->first + i];
        if (u < 0 || !piece_fits(builder, join, u, offset)) {
            return false;
        }
        if (!oribi_size_add(offset, piece_step(builder, join, u), &offset) ||
            __builtin_add_overflow(along, builder->plan->record->values[u].dims[join->axis],
                                   &along)) {
            return false;
        }
    }
    return along == whole->dims[join->axis];
}

void oribi_plan_place_concats(oribi_plan_builder *builder)
{
    for (int32_t s = 0; s < builder->session->n_steps; s++) {
        concat join;
        if (!read_concat(builder, s, &join) || !all_fit(builder, &join)) {
            continue;
        }
        const int64_t *dims = builder->plan->record->values[join.output].dims;
        size_t offset = 0;
        for (int32_t i = 0; i < join.n_pieces; i++) {
            const int32_t u = join.step->inputs[join.first + i];
            oribi_plan_item *item = &builder->items[u];
            item->is_piece = true;
            item->piece_offset = offset;
            const bool is_strided =
                join.axis == join.rank - 1 && declares_strides(builder->session, u);
            item->row_stride = is_strided ? dims[join.rank - 1] : 0;
            offset += piece_step(builder, &join, u);
        }
        for (int32_t i = 0; i < join.n_pieces; i++) {
            oribi_plan_unite(builder, join.output, join.step->inputs[join.first + i]);
        }
        builder->plan->is_placed[s] = true;
        builder->plan->steps[s].direct = NULL;
        builder->plan->n_placed++;
    }
}
