/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels can compute some rows of their result, and what of their arguments says how many:
 * members of the same names in all of them. Images are one, dense, its rows outermost. */
#include "compile/lower/rings/rings.h"

#include <string.h>

#include "compile/lower/args_table.h"
#include "micro/costs_prepare.h"
#include "micro/depthwise/depthwise_conv2d_3x3_s8_prepare.h"
#include "tensor/tensor.h"

/* Kernels of windows, of planes (windows of 3x3 over rows that may be columns), of values or
 * pixels one by one, and of two tensors that meet. */
static const oribi_args *const windows[] = {&oribi_args_conv2d_s8,
                                            &oribi_args_conv2d_lanes_s8,
                                            &oribi_args_conv2d_mve_s8,
                                            &oribi_args_conv2d_add_lanes_s8,
                                            &oribi_args_conv2d_add_mve_s8,
                                            &oribi_args_conv2d_f32,
                                            &oribi_args_wide_conv2d,
                                            &oribi_args_depthwise_conv2d_s8,
                                            &oribi_args_qlinear_conv2d,
                                            &oribi_args_depthwise_conv2d_f32,
                                            &oribi_args_pool_q,
                                            &oribi_args_pool_f32,
                                            &oribi_args_qlinear_pool,
                                            &oribi_args_conv2d_rvv_s8,
                                            &oribi_args_depthwise_conv2d_rvv_s8};
static const oribi_args *const planes[] = {&oribi_args_depthwise_conv2d_3x3_s8,
                                           &oribi_args_depthwise_conv2d_3x3_mve_s8};
static const oribi_args *const counts[] = {&oribi_args_lookup_8,       &oribi_args_unary_f32,
                                           &oribi_args_quantize,       &oribi_args_requantize,
                                           &oribi_args_dequantize,     &oribi_args_sqrt_s16,
                                           &oribi_args_leaky_relu_s16, &oribi_args_curve_points_s16,
                                           &oribi_args_lrn_f32,        &oribi_args_batch_norm_f32};
static const oribi_args *const meetings[] = {
    &oribi_args_add_s8,  &oribi_args_mul_q,          &oribi_args_wide_add,  &oribi_args_extreme_q,
    &oribi_args_prelu_q, &oribi_args_qlinear_binary, &oribi_args_binary_f32};

#define IS_ONE_OF(list, args) is_one_of(list, sizeof(list) / sizeof((list)[0]), args)
static bool is_one_of(const oribi_args *const *list, size_t n, const oribi_args *args)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i] == args) {
            return true;
        }
    }
    return false;
}

/* The member of that name, in the arguments or in the convolution that they hold; -1: none. */
static int32_t find(const oribi_args *args, const char *name)
{
    const char *at = args->names;
    for (size_t i = 0; i < args->n_members; i++) {
        if (strcmp(strncmp(at, "conv.", 5) == 0 ? at + 5 : at, name) == 0) {
            return (int32_t)i;
        }
        at += strlen(at) + 1;
    }
    return -1;
}

/* Its number; 1 where there is none of that name. */
static int32_t number(const oribi_call *call, const char *name)
{
    const int32_t member = find(call->args, name);
    return member < 0 ? 1 : oribi_args_integer(&call->args->members[member], call->arguments, 0);
}

/* Does value k have rows as the result has, `height` of them? */
static bool has_rows(const oribi_graph *graph, oribi_value_id id, int32_t height)
{
    return height > 0 && oribi_lower_bytes(graph->values[id]) % height == 0;
}

/* --- Windows ---------------------------------------------------------------------------------- */

/* What is added at the end has the result's rows; filters that are tensors are read as they are. */
static void set_roles(const oribi_graph *graph, const oribi_call *call, oribi_rows *out)
{
    const bool is_sum =
        call->fused != NULL || (find(call->args, "adds") >= 0 && number(call, "adds") != 0);
    for (int32_t k = 1; k < call->n_inputs; k++) {
        out->roles[k] = is_sum                                             ? ORIBI_ROWS_SAME
                        : graph->values[call->inputs[k]]->constant != NULL ? ORIBI_ROWS_ALL
                        : find(call->args, "adds") >= 0                    ? ORIBI_ROWS_NONE
                                                                           : ORIBI_ROWS_ALL;
    }
}

static bool find_windows(const oribi_graph *graph, const oribi_call *call, oribi_rows *out)
{
    const bool is_plane = IS_ONE_OF(planes, call->args);
    out->out = find(call->args, is_plane ? "out_rows" : "out_h");
    out->in = find(call->args, is_plane ? "in_rows" : "in_h");
    out->before = find(call->args, is_plane ? "rows_before" : "before_h");
    out->height = number(call, is_plane ? "out_rows" : "out_h");
    out->in_height = number(call, is_plane ? "in_rows" : "in_h");
    out->padding = number(call, is_plane ? "rows_before" : "before_h");
    out->stride = number(call, is_plane ? "row_stride" : "stride_h");
    out->reach = is_plane ? 3 : (number(call, "filter_h") - 1) * number(call, "dilation_h") + 1;
    set_roles(graph, call, out);
    return !is_plane || number(call, "in_row_step") > number(call, "in_column_step");
}

/* --- Values one by one ------------------------------------------------------------------------ */

