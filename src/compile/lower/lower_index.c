/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of what picks, places and orders by indices: gathers along one dimension, gathers and
 * scatters with an index for each element or tuple, one-hot, triangles, running sums, sequences
 * that are reversed.
 */
#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/element.h"
#include "micro/index/cumsum.h"
#include "micro/index/cumsum_s8_prepare.h"
#include "micro/index/gather_places.h"
#include "micro/index/one_hot.h"
#include "micro/index/places_prepare.h"
#include "micro/index/reverse_sequence.h"
#include "micro/index/scatter.h"
#include "micro/index/trilu.h"
#include "micro/move/put_block.h"
#include "micro/move/gather.h"
#include "micro/prepare.h"
#include "tensor/status.h"

/* Constant indices as int32, checked; -1: not in range, or of a type that is not there. */
static oribi_value_id constant_indices(oribi_lowering *lowering, const oribi_call *call,
                                       int32_t input, const oribi_sizes *limits, bool wraps)
{
    const oribi_value *value = oribi_lower_input(lowering, call, input);
    const bool is_wide = value->dtype == TF_INT64;
    const void *from = oribi_lower_constant(lowering, call, input, is_wide ? TF_INT64 : TF_INT32);
    const int64_t n = oribi_lower_count(value);
    int32_t *to =
        from == NULL ? NULL : oribi_arena_array(lowering->arena, (size_t)n + 1, sizeof *to);
    for (int64_t i = 0; to != NULL && i < n; i++) {
        const int64_t index = is_wide ? ((const int64_t *)from)[i] : ((const int32_t *)from)[i];
        const int64_t limit = limits->n == 0 ? INT32_MAX : limits->at[i % limits->n];
        if (index < (wraps ? -limit : 0) || index >= limit) {
            (void)oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
            return -1;
        }
        to[i] = (int32_t)index;
    }
    if (!is_wide || to == NULL) {
        return to == NULL ? -1 : call->node->inputs[input];
    }
    return oribi_graph_add_constant_copy(lowering->graph, value->name, TF_INT32, value->shape.dims,
                                         value->shape.rank, to, lowering->status);
}

oribi_value_id oribi_lower_indices(oribi_lowering *lowering, const oribi_call *call, int32_t input,
                                   const oribi_sizes *limits, bool wraps)
{
    const oribi_value *value = oribi_lower_input(lowering, call, input);
    if (value->constant != NULL && (value->dtype == TF_INT32 || value->dtype == TF_INT64)) {
        return constant_indices(lowering, call, input, limits, wraps);
    }
    if (value->dtype != TF_INT32) {
        (void)oribi_fail(
            lowering->status, TF_UNIMPLEMENTED,
            "node '%s': indices of type %s are not supported; compiled code takes int32",
            call->node->name, oribi_dtype_name(value->dtype));
        return -1;
    }
    return call->node->inputs[input];
}

bool oribi_lower_gather(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims;
    int32_t element_bytes, axis;
    int64_t given, sizes[4] = {1, 1, 1, 1}; /* batch, rows, slice, indices of a batch */
    ORIBI_TRY(oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 0), &dims,
                                &element_bytes));
    ORIBI_TRY(oribi_lower_one(lowering, call, 2, &given));
    ORIBI_TRY(oribi_lower_axis(lowering, call, given, dims.n, &axis));
    const oribi_value *indices = oribi_lower_input(lowering, call, 1);
    int32_t batch_dims = oribi_lower_int(call, "batch_dims", 0);
    batch_dims += batch_dims < 0 ? indices->shape.rank : 0;
    if (batch_dims < 0 || batch_dims > axis || batch_dims > indices->shape.rank) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    for (int32_t i = 0; i < dims.n; i++) {
        sizes[i < batch_dims ? 0 : i < axis ? 1 : 2] *= i == axis ? 1 : dims.at[i];
    }
    sizes[2] *= element_bytes;
    sizes[3] = oribi_lower_count(indices) / sizes[0];
    const int64_t out = oribi_lower_count(oribi_lower_output(lowering, call)) * element_bytes;
    const int64_t in = sizes[0] * sizes[1] * sizes[2] * dims.at[axis];
    if (in > INT32_MAX || out > INT32_MAX) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
    }
    oribi_value_id *inputs =
        oribi_claim_array(lowering->arena, 2, sizeof *inputs, lowering->status);
    ORIBI_TRY(inputs != NULL);
    inputs[0] = call->node->inputs[0];
    inputs[1] = oribi_lower_indices(lowering, call, 1, &(oribi_sizes){1, {dims.at[axis]}}, false);
    ORIBI_TRY(inputs[1] >= 0);
    const struct oribi_micro_gather_args args = {.batch = (int32_t)sizes[0],
                                                 .rows = (int32_t)sizes[1],
                                                 .choices = dims.at[axis],
                                                 .indices = (int32_t)sizes[3],
                                                 .bytes = (int32_t)sizes[2]};
    call->inputs = inputs;
    call->n_inputs = 2;
    return ORIBI_CALL_SET(lowering, call, "gather", gather, &args);
}

