/* SPDX-License-Identifier: Apache-2.0 */
/* What Oribi>MatMul4Bits means, in plain loops with double sums: a row times the weights of a
 * column, (number - zero point) * scale, plus a bias; at accuracy level 4 each block of a row is
 * rounded to 127 steps of its largest number first. And what every kernel of it takes. See bits.h.
 * Source   ONNX Runtime's MatMulNBits (ContribOperators.md), with 4 bits.
 */
#include "cpu/bits/bits.h"
#include "cpu/base/families.h"

#include "micro/dense/matmul_4_bits.h"

#include <math.h>

void oribi_bits_attrs_read(oribi_kit_setup *setup, oribi_bits_attrs *out)
{
    oribi_kit_attr_int(setup, "block_size", &out->block);
    oribi_kit_attr_int(setup, "accuracy_level", &out->level);
    oribi_kit_attr_int(setup, "n_zeros", &out->n_zeros);
    oribi_kit_attr_int(setup, "n_biases", &out->n_biases);
    if (oribi_kit_setup_is_ok(setup) &&
        (out->block < ORIBI_BITS_WORD || out->block > ORIBI_BITS_MOST_BLOCK ||
         out->block % ORIBI_BITS_WORD != 0 || out->n_zeros > 1 || out->n_biases > 1)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "block_size = %lld, n_zeros = %lld, n_biases = %lld: blocks are "
                                   "a multiple of %d up to %d, and there is one of each at most",
                                   (long long)out->block, (long long)out->n_zeros,
                                   (long long)out->n_biases, ORIBI_BITS_WORD,
                                   ORIBI_BITS_MOST_BLOCK);
    }
}

bool oribi_bits_weights_take(oribi_kit_run *run, const oribi_bits_attrs *attrs, int64_t out[3])
{
    oribi_cpu_shape weights, other;
    if (!oribi_cpu_input_shape(run, 1, &weights)) {
        return false;
    }
    if (weights.n != 3 || weights.at[2] != attrs->block / 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "weights of shape %s: [columns, blocks, %lld bytes] are wanted",
                              oribi_cpu_shape_text(&weights).chars, (long long)attrs->block / 2);
    }
    for (int i = 2; i < 3 + attrs->n_zeros; i++) {
        if (!oribi_cpu_input_shape(run, i, &other)) {
            return false;
        }
        const bool is_bits = TF_TensorType(run->in[i]) == TF_UINT8;
        const int64_t each = is_bits ? (weights.at[1] + 1) / 2 : weights.at[1];
        if (other.n != 2 || other.at[0] != weights.at[0] || other.at[1] != each) {
            return oribi_kit_fail(
                run, TF_INVALID_ARGUMENT, "input %d of shape %s: [%lld, %lld] is wanted", i,
                oribi_cpu_shape_text(&other).chars, (long long)weights.at[0], (long long)each);
        }
    }
    out[0] = weights.at[0];
    out[1] = weights.at[1];
    out[2] = weights.at[2];
    return true;
}

bool oribi_bits_shapes_take(oribi_kit_run *run, const oribi_bits_attrs *attrs,
                            const int64_t weights[3], oribi_bits_shapes *out)
{
    oribi_cpu_shape *shape = &out->out;
    if (!oribi_cpu_input_shape(run, 0, shape)) {
        return false;
    }
    out->n = weights[0];
    out->blocks = weights[1];
    out->k = shape->n > 0 ? shape->at[shape->n - 1] : -1;
    if (out->k < 1 || (out->k - 1) / attrs->block + 1 != out->blocks) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "rows of input 0, of shape %s, do not meet weights of %lld blocks of "
                              "%lld",
                              oribi_cpu_shape_text(shape).chars, (long long)out->blocks,
                              (long long)attrs->block);
    }
    out->m = oribi_cpu_product(shape->at, shape->n - 1);
    shape->at[shape->n - 1] = out->n;
    return true;
}

const float *oribi_bits_bias_take(oribi_kit_run *run, const oribi_bits_attrs *attrs, int64_t n)
{
    const TF_Tensor *bias = oribi_kit_input(run, 3 + (int)attrs->n_zeros);
    if (bias != NULL && TF_TensorElementCount(bias) != n) {
        (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a bias of %lld numbers for %lld columns",
                             (long long)TF_TensorElementCount(bias), (long long)n);
        return NULL;
    }
    return bias != NULL ? TF_TensorData(bias) : NULL;
}

ORIBI_KIT_CREATE(oribi_bits_attrs, oribi_bits_attrs)

/* What the plain kernels take. */
typedef struct reference_call {
    const oribi_bits_attrs *attrs;
    oribi_bits_shapes shapes;
    const uint8_t *weights;
    const float *a, *scales, *bias;
    const void *zeros;
    bool has_zero_bits;
    float *out;
} reference_call;

