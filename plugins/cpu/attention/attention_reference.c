/* SPDX-License-Identifier: Apache-2.0 */
/* What Oribi>Attention means: softmax(scale * q . k, capped, plus mask) . v in plain loops with
 * double sums, and what every kernel of it takes. See attention.h.
 * Source   ONNX's Attention (opset 23 to 25); a query that sees no key gives zeros there, NaN where
 *          `safe_softmax` is false, as a softmax of its own does.
 */
#include "cpu/attention/attention.h"
#include "cpu/base/families.h"

#include <math.h>
#include <string.h>

static void read_layout(oribi_kit_setup *setup, const char *name, int8_t out[4])
{
    char layout[8] = "BHSD";
    oribi_kit_attr_string(setup, name, layout, sizeof layout);
    for (int axis = 0; axis < 4; axis++) {
        const char *at = strchr(layout, "BHSD"[axis]);
        out[axis] = (int8_t)(at != NULL ? at - layout : axis);
    }
}

void oribi_attention_attrs_read(oribi_kit_setup *setup, oribi_attention_attrs *out)
{
    read_layout(setup, "query_layout", out->query);
    read_layout(setup, "key_layout", out->key);
    read_layout(setup, "value_layout", out->value);
    read_layout(setup, "output_layout", out->output);
    oribi_kit_attr_float(setup, "scale", &out->scale);
    oribi_kit_attr_float(setup, "softcap", &out->softcap);
    oribi_kit_attr_bool(setup, "is_causal", &out->is_causal);
    oribi_kit_attr_int(setup, "causal_offset", &out->causal_offset);
    oribi_kit_attr_bool(setup, "safe_softmax", &out->is_safe);
    oribi_kit_attr_int(setup, "left_window", &out->left_window);
    oribi_kit_attr_int(setup, "N", &out->n_masks);
    oribi_kit_attr_int(setup, "n_spans", &out->n_spans);
    oribi_kit_attr_int(setup, "n_sinks", &out->n_sinks);
    if (oribi_kit_setup_is_ok(setup) &&
        (out->n_masks > 1 || out->n_spans > 1 || out->n_sinks > 1)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "N = %lld, n_spans = %lld, n_sinks = %lld: there is one of "
                                   "each at most",
                                   (long long)out->n_masks, (long long)out->n_spans,
                                   (long long)out->n_sinks);
    }
}

/* Dims of input `index`, batch first, and its strides. */
static bool take_operand(oribi_kit_run *run, int index, const int8_t places[4],
                         oribi_attention_operand *out, int64_t dims[4])
{
    oribi_cpu_shape shape;
    oribi_dims strides;
    if (!oribi_cpu_input_shape(run, index, &shape)) {
        return false;
    }
    if (shape.n != 4) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d must have 4 dimensions, not %d",
                              index, (int)shape.n);
    }
    oribi_cpu_strides(&shape, &strides);
    for (int axis = 0; axis < 4; axis++) {
        dims[axis] = shape.at[places[axis]];
    }
    *out = (oribi_attention_operand){.data = TF_TensorData(run->in[index]),
                                     .batch = dims[0] == 1 ? 0 : strides.at[places[0]],
                                     .head = strides.at[places[1]],
                                     .row = strides.at[places[2]],
                                     .column = strides.at[places[3]]};
    return true;
}

/* Spans of each batch or of all; a score of each head. */
static bool take_limits(oribi_kit_run *run, const oribi_attention_attrs *attrs,
                        oribi_attention_call *call)
{
    const int64_t at = 3 + attrs->n_masks;
    if (attrs->n_spans == 1) {
        const TF_Tensor *spans = oribi_kit_input(run, (int)at);
        const int64_t count = spans == NULL ? 0 : TF_TensorElementCount(spans);
        if (spans == NULL || (count != 2 && count != 2 * call->batches)) {
            return spans != NULL &&
                   oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%lld numbers in spans of %lld batches",
                                  (long long)count, (long long)call->batches);
        }
        call->spans = TF_TensorData(spans);
        call->spans_step = count == 2 ? 0 : 2;
    }
    if (attrs->n_sinks == 1) {
        const TF_Tensor *sinks = oribi_kit_input(run, (int)(at + attrs->n_spans));
        if (sinks == NULL || TF_TensorElementCount(sinks) != call->heads) {
            return sinks != NULL &&
                   oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%lld sinks of %lld heads",
                                  (long long)TF_TensorElementCount(sinks), (long long)call->heads);
        }
        call->sinks = TF_TensorData(sinks);
    }
    return true;
}

