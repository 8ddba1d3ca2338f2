/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of ONNX>Resize: at most two dimensions change. TensorFlow's ways: lower_resize.c.
 */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f32.h"
#include "micro/prepare.h"
#include "micro/resize/resize_f32.h"
#include "micro/resize/resize_pick.h"
#include "micro/resize/resize_taps_prepare.h"
#include "micro/resize/transform_bilinear_f32.h"
#include "tensor/status.h"

typedef struct resize {
    struct oribi_micro_resize_rule rule;
    oribi_sizes in, out;     /* of one rank */
    float *scales, *lengths; /* one for each dimension */
    int32_t element_bytes;
    int32_t axes[2]; /* that change, in their order; -1: none */
} resize;

/* --- What a dimension needs ------------------------------------------------------------------ */

typedef struct taps {   /* of one output axis */
    int32_t in, out, n; /* n for each element of the output */
    const int32_t *places;
    const float *weights;
} taps;

/* Finds what output axis `axis` reads (-1: one of one element). */
static bool read_taps(oribi_lowering *lowering, const resize *r, int32_t axis, taps *out)
{
    static const struct oribi_micro_resize_rule same = {0, ORIBI_MICRO_RESIZE_NEAREST, 0, 0, 0, 0};
    const struct oribi_micro_resize_rule *rule = axis < 0 ? &same : &r->rule;
    struct oribi_micro_resize_axis a = {1, 1, 1.0f, 1.0f, 0.0f, 1.0f};
    if (axis >= 0) {
        a.in = r->in.at[axis];
        a.out = r->out.at[axis];
        a.scale = r->scales[axis];
        a.length = r->lengths[axis];
    }
    const int64_t n = oribi_micro_resize_taps(rule, &a);
    int32_t *index =
        oribi_claim_array(lowering->arena, (size_t)(a.out * n), sizeof *index, lowering->status);
    float *weight =
        oribi_claim_array(lowering->arena, (size_t)(a.out * n), sizeof *weight, lowering->status);
    ORIBI_TRY(index != NULL && weight != NULL);
    for (int64_t i = 0; i < a.out; i++) {
        (void)oribi_micro_resize_tap(rule, &a, i, index + i * n, weight + i * n);
    }
    *out = (taps){(int32_t)a.in, (int32_t)a.out, (int32_t)n, index, weight};
    return true;
}

static int32_t product(const oribi_sizes *dims, int32_t from, int32_t to)
{
    int32_t n = 1;
    for (int32_t i = from; i < to; i++) {
        n *= dims->at[i]; /* checked: all of them fit */
    }
    return n;
}

/* Elements before, between and behind the two dimensions. */
typedef struct spans {
    int32_t outer, middle, inner;
} spans;

static bool set_pick(oribi_lowering *lowering, oribi_call *call, const taps *rows,
                     const taps *columns, const spans *s, int32_t element_bytes)
{
    const struct oribi_micro_resize_pick_args args = {
        .rows = rows->places,
        .columns = columns->places,
        .outer = s->outer,
        .middle = s->middle,
        .inner_bytes = s->inner * element_bytes,
        .in_h = rows->in,
        .out_h = rows->out,
        .in_w = columns->in,
        .out_w = columns->out,
    };
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "resize_pick", resize_pick, &args));
    ORIBI_CALL_PLACE(call, &args, rows, (int64_t)rows->out * rows->n);
    ORIBI_CALL_PLACE(call, &args, columns, (int64_t)columns->out * columns->n);
    return true;
}

static bool set_weighed(oribi_lowering *lowering, oribi_call *call, const taps *rows,
                        const taps *columns, const spans *s)
{
    const struct oribi_micro_resize_f32_args args = {
        .rows = rows->places,
        .columns = columns->places,
        .row_weights = rows->weights,
        .column_weights = columns->weights,
        .outer = s->outer,
        .middle = s->middle,
        .inner = s->inner,
        .in_h = rows->in,
        .out_h = rows->out,
        .row_taps = rows->n,
        .in_w = columns->in,
        .out_w = columns->out,
        .column_taps = columns->n,
    };
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "resize_f32", resize_f32, &args));
    ORIBI_CALL_PLACE(call, &args, rows, (int64_t)rows->out * rows->n);
    ORIBI_CALL_PLACE(call, &args, row_weights, (int64_t)rows->out * rows->n);
    ORIBI_CALL_PLACE(call, &args, columns, (int64_t)columns->out * columns->n);
    ORIBI_CALL_PLACE(call, &args, column_weights, (int64_t)columns->out * columns->n);
    return true;
}