/* Takes all but the output. */
static bool take(const oribi_bits_attrs *attrs, oribi_kit_run *run, reference_call *c)
{
    int64_t weights[3];
    *c = (reference_call){.attrs = attrs};
    if ((attrs->n_zeros > 0 && oribi_kit_input(run, 3) == NULL) ||
        !oribi_bits_weights_take(run, attrs, weights) ||
        !oribi_bits_shapes_take(run, attrs, weights, &c->shapes)) {
        return false;
    }
    c->a = TF_TensorData(run->in[0]);
    c->weights = TF_TensorData(run->in[1]);
    c->scales = TF_TensorData(run->in[2]);
    c->zeros = attrs->n_zeros > 0 ? TF_TensorData(run->in[3]) : NULL;
    c->has_zero_bits = attrs->n_zeros > 0 && TF_TensorType(run->in[3]) == TF_UINT8;
    c->bias = attrs->n_biases > 0 ? oribi_bits_bias_take(run, attrs, c->shapes.n) : NULL;
    if (attrs->n_biases > 0 && c->bias == NULL) {
        return false;
    }
    c->out = oribi_kit_output(run, 0, c->shapes.out.at, c->shapes.out.n);
    return c->out != NULL;
}

/* The step of a block of `count` numbers; 0 where they are not rounded. */
static float step_of(const float *x, int64_t count)
{
    float most = 0.0F;
    for (int64_t i = 0; i < count; i++) {
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    }
    return most / 127.0F;
}

static double zero_at(const reference_call *c, int64_t column, int64_t block)
{
    if (c->zeros == NULL) {
        return 8.0;
    }
    return c->has_zero_bits
               ? (double)oribi_bits_zero(
                     (const char *)c->zeros + column * ((c->shapes.blocks + 1) / 2), block)
               : (double)((const float *)c->zeros)[column * c->shapes.blocks + block];
}

static double value_at(const reference_call *c, int64_t row, int64_t column)
{
    const int64_t block = c->attrs->block, k = c->shapes.k;
    double total = c->bias != NULL ? (double)c->bias[column] : 0.0;
    for (int64_t b = 0; b < c->shapes.blocks; b++) {
        const int64_t at = column * c->shapes.blocks + b;
        const int64_t count = k - b * block < block ? k - b * block : block;
        const uint8_t *bytes = c->weights + at * (block / 2);
        const float *x = c->a + row * k + b * block;
        const float step = step_of(x, count), inverse = step >= 0x1p-120F ? 1.0F / step : 0.0F;
        const double zero = zero_at(c, column, b);
        double sum = 0.0;
        for (int64_t i = 0; i < count; i++) {
            const double weight = (double)(i % 2 == 0 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4);
            const double value = oribi_bits_rounds(c->attrs)
                                     ? (double)step * (double)rintf(x[i] * inverse)
                                     : (double)x[i];
            sum += value * (weight - zero);
        }
        total += sum * (double)c->scales[at];
    }
    return total;
}

static bool reference_run(const oribi_bits_attrs *attrs, oribi_kit_run *run)
{
    reference_call c;
    if (!take(attrs, run, &c)) {
        return false;
    }
    for (int64_t i = 0, patience = 0; i < c.shapes.m * c.shapes.n; i++) {
        c.out[i] = (float)value_at(&c, i / c.shapes.n, i % c.shapes.n);
        if (oribi_kit_stops(run, &patience, 8 * c.shapes.k)) {
            return false;
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(reference, 3)

/* --- As emitted C has it --------------------------------------------------------------------- */

static bool micro_run(const oribi_bits_attrs *attrs, oribi_kit_run *run)
{
    reference_call c;
    if (!take(attrs, run, &c)) {
        return false;
    }
    const oribi_bits_shapes *s = &c.shapes;
    if (s->k > INT32_MAX || s->n > INT32_MAX) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "kernels of micro/ count up to 2^31");
    }
    const struct oribi_micro_matmul_4_bits_args args = {.rows = 1,
                                                        .inner = (int32_t)s->k,
                                                        .columns = (int32_t)s->n,
                                                        .block = (int32_t)attrs->block,
                                                        .weights = c.weights,
                                                        .scales = c.scales,
                                                        .zeros = c.zeros,
                                                        .has_zero_bits = c.has_zero_bits,
                                                        .bias = c.bias};
    for (int64_t row = 0, patience = 0; row < s->m; row++) {
        oribi_micro_matmul_4_bits(&args, c.a + row * s->k, c.out + row * s->n);
        if (oribi_kit_stops(run, &patience, 8 * s->k * s->n)) {
            return false;
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(micro, 3)

const oribi_cpu_kernel oribi_cpu_matmul_bits_reference_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>MatMul4Bits", oribi_bits_attrs, reference,
                        "plain loops, double sums"),
    {.op_name = "Oribi>MatMul4Bits",
     .label = "micro",
     .priority = ORIBI_CPU_MICRO,
     .create = oribi_bits_attrs_create,
     .compute = micro_compute,
     .destroy = oribi_kit_free,
     .tolerance = 2e-4f,
     .why = "the arithmetic of emitted C"},
    {.op_name = NULL},
};