static bool read_sizes(oribi_lowering *lowering, const oribi_call *call, int32_t input,
                       oribi_sizes *out, int32_t *out_element_bytes)
{
    return oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, input), out,
                             out_element_bytes);
}

/* The indices' dims, whatever integers they are. */
static bool read_index_dims(oribi_lowering *lowering, const oribi_call *call, oribi_sizes *out)
{
    const oribi_value *value = oribi_lower_input(lowering, call, 1);
    *out = (oribi_sizes){0};
    for (int32_t i = 0; i < value->shape.rank; i++) {
        if (value->shape.dims[i] < 1 || !oribi_sizes_add(out, value->shape.dims[i])) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
        }
    }
    return true;
}

/* The kernel's inputs: the node's, those of indices as int32. */
static bool take_inputs(oribi_lowering *lowering, oribi_call *call, int32_t n, int32_t indices,
                        const oribi_sizes *limits, bool wraps)
{
    oribi_value_id *inputs =
        oribi_claim_array(lowering->arena, (size_t)n, sizeof *inputs, lowering->status);
    ORIBI_TRY(inputs != NULL);
    for (int32_t i = 0; i < n; i++) {
        inputs[i] = call->node->inputs[i];
    }
    inputs[indices] = oribi_lower_indices(lowering, call, indices, limits, wraps);
    call->inputs = inputs;
    call->n_inputs = n;
    return inputs[indices] >= 0;
}

/* Places by elements (axis at least 0 of `axis` attribute) or by tuples. */
static bool read_places(oribi_lowering *lowering, oribi_call *call, bool has_tuples,
                        int32_t n_inputs, int32_t *out_bytes, struct oribi_micro_places *out)
{
    oribi_sizes data, indices, limits = {0};
    int32_t axis = 0, code;
    ORIBI_TRY(read_sizes(lowering, call, 0, &data, out_bytes) &&
              read_index_dims(lowering, call, &indices));
    if (has_tuples) {
        code = oribi_micro_places_of_tuples(&data, &indices, oribi_lower_int(call, "batch_dims", 0),
                                            out);
    } else {
        ORIBI_TRY(
            oribi_lower_axis(lowering, call, oribi_lower_int(call, "axis", 0), data.n, &axis));
        code = oribi_micro_places_of_elements(&data, &indices, axis, out);
    }
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    for (int32_t k = 0; k < out->index_rank; k++) {
        (void)oribi_sizes_add(&limits, out->limits[k]);
    }
    if (limits.n == 0) { /* tuples of no index */
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    return take_inputs(lowering, call, n_inputs, 1, &limits, true);
}

static bool gather_places(oribi_lowering *lowering, oribi_call *call, bool has_tuples)
{
    struct oribi_micro_gather_places_args args = {0};
    return read_places(lowering, call, has_tuples, 2, &args.element_bytes, &args.places) &&
           ORIBI_CALL_SET(lowering, call, "gather_places", gather_places, &args);
}

bool oribi_lower_gather_elements(oribi_lowering *lowering, oribi_call *call)
{
    return gather_places(lowering, call, false);
}

bool oribi_lower_gather_nd(oribi_lowering *lowering, oribi_call *call)
{
    return gather_places(lowering, call, true);
}

static bool scatter(oribi_lowering *lowering, oribi_call *call, bool has_tuples)
{
    static const struct {
        const char *name;
        int32_t meeting;
    } words[] = {{"add", ORIBI_MICRO_SCATTER_ADD},
                 {"mul", ORIBI_MICRO_SCATTER_MULTIPLY},
                 {"max", ORIBI_MICRO_SCATTER_MAXIMUM},
                 {"min", ORIBI_MICRO_SCATTER_MINIMUM}};
    struct oribi_micro_scatter_args args = {.meeting = ORIBI_MICRO_SCATTER_REPLACE};
    const oribi_value *data = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(read_places(lowering, call, has_tuples, 3, &args.element_bytes, &args.places));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        args.meeting =
            oribi_lower_is(call, "reduction", words[i].name) ? words[i].meeting : args.meeting;
    }
    if (data->dtype == TF_BOOL && args.meeting != ORIBI_MICRO_SCATTER_REPLACE) {
        return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                          "node '%s' (%s): truth values are replaced, not reduced, in compiled C",
                          call->node->name, call->node->op_name);
    }
    ORIBI_TRY(oribi_lower_number(lowering, call, data, &args.kind));
    args.count = (int32_t)oribi_lower_count(data); /* checked with the places */
    return ORIBI_CALL_SET(lowering, call, "scatter", scatter, &args);
}