/* Of the last axis a mask may have as many elements as keys count. */
static bool covers(const oribi_attention_call *call, int64_t keys)
{
    bool good = call->spans != NULL;
    for (int64_t b = 0; good && b < call->batches; b++) {
        good = call->spans[b * call->spans_step] <= keys;
    }
    return good;
}

/* A mask broadcasts to batches x heads x queries x keys. */
static bool take_mask(oribi_kit_run *run, oribi_attention_call *call)
{
    const TF_Tensor *mask = oribi_kit_input(run, 3);
    oribi_cpu_shape scores = {4, {call->batches, call->heads, call->queries, call->keys}};
    oribi_cpu_shape shape;
    if (mask == NULL || !oribi_cpu_tensor_shape(run, mask, &shape)) {
        return false;
    }
    if (shape.n > 0 && shape.at[shape.n - 1] > 1 && covers(call, shape.at[shape.n - 1])) {
        scores.at[3] = shape.at[shape.n - 1];
    }
    for (int i = 1; i <= shape.n; i++) {
        if (i > 4 || (shape.at[shape.n - i] != 1 && shape.at[shape.n - i] != scores.at[4 - i])) {
            return oribi_kit_fail(
                run, TF_INVALID_ARGUMENT,
                "the mask's shape %s does not broadcast to that of the scores, %s",
                oribi_cpu_shape_text(&shape).chars, oribi_cpu_shape_text(&scores).chars);
        }
    }
    oribi_dims strides;
    oribi_cpu_broadcast_strides(&shape, &scores, &strides);
    call->mask =
        (oribi_attention_operand){NULL, strides.at[0], strides.at[1], strides.at[2], strides.at[3]};
    if (TF_TensorType(mask) == TF_BOOL) {
        call->mask_bits = TF_TensorData(mask);
    } else {
        call->mask.data = TF_TensorData(mask);
    }
    return true;
}

static bool check_dims(oribi_kit_run *run, const int64_t q[4], const int64_t k[4],
                       const int64_t v[4])
{
    const int64_t keys = k[0] != 1 ? k[0] : v[0], batches = q[0] != 1 ? q[0] : keys;
    const bool batches_fit = (k[0] == 1 || k[0] == batches) && (v[0] == 1 || v[0] == batches);
    if (!batches_fit || q[3] != k[3] || k[2] != v[2] || k[1] != v[1] ||
        (k[1] == 0 ? q[1] != 0 : q[1] % k[1] != 0)) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "queries [batch %lld, heads %lld, sequence %lld, head %lld], keys [%lld, %lld, %lld, "
            "%lld] and values [%lld, %lld, %lld, %lld] do not fit together",
            (long long)q[0], (long long)q[1], (long long)q[2], (long long)q[3], (long long)k[0],
            (long long)k[1], (long long)k[2], (long long)k[3], (long long)v[0], (long long)v[1],
            (long long)v[2], (long long)v[3]);
    }
    return true;
}

bool oribi_attention_take(oribi_kit_run *run, const oribi_attention_attrs *attrs,
                          oribi_attention_call *out)
{
    int64_t q[4], k[4], v[4];
    *out = (oribi_attention_call){.softcap = attrs->softcap, .is_safe = attrs->is_safe};
    if (!take_operand(run, 0, attrs->query, &out->query, q) ||
        !take_operand(run, 1, attrs->key, &out->key, k) ||
        !take_operand(run, 2, attrs->value, &out->value, v) || !check_dims(run, q, k, v)) {
        return false;
    }
    out->batches = q[0] != 1 ? q[0] : k[0] != 1 ? k[0] : v[0];
    out->heads = q[1];
    out->queries = q[2];
    out->depth = q[3];
    out->keys = k[2];
    out->width = v[3];
    out->heads_per_key = k[1] > 0 ? q[1] / k[1] : 1;
    out->scale = attrs->scale != 0.0f ? attrs->scale : 1.0f / sqrtf((float)q[3]);
    out->is_causal = attrs->is_causal;
    out->causal_offset = attrs->causal_offset;
    out->left_window = attrs->left_window;
    if (!take_limits(run, attrs, out)) {
        return false;
    }
    if (attrs->n_masks == 1 && !take_mask(run, out)) {
        return false;
    }
    const int64_t sizes[4] = {out->batches, out->heads, out->queries, out->width};
    oribi_cpu_shape shape = {.n = 4};
    oribi_dims strides;
    for (int axis = 0; axis < 4; axis++) {
        shape.at[attrs->output[axis]] = sizes[axis];
    }
    out->out = oribi_kit_output(run, 0, shape.at, 4);
    oribi_cpu_strides(&shape, &strides);
    out->output =
        (oribi_attention_operand){NULL, strides.at[attrs->output[0]], strides.at[attrs->output[1]],
                                  strides.at[attrs->output[2]], strides.at[attrs->output[3]]};
    return out->out != NULL;
}