/* Rows of the image that the result is; 0: it is none. */
static int32_t height_of(const oribi_graph *graph, const oribi_call *call)
{
    const oribi_shape *shape = &graph->values[call->node->outputs[0]]->shape;
    return shape->rank == 4 && shape->dims[0] == 1 && shape->dims[1] <= INT32_MAX
               ? (int32_t)shape->dims[1]
               : 0;
}

static bool find_count(const oribi_graph *graph, const oribi_call *call, oribi_rows *out)
{
    const char *name = find(call->args, "count") >= 0 ? "count" : "pixels";
    const int32_t count = number(call, name);
    out->out = find(call->args, name);
    out->height = height_of(graph, call);
    set_roles(graph, call, out);
    out->roles[0] = ORIBI_ROWS_SAME;
    out->each = out->height > 0 ? count / out->height : 0;
    return (call->n_inputs == 1 || find(call->args, "adds") >= 0) && out->each > 0 &&
           count % out->height == 0;
}

/* Rows are an outermost dimension, or part of one. */
static bool find_meeting(const oribi_graph *graph, const oribi_call *call, oribi_rows *out)
{
    static const char *const steps[] = {"shape.a_step", "shape.b_step"};
    out->out = find(call->args, "shape.dims");
    out->height = height_of(graph, call);
    const int32_t outermost = number(call, "shape.dims");
    if (call->n_inputs != 2 || out->height == 0 || outermost % out->height != 0) {
        return false;
    }
    out->each = outermost / out->height;
    for (int32_t k = 0; k < 2; k++) {
        const int32_t step = number(call, steps[k]);
        const oribi_value *value = graph->values[call->inputs[k]];
        const int64_t element = (int64_t)oribi_dtype_bytes(value->dtype);
        out->roles[k] = step == 0 ? ORIBI_ROWS_ALL : ORIBI_ROWS_SAME;
        if (step != 0 && (int64_t)outermost * step * element != oribi_lower_bytes(value)) {
            return false;
        }
    }
    return true;
}

bool oribi_rows_find(const oribi_graph *graph, const oribi_call *call, oribi_rows *out)
{
    *out = (oribi_rows){.in = -1, .before = -1, .stride = 1, .reach = 1};
    if (call->kernel == NULL || call->args == NULL || call->own != NULL || call->region != NULL ||
        call->n_outputs != 1 || call->n_inputs > ORIBI_ROWS_OPERANDS || call->is_guarded ||
        call->has_effect || call->lists_inputs || call->lists_outputs || call->n_views > 0) {
        return false;
    }
    const bool has_windows = IS_ONE_OF(windows, call->args) || IS_ONE_OF(planes, call->args);
    const bool is_found = has_windows                       ? find_windows(graph, call, out)
                          : IS_ONE_OF(counts, call->args)   ? find_count(graph, call, out)
                          : IS_ONE_OF(meetings, call->args) ? find_meeting(graph, call, out)
                                                            : false;
    out->in_height = has_windows ? out->in_height : out->height;
    bool fits = is_found && (!has_windows || number(call, "batch") == 1) &&
                has_rows(graph, call->node->outputs[0], out->height);
    for (int32_t k = 0; fits && k < call->n_inputs; k++) {
        const bool is_window = out->roles[k] == ORIBI_ROWS_WINDOW;
        fits = out->roles[k] == ORIBI_ROWS_ALL || out->roles[k] == ORIBI_ROWS_NONE ||
               has_rows(graph, call->inputs[k], is_window ? out->in_height : out->height);
    }
    return fits;
}

/* --- What it takes ---------------------------------------------------------------------------- */

int64_t oribi_rows_scratch(const oribi_call *call, const oribi_rows *rows, int32_t n)
{
    if (call->args != &oribi_args_depthwise_conv2d_3x3_s8) {
        return call->scratch_bytes;
    }
    const int64_t columns = number(call, "plane_columns");
    return call->scratch_bytes - (int64_t)(rows->height - n) * rows->stride * columns;
}

static void put(const oribi_args *args, int32_t member, void *to, int64_t value)
{
    const oribi_args_member *m = &args->members[member];
    char *at = (char *)to + m->offset;
    switch (m->dtype) {
    case TF_INT8:
        *(int8_t *)at = (int8_t)value;
        break;
    case TF_INT16:
        *(int16_t *)(void *)at = (int16_t)value;
        break;
    default:
        *(int32_t *)(void *)at = (int32_t)value;
    }
}

int64_t oribi_rows_cost(const oribi_call *call, const oribi_rows *rows, int32_t n, int32_t in,
                        int32_t before)
{
    const struct oribi_micro_costs *costs = call->args == &oribi_args_depthwise_conv2d_3x3_s8
                                                ? &oribi_micro_depthwise_conv2d_3x3_s8_costs
                                                : call->costs;
    int64_t copy[32]; /* of the largest arguments that have costs */
    if (costs == NULL || call->args->bytes > sizeof copy) {
        return oribi_call_cost(call) * n / rows->height;
    }
    memcpy(copy, call->arguments, call->args->bytes);
    put(call->args, rows->out, copy, n);
    put(call->args, rows->in, copy, in);
    put(call->args, rows->before, copy, before);
    return costs->instructions(copy);
}