bool oribi_lower_scatter_elements(oribi_lowering *lowering, oribi_call *call)
{
    return scatter(lowering, call, false);
}

bool oribi_lower_scatter_nd(oribi_lowering *lowering, oribi_call *call)
{
    return scatter(lowering, call, true);
}

/* Products of sizes before, and behind, one dimension; false: together of 2^28 or more. */
static bool around(oribi_lowering *lowering, const oribi_call *call, const oribi_sizes *dims,
                   int32_t axis, int32_t *out_outer, int32_t *out_inner)
{
    int64_t count = 1, outer = 1, inner = 1;
    for (int32_t i = 0; i < dims->n; i++) {
        count *= dims->at[i];
        if (count > 1 << 28) {
            return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
        }
        outer *= i < axis ? dims->at[i] : 1;
        inner *= i > axis ? dims->at[i] : 1;
    }
    *out_outer = (int32_t)outer;
    *out_inner = (int32_t)inner;
    return true;
}

bool oribi_lower_trilu(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims;
    int64_t k = 0;
    int32_t rest = 0;
    struct oribi_micro_trilu_args args = {.upper = oribi_lower_bool(call, "upper") ? 1 : 0};
    ORIBI_TRY(read_sizes(lowering, call, 0, &dims, &args.element_bytes) &&
              oribi_lower_one(lowering, call, 1, &k));
    if (dims.n < 2) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    args.rows = dims.at[dims.n - 2];
    args.columns = dims.at[dims.n - 1];
    args.diagonal = (int32_t)(k < -args.rows ? -args.rows : k > args.columns ? args.columns : k);
    ORIBI_TRY(around(lowering, call, &dims, dims.n - 2, &args.matrices, &rest));
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "trilu", trilu, &args);
}

/* Starts are any numbers: the kernel moves the block to where it fits. */
bool oribi_lower_update_slice(oribi_lowering *lowering, oribi_call *call)
{
    static const oribi_sizes any = {1, {INT32_MAX}};
    oribi_sizes dims, update;
    struct oribi_micro_put_block_args args = {0};
    ORIBI_TRY(read_sizes(lowering, call, 0, &dims, &args.element_bytes) &&
              read_sizes(lowering, call, 1, &update, NULL));
    bool fits = dims.n >= 1 && dims.n <= ORIBI_MICRO_PUT_BLOCK_RANK && update.n == dims.n &&
                oribi_lower_count(oribi_lower_input(lowering, call, 2)) == dims.n;
    for (int32_t i = 0; fits && i < dims.n; i++) {
        fits = update.at[i] >= 1 && update.at[i] <= dims.at[i];
        args.dims[i] = dims.at[i];
        args.update_dims[i] = update.at[i];
    }
    const int64_t bytes = oribi_lower_bytes(oribi_lower_output(lowering, call));
    if (!fits || bytes > INT32_MAX) {
        return oribi_lower_fail(lowering, call, fits ? ORIBI_MICRO_TOO_LARGE : ORIBI_MICRO_INVALID);
    }
    args.rank = args.update_rank = dims.n;
    args.bytes = (int32_t)bytes;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    return take_inputs(lowering, call, 3, 2, &any, true) &&
           ORIBI_CALL_SET(lowering, call, "put_block", put_block, &args);
}