/* --- Reference ------------------------------------------------------------------------------- */

enum { BLOCK = 16 }; /* numbers of a result that share the scores */

typedef struct reference_query { /* one query of one head */
    const oribi_attention_call *call;
    int64_t batch, head, row;
} reference_query;

static double score_of(const reference_query *q, int64_t key)
{
    const oribi_attention_call *c = q->call;
    const float *x =
        c->query.data + q->batch * c->query.batch + q->head * c->query.head + q->row * c->query.row;
    const float *y = c->key.data + q->batch * c->key.batch +
                     q->head / c->heads_per_key * c->key.head + key * c->key.row;
    const int64_t at = q->batch * c->mask.batch + q->head * c->mask.head + q->row * c->mask.row +
                       key * c->mask.column;
    double sum = 0.0;
    for (int64_t i = 0; i < c->depth; i++) {
        sum += (double)x[i * c->query.column] * (double)y[i * c->key.column];
    }
    sum *= (double)c->scale;
    sum = c->softcap > 0.0f ? (double)c->softcap * tanh(sum / (double)c->softcap) : sum;
    sum += c->mask.data != NULL ? (double)c->mask.data[at] : 0.0;
    return c->mask_bits != NULL && !c->mask_bits[at] ? -INFINITY : sum;
}

static void attend(const reference_query *q)
{
    const oribi_attention_call *c = q->call;
    const oribi_attention_range seen = oribi_attention_seen(c, q->batch, q->row);
    float *out =
        c->out + q->batch * c->output.batch + q->head * c->output.head + q->row * c->output.row;
    const float *v =
        c->value.data + q->batch * c->value.batch + q->head / c->heads_per_key * c->value.head;
    double largest = -INFINITY;
    for (int64_t key = seen.begin; key < seen.end; key++) {
        const double score = score_of(q, key);
        largest = score > largest ? score : largest;
    }
    largest = largest == -INFINITY ? 0.0 : largest;
    for (int64_t first = 0; first < c->width; first += BLOCK) {
        const int64_t n = c->width - first < BLOCK ? c->width - first : BLOCK;
        double sums[BLOCK] = {0.0}, total = 0.0;
        for (int64_t key = seen.begin; key < seen.end; key++) {
            const double power = exp(score_of(q, key) - largest);
            total += power;
            for (int64_t i = 0; i < n; i++) {
                sums[i] += power * (double)v[key * c->value.row + (first + i) * c->value.column];
            }
        }
        const bool sees_none = total == 0.0 && (c->is_safe || c->keys == 0);
        total += c->sinks != NULL ? exp((double)c->sinks[q->head] - largest) : 0.0;
        for (int64_t i = 0; i < n; i++) {
            out[(first + i) * c->output.column] = sees_none ? 0.0f : (float)(sums[i] / total);
        }
    }
}

ORIBI_KIT_CREATE(oribi_attention_attrs, oribi_attention_attrs)

static bool reference_run(const oribi_attention_attrs *attrs, oribi_kit_run *run)
{
    oribi_attention_call call;
    int64_t patience = 0;
    if (!oribi_attention_take(run, attrs, &call)) {
        return false;
    }
    reference_query q = {.call = &call};
    for (q.batch = 0; q.batch < call.batches; q.batch++) {
        for (q.head = 0; q.head < call.heads; q.head++) {
            for (q.row = 0; q.row < call.queries; q.row++) {
                attend(&q);
                if (oribi_kit_stops(run, &patience, call.keys * call.depth * (call.width + 1))) {
                    return false;
                }
            }
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(reference, 3)

const oribi_cpu_kernel oribi_cpu_attention_reference_kernels[] = {
    {.op_name = "Oribi>Attention",
     .types = {{"T", ORIBI_CPU_F32}, {"Tmask", ORIBI_CPU_F32 | ORIBI_KIT_TYPE(TF_BOOL)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = oribi_attention_attrs_create,
     .compute = reference_compute,
     .destroy = oribi_kit_free,
     .why = "plain loops, double sums"},
    {.op_name = NULL},
};