static bool set_call(oribi_lowering *lowering, oribi_call *call, const resize *r)
{
    const bool is_nearest = r->rule.mode == ORIBI_MICRO_RESIZE_NEAREST || r->axes[1] < 0;
    const int32_t h = r->axes[0], w = r->axes[1];
    const int32_t at_h = h < 0 ? 0 : h, behind_h = h < 0 ? 0 : h + 1, at_w = w < 0 ? r->in.n : w;
    const spans s = {product(&r->in, 0, at_h), product(&r->in, behind_h, at_w),
                     product(&r->in, w < 0 ? r->in.n : w + 1, r->in.n)};
    taps rows, columns;
    call->n_inputs = 1;
    ORIBI_TRY(read_taps(lowering, r, h, &rows) && read_taps(lowering, r, w, &columns));
    return is_nearest ? set_pick(lowering, call, &rows, &columns, &s, r->element_bytes)
                      : set_weighed(lowering, call, &rows, &columns, &s);
}

static bool read_sizes(oribi_lowering *lowering, oribi_call *call, resize *r)
{
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    const oribi_value *y = oribi_lower_output(lowering, call);
    ORIBI_TRY(oribi_lower_is_plain(lowering, call));
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &r->in, &r->element_bytes) &&
              oribi_lower_sizes(lowering, call, y, &r->out, NULL));
    if (r->out.n != r->in.n || x->dtype != y->dtype || oribi_lower_bytes(x) > INT32_MAX ||
        oribi_lower_bytes(y) > INT32_MAX) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    r->scales = oribi_claim_array(lowering->arena, (size_t)r->in.n + 1, sizeof *r->scales,
                                  lowering->status);
    r->lengths = oribi_claim_array(lowering->arena, (size_t)r->in.n + 1, sizeof *r->lengths,
                                   lowering->status);
    ORIBI_TRY(r->scales != NULL && r->lengths != NULL);
    return r->rule.mode == ORIBI_MICRO_RESIZE_NEAREST || x->dtype == TF_FLOAT ||
           oribi_lower_refuse(lowering, call, "weighs elements that are not floats");
}

/* Dimension `axis` changes; the second one is the last. */
static bool take_axis(oribi_lowering *lowering, const oribi_call *call, resize *r, int32_t axis)
{
    if (r->axes[0] >= 0) {
        return oribi_lower_refuse(lowering, call, "resizes more than two dimensions");
    }
    r->axes[0] = r->axes[1];
    r->axes[1] = axis;
    return true;
}

bool oribi_lower_transform_bilinear(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes in, out;
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    ORIBI_TRY(oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 0), &in, NULL) &&
              oribi_lower_sizes(lowering, call, oribi_lower_output(lowering, call), &out, NULL));
    if (in.n != 4 || out.n != 4 || in.at[0] != 1 ||
        oribi_lower_count(oribi_lower_input(lowering, call, 1)) != 16) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    const struct oribi_micro_transform_bilinear_f32_args args = {
        .height = in.at[1],
        .width = in.at[2],
        .channels = in.at[3],
        .rows = out.at[1],
        .columns = out.at[2],
        .half_pixel = oribi_lower_bool(call, "half_pixel") ? 1 : 0};
    call->n_inputs = 2;
    call->macs = 4 * oribi_lower_count(oribi_lower_output(lowering, call));
    return ORIBI_CALL_SET(lowering, call, "transform_bilinear_f32", transform_bilinear_f32, &args);
}

/* --- ONNX>Resize ----------------------------------------------------------------------------- */

/* The text of an attribute, cut where it is longer than any word. */
static void read_word(const oribi_call *call, const char *name, char out[32])
{
    const oribi_attr *attr = oribi_attrs_find(&call->node->attrs, name);
    out[0] = 0;
    if (attr != NULL && attr->kind == TF_ATTR_STRING && !attr->is_list) {
        const size_t n = attr->u.s[0].length < 31 ? attr->u.s[0].length : 31;
        memcpy(out, attr->u.s[0].data, n);
        out[n] = 0;
    }
}