bool oribi_lower_one_hot(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims, all;
    int32_t axis = 0;
    struct oribi_micro_one_hot_args args = {0};
    ORIBI_TRY(oribi_lower_sizes(lowering, call, oribi_lower_output(lowering, call), &dims,
                                &args.element_bytes) &&
              oribi_lower_axis(lowering, call, oribi_lower_int(call, "axis", -1), dims.n, &axis) &&
              around(lowering, call, &dims, axis, &args.outer, &args.inner));
    args.depth = dims.at[axis];
    const oribi_value *indices = oribi_lower_input(lowering, call, 0);
    all = (oribi_sizes){1, {INT32_MAX}}; /* those outside the depth are nowhere */
    oribi_value_id *inputs = oribi_arena_array(lowering->arena, 2, sizeof *inputs);
    ORIBI_TRY(inputs != NULL || oribi_fail_memory(lowering->status));
    inputs[0] = oribi_lower_indices(lowering, call, 0, &all, true);
    inputs[1] = call->node->inputs[2];
    call->inputs = inputs;
    call->n_inputs = 2;
    return inputs[0] >= 0 && oribi_lower_count(indices) == (int64_t)args.outer * args.inner &&
           ORIBI_CALL_SET(lowering, call, "one_hot", one_hot, &args);
}

bool oribi_lower_cumsum(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims;
    int64_t given = 0;
    int32_t axis = 0;
    const TF_DataType dtype = oribi_lower_input(lowering, call, 0)->dtype;
    struct oribi_micro_cumsum_args args = {.is_real = dtype == TF_FLOAT ? 1 : 0,
                                           .exclusive = oribi_lower_bool(call, "exclusive") ? 1 : 0,
                                           .reverse = oribi_lower_bool(call, "reverse") ? 1 : 0};
    if (dtype != TF_FLOAT && dtype != TF_INT32) {
        return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                          "node '%s' (%s): running sums of %s cannot be compiled to C yet",
                          call->node->name, call->node->op_name, oribi_dtype_name(dtype));
    }
    ORIBI_TRY(read_sizes(lowering, call, 0, &dims, NULL) &&
              oribi_lower_one(lowering, call, 1, &given) &&
              oribi_lower_axis(lowering, call, given, dims.n, &axis) &&
              around(lowering, call, &dims, axis, &args.outer, &args.inner));
    args.n = dims.at[axis];
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "cumsum", cumsum, &args);
}

bool oribi_lower_q_cumsum(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims;
    int64_t given = 0;
    int32_t axis = 0;
    struct oribi_micro_quantisation input, output;
    struct oribi_micro_cumsum_s8_args args = {.exclusive =
                                                  oribi_lower_bool(call, "exclusive") ? 1 : 0,
                                              .reverse = oribi_lower_bool(call, "reverse") ? 1 : 0};
    oribi_lower_quantisation(call, "input_scale", "input_zero", &input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &output);
    const int32_t code = oribi_micro_cumsum_s8_prepare(input, output, &args);
    ORIBI_TRY(oribi_lower_check(lowering, call, code) &&
              read_sizes(lowering, call, 0, &dims, NULL) &&
              oribi_lower_one(lowering, call, 1, &given) &&
              oribi_lower_axis(lowering, call, given, dims.n, &axis) &&
              around(lowering, call, &dims, axis, &args.outer, &args.inner));
    args.n = dims.at[axis];
    call->n_inputs = 1;
    oribi_call_overwrite(lowering, call, 0);
    return ORIBI_CALL_SET(lowering, call, "cumsum_s8", cumsum_s8, &args);
}

bool oribi_lower_reverse_sequence(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims;
    int32_t batch = 0, time = 0, bytes = 0, rest = 0;
    struct oribi_micro_reverse_sequence_args args = {.middle = 1};
    ORIBI_TRY(
        read_sizes(lowering, call, 0, &dims, &bytes) &&
        oribi_lower_axis(lowering, call, oribi_lower_int(call, "batch_dim", 0), dims.n, &batch) &&
        oribi_lower_axis(lowering, call, oribi_lower_int(call, "seq_dim", 0), dims.n, &time));
    if (batch == time) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    const int32_t first = batch < time ? batch : time, second = batch < time ? time : batch;
    args.batch_is_first = batch < time ? 1 : 0;
    args.first = dims.at[first];
    args.second = dims.at[second];
    ORIBI_TRY(around(lowering, call, &dims, first, &args.outer, &rest) &&
              around(lowering, call, &dims, second, &rest, &args.bytes));
    for (int32_t i = first + 1; i < second; i++) {
        args.middle *= dims.at[i];
    }
    args.bytes *= bytes; /* of less than 2^28 elements */
    const oribi_sizes limits = {1, {dims.at[time] + 1}};
    return take_inputs(lowering, call, 2, 1, &limits, false) &&
           ORIBI_CALL_SET(lowering, call, "reverse_sequence", reverse_sequence, &args);
}
