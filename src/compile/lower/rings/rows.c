/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels can compute some rows of their result, or some columns of these, and what of their
 * arguments says how many: members of the same names in all of them. Images are one, dense, its
 * rows outermost; of an image that is one row its columns are. */
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

/* Its number; 1 where there is none of that name. */
static int32_t number(const oribi_call *call, const char *name)
{
    const int32_t member = oribi_args_named(call->args, name);
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
    const bool is_sum = call->fused != NULL ||
                        (oribi_args_named(call->args, "adds") >= 0 && number(call, "adds") != 0);
    for (int32_t k = 1; k < call->n_inputs; k++) {
        out->roles[k] = is_sum                                             ? ORIBI_ROWS_SAME
                        : graph->values[call->inputs[k]]->constant != NULL ? ORIBI_ROWS_ALL
                        : oribi_args_named(call->args, "adds") >= 0        ? ORIBI_ROWS_NONE
                                                                           : ORIBI_ROWS_ALL;
    }
}

static oribi_axis find_axis(const oribi_call *call, const char *const names[6])
{
    return (oribi_axis){.out = oribi_args_named(call->args, names[0]),
                        .in = oribi_args_named(call->args, names[1]),
                        .before = oribi_args_named(call->args, names[2]),
                        .size = number(call, names[0]),
                        .in_size = number(call, names[1]),
                        .padding = number(call, names[2]),
                        .stride = number(call, names[3]),
                        .reach = (number(call, names[4]) - 1) * number(call, names[5]) + 1};
}

static bool find_windows(const oribi_graph *graph, const oribi_call *call, oribi_rows *out)
{
    static const char *const y[] = {"out_h",    "in_h",     "before_h",
                                    "stride_h", "filter_h", "dilation_h"};
    static const char *const x[] = {"out_w",    "in_w",     "before_w",
                                    "stride_w", "filter_w", "dilation_w"};
    out->y = find_axis(call, y);
    out->x = find_axis(call, x);
    if (out->y.size * out->y.in_size * out->y.reach == 1) { /* one row */
        out->y = out->x;
        out->x.size = 0;
    }
    set_roles(graph, call, out);
    return true;
}

/* Kernels may know how many columns a row has, where these are few. */
static bool find_plane(const oribi_graph *graph, const oribi_call *call, oribi_rows *out)
{
    enum { FEW_COLUMNS = 8 };
    static const char *const y[] = {"out_rows", "in_rows", "rows_before", "row_stride", "", ""};
    static const char *const x[] = {"out_columns",   "in_columns", "columns_before",
                                    "column_stride", "",           ""};
    out->y = find_axis(call, y);
    out->x = find_axis(call, x);
    out->y.reach = out->x.reach = 3;
    out->x.size = out->x.size > FEW_COLUMNS ? out->x.size : 0;
    out->in_step = oribi_args_named(call->args, "in_row_step");
    out->out_step = oribi_args_named(call->args, "out_row_step");
    set_roles(graph, call, out);
    return number(call, "in_row_step") > number(call, "in_column_step");
}

/* --- Values one by one ------------------------------------------------------------------------ */

/* Rows and columns of the image that the result is, of which the kernel counts so many things. */
static bool find_image(const oribi_graph *graph, const oribi_call *call, int32_t count,
                       oribi_rows *out)
{
    const oribi_shape *shape = &graph->values[call->node->outputs[0]]->shape;
    if (shape->rank != 4 || shape->dims[0] != 1 || shape->dims[1] > INT32_MAX ||
        shape->dims[2] > INT32_MAX) {
        return false;
    }
    const bool is_one_row = shape->dims[1] == 1;
    const int64_t height = shape->dims[is_one_row ? 2 : 1], width = is_one_row ? 1 : shape->dims[2];
    const bool has_pixels = width > 1 && count % (height * width) == 0;
    out->y.size = out->y.in_size = (int32_t)height;
    out->x.size = out->x.in_size = has_pixels ? (int32_t)width : 0;
    out->each = height > 0 ? count / (has_pixels ? height * width : height) : 0;
    return out->each > 0 && count % height == 0;
}

static bool find_count(const oribi_graph *graph, const oribi_call *call, oribi_rows *out)
{
    const char *name = oribi_args_named(call->args, "count") >= 0 ? "count" : "pixels";
    out->y.out = oribi_args_named(call->args, name);
    set_roles(graph, call, out);
    out->roles[0] = ORIBI_ROWS_SAME;
    return (call->n_inputs == 1 || oribi_args_named(call->args, "adds") >= 0) &&
           find_image(graph, call, number(call, name), out);
}