static bool read_rule(oribi_lowering *lowering, const oribi_call *call,
                      struct oribi_micro_resize_rule *out)
{
    char coordinates[32], mode[32], nearest[32];
    read_word(call, "coordinate_transformation_mode", coordinates);
    read_word(call, "mode", mode);
    read_word(call, "nearest_mode", nearest);
    out->coordinates = oribi_micro_resize_coordinates(coordinates);
    out->mode = oribi_micro_resize_mode(mode);
    out->nearest = oribi_micro_resize_nearest_mode(nearest);
    out->exclude_outside = oribi_lower_int(call, "exclude_outside", 0) != 0 ? 1 : 0;
    out->cubic_a = oribi_lower_float(call, "cubic_coeff_a");
    out->antialias = oribi_lower_int(call, "antialias", 0) != 0 ? 1 : 0;
    if (out->coordinates < 0 || out->mode < 0 || out->nearest < 0 ||
        out->coordinates == ORIBI_MICRO_RESIZE_TF_CROP) {
        return oribi_lower_refuse(lowering, call, "tf_crop_and_resize cannot be compiled");
    }
    return oribi_lower_is(call, "keep_aspect_ratio_policy", "stretch") ||
           oribi_lower_refuse(lowering, call, "compiles with the policy 'stretch' only");
}

/* The input that is ONNX's number `wanted` (X, roi, scales, sizes); -1: absent. */
static int32_t find_input(const oribi_call *call, int32_t wanted)
{
    const oribi_attr *present = oribi_attrs_find(&call->node->attrs, "present");
    const bool is_given = present != NULL && present->count > 0;
    int32_t at = 0;
    for (int32_t i = 0; i <= wanted; i++) {
        const bool is_there =
            is_given ? i < present->count && present->u.b[i] != 0 : i < call->node->n_inputs;
        if (i == wanted) {
            return is_there && at < call->node->n_inputs ? at : -1;
        }
        at += is_there ? 1 : 0;
    }
    return -1;
}

/* The scale of each dimension: 1, or what `scales` or the sizes say. */
static bool read_scales(oribi_lowering *lowering, oribi_call *call, resize *r)
{
    const int32_t scales_at = find_input(call, 2), sizes_at = find_input(call, 3);
    const oribi_attr *axes = oribi_attrs_find(&call->node->attrs, "axes");
    const int32_t n = axes != NULL && axes->count > 0 ? axes->count : r->in.n;
    const float *scales = NULL;
    for (int32_t i = 0; i < r->in.n; i++) {
        r->scales[i] = 1.0f;
        r->lengths[i] = (float)r->out.at[i];
    }
    if (sizes_at < 0) {
        scales = scales_at < 0 ? NULL : oribi_lower_constant(lowering, call, scales_at, TF_FLOAT);
        if (scales == NULL ||
            oribi_lower_count(oribi_lower_input(lowering, call, scales_at)) != n) {
            return oribi_lower_refuse(lowering, call, "needs its scales or sizes as constants");
        }
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t axis;
        const int64_t given = axes != NULL && axes->count > 0 ? axes->u.i[i] : i;
        ORIBI_TRY(oribi_lower_axis(lowering, call, given, r->in.n, &axis));
        r->scales[axis] =
            scales != NULL ? scales[i] : (float)((double)r->out.at[axis] / (double)r->in.at[axis]);
        r->lengths[axis] =
            scales != NULL ? (float)r->in.at[axis] * scales[i] : (float)r->out.at[axis];
    }
    return true;
}

bool oribi_lower_resize_onnx(oribi_lowering *lowering, oribi_call *call)
{
    resize r = {.axes = {-1, -1}};
    ORIBI_TRY(read_rule(lowering, call, &r.rule) && read_sizes(lowering, call, &r) &&
              read_scales(lowering, call, &r));
    for (int32_t axis = 0; axis < r.in.n; axis++) {
        const bool is_same =
            r.in.at[axis] == r.out.at[axis] && !(r.scales[axis] < 1.0f) && !(r.scales[axis] > 1.0f);
        ORIBI_TRY(is_same || take_axis(lowering, call, &r, axis));
    }
    return set_call(lowering, call, &r);
}