/* Rows are an outermost dimension, or part of one. */
static bool find_meeting(const oribi_graph *graph, const oribi_call *call, oribi_rows *out)
{
    static const char *const steps[] = {"shape.a_step", "shape.b_step"};
    const int32_t outermost = number(call, "shape.dims");
    out->y.out = oribi_args_named(call->args, "shape.dims");
    if (call->n_inputs != 2 || !find_image(graph, call, outermost, out)) {
        return false;
    }
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
    static const oribi_axis none = {.in = -1, .before = -1, .stride = 1, .reach = 1};
    *out = (oribi_rows){.y = none, .x = none, .in_step = -1, .out_step = -1};
    if (call->kernel == NULL || call->args == NULL || call->own != NULL || call->region != NULL ||
        call->n_outputs != 1 || call->n_inputs > ORIBI_ROWS_OPERANDS || call->is_guarded ||
        call->has_effect || call->lists_inputs || call->lists_outputs || call->n_views > 0) {
        return false;
    }
    const bool is_plane = IS_ONE_OF(planes, call->args),
               has_windows = is_plane || IS_ONE_OF(windows, call->args);
    const bool is_found = is_plane                          ? find_plane(graph, call, out)
                          : has_windows                     ? find_windows(graph, call, out)
                          : IS_ONE_OF(counts, call->args)   ? find_count(graph, call, out)
                          : IS_ONE_OF(meetings, call->args) ? find_meeting(graph, call, out)
                                                            : false;
    bool fits = is_found && (!has_windows || number(call, "batch") == 1) &&
                has_rows(graph, call->node->outputs[0], out->y.size);
    for (int32_t k = 0; fits && k < call->n_inputs; k++) {
        const bool is_window = out->roles[k] == ORIBI_ROWS_WINDOW;
        fits = !oribi_rows_are_read(out, k) ||
               has_rows(graph, call->inputs[k], is_window ? out->y.in_size : out->y.size);
    }
    return fits;
}

static int32_t within(int64_t at, int32_t size)
{
    return at < 0 ? 0 : at > size ? size : (int32_t)at;
}

int32_t oribi_axis_first(const oribi_axis *axis, int32_t role, int32_t at)
{
    return role == ORIBI_ROWS_WINDOW
               ? within((int64_t)at * axis->stride - axis->padding, axis->in_size)
               : at;
}

int32_t oribi_axis_end(const oribi_axis *axis, int32_t role, int32_t at)
{
    return role == ORIBI_ROWS_WINDOW
               ? within((int64_t)at * axis->stride - axis->padding + axis->reach, axis->in_size)
               : at + 1;
}

/* --- What it takes ---------------------------------------------------------------------------- */

int64_t oribi_rows_scratch(const oribi_call *call, const oribi_rows *rows, int32_t n)
{
    if (call->args != &oribi_args_depthwise_conv2d_3x3_s8) {
        return call->scratch_bytes;
    }
    const int64_t columns = number(call, "plane_columns");
    return call->scratch_bytes - (int64_t)(rows->y.size - n) * rows->y.stride * columns;
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

/* What the axis' members are when the result's [first, first + n) are computed. */
static void put_axis(const oribi_call *call, const oribi_rows *rows, const oribi_axis *axis,
                     int32_t first, int32_t n, void *to)
{
    const int32_t role = rows->roles[0];
    const int64_t top = (int64_t)first * axis->stride - axis->padding;
    put(call->args, axis->out, to, n);
    if (axis->in >= 0) {
        put(call->args, axis->in, to,
            oribi_axis_end(axis, role, first + n - 1) - oribi_axis_first(axis, role, first));
        put(call->args, axis->before, to, top < 0 ? -top : 0);
    }
}

int64_t oribi_rows_cost(const oribi_call *call, const oribi_rows *rows, int32_t row, int32_t n,
                        oribi_stripe columns)
{
    const struct oribi_micro_costs *costs = call->args == &oribi_args_depthwise_conv2d_3x3_s8
                                                ? &oribi_micro_depthwise_conv2d_3x3_s8_costs
                                                : call->costs;
    int64_t copy[32]; /* of the largest arguments that have costs */
    if (costs == NULL || rows->y.in < 0 || call->args->bytes > sizeof copy) {
        const int64_t all = oribi_call_cost(call) * n / rows->y.size;
        return rows->x.size > 0 ? all * columns.n / rows->x.size : all;
    }
    memcpy(copy, call->arguments, call->args->bytes);
    put_axis(call, rows, &rows->y, row, n, copy);
    if (rows->x.size > 0) {
        put_axis(call, rows, &rows->x, columns.first, columns.n, copy);
    }
    return costs->instructions(copy);
}
