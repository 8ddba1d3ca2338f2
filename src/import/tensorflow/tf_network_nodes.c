/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of networks that are made of other ops. */
#include <string.h>

#include "import/tensorflow/tf_emit.h"

typedef const oribi_tf_maker *maker;
typedef const oribi_graphdef_node *from;
typedef oribi_value_id value;

enum { SPACE = 3 };

static value transposed(maker m, value x, const int32_t perm[5])
{
    return oribi_tf_emit2(m, "Transpose", x, oribi_tf_ints(m, perm, 5));
}

/* A transposed convolution of volumes. Its output has the size that the input says, of which ONNX's
 * op makes what SAME and VALID mean where nothing is left over. */
static value conv_3d_backprop(maker m, from node)
{
    static const int32_t channels_first[] = {0, 4, 1, 2, 3}, channels_last[] = {0, 2, 3, 4, 1};
    static const int32_t filter_first[] = {4, 3, 0, 1, 2};
    int32_t n_strides, n_rates;
    const int64_t *strides = oribi_tf_attr_ints(m, node, "strides", &n_strides);
    const int64_t *rates = oribi_tf_attr_ints(m, node, "dilations", &n_rates);
    const bool is_same = oribi_tf_attr_is(node, "padding", "SAME");
    static const int64_t ones[] = {1, 1, 1, 1, 1};
    rates = n_rates == 5 ? rates : ones;
    if (n_strides != 5 || oribi_tf_attr_is(node, "data_format", "NCDHW")) {
        (void)(!oribi_ok(m->status) ||
               oribi_fail(m->status, TF_UNIMPLEMENTED, "its channels are not last"));
        return -1;
    }
    const value x = transposed(m, node->inputs[2], channels_first);
    const value w = transposed(m, node->inputs[1], filter_first);
    const value y = oribi_tf_emit(m, "ONNX>ConvTranspose", INPUTS(x, w),
                                  ATTRS(ATTR_INTS("strides", strides + 1, SPACE),
                                        ATTR_INTS("dilations", rates + 1, SPACE),
                                        ATTR_TEXT("auto_pad", is_same ? "SAME_UPPER" : "VALID")));
    const value last = transposed(m, y, channels_last);
    /* Another size is an error of the run. */
    return oribi_tf_emit2(m, "Reshape", last, node->inputs[0]);
}

/* With the mean and the variance of the batch, as in training. What the next gradient would read is
 * made too: V3 has it behind the first five. */
static value trained_norm(maker m, from node)
{
    return oribi_tf_formula_of(
        m, node, node->inputs, node->n_inputs,
        "m = Mean{keep_dims=1}($0, %s); c = Sub($0, m); v = Mean{keep_dims=1}(Square(c), %s); "
        "k = Shape(m); a = Reshape(m, [-1]); b = Reshape(v, [-1]); "
        "n = FloorDiv(Size($0), Maximum(Size(m), 1)); "
        "u = Mul(b, RealDiv(Cast{DstT=1}(n), Cast{DstT=1}(Maximum(Sub(n, 1), 1)))); "
        "AddV2(Mul(Mul(c, Rsqrt(AddV2(v, @epsilon:0.0001))), Reshape($1, k)), Reshape($2, k)), a, "
        "u, a, "
        "b, b",
        oribi_tf_attr_is(node, "data_format", "NCHW") ? "[0, 2, 3]" : "[0, 1, 2]",
        oribi_tf_attr_is(node, "data_format", "NCHW") ? "[0, 2, 3]" : "[0, 1, 2]");
}

/* Back through it: of the batch's own mean the other numbers of the batch are part. h: how far each
 * number is from the mean, in deviations. */
static value norm_grad(maker m, from node)
{
    const char *axes = oribi_tf_attr_is(node, "data_format", "NCHW") ? "[0, 2, 3]" : "[0, 1, 2]";
    if (!oribi_tf_attr_bool(node, "is_training", true)) {
        return oribi_tf_formula_of(
            m, node, node->inputs, node->n_inputs,
            "k = Shape(Sum{keep_dims=1}($1, %s)); r = Rsqrt(AddV2(Reshape($4, k), "
            "@epsilon:0.0001)); "
            "h = Mul(Sub($1, Reshape($3, k)), r); Mul(Mul(Reshape($2, k), r), $0), "
            "Sum(Mul($0, h), %s), Sum($0, %s), $3, $4",
            axes, axes, axes);
    }
    return oribi_tf_formula_of(
        m, node, node->inputs, node->n_inputs,
        "m = Mean{keep_dims=1}($1, %s); c = Sub($1, m); "
        "r = Rsqrt(AddV2(Mean{keep_dims=1}(Square(c), %s), @epsilon:0.0001)); h = Mul(c, r); "
        "Mul(Mul(Reshape($2, Shape(m)), r), Sub(Sub($0, Mean{keep_dims=1}($0, %s)), "
        "Mul(h, Mean{keep_dims=1}(Mul($0, h), %s)))), Sum(Mul($0, h), %s), Sum($0, %s), $3, $4",
        axes, axes, axes, axes, axes, axes);
}

#define NORM_GRAD_OUTPUTS                                                                          \
    "x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4"

const oribi_tf_row *oribi_tf_trained_row_of(const oribi_graphdef_node *node)
{
    static const oribi_tf_row row = {
        "FusedBatchNorm", 3, trained_norm,
        "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3", NULL};
    static const char name[] = "FusedBatchNorm"; /* or V2, V3 */
    const char last = strncmp(node->op, name, strlen(name)) == 0 ? node->op[strlen(name)] : 'G';
    const bool is_norm = last == '\0' || last == 'V';
    return is_norm && oribi_tf_attr_bool(node, "is_training", true) ? &row : NULL;
}

/* --- Cells ------------------------------------------------------------------------------------ */

/* What an LSTM's step adds to its forget gate, and beyond what its state is cut (at most 0: not at
 * all). The gates stand one behind the other: input, candidate, forget, output, unless the
 * candidate comes third. */
typedef struct lstm {
    float forget_bias, clip;
    bool candidate_is_third, looks;
} lstm;

static lstm lstm_of(from node, bool is_second)
{
    return (lstm){.forget_bias = is_second ? 0 : oribi_tf_attr_float(node, "forget_bias", 1),
                  .clip = oribi_tf_attr_float(node, "cell_clip", is_second ? 0 : 3),
                  .candidate_is_third = is_second,
                  .looks = oribi_tf_attr_bool(node, "use_peephole", false)};
}

/* Of x, the state and output before, weights, three vectors by which gates see the state, and a
 * bias: i, the new state, f, o, the candidate, the state's tanh, the new output. */
static value lstm_step(maker m, from node, const lstm *cell, const value given[8])
{
    const value inputs[] = {given[0],
                            given[1],
                            given[2],
                            given[3],
                            given[4],
                            given[5],
                            given[6],
                            given[7],
                            oribi_tf_number(m, TF_FLOAT, (double)cell->forget_bias),
                            oribi_tf_number(m, TF_FLOAT, (double)cell->clip)};
    return oribi_tf_formula_of(
        m, node, inputs, sizeof inputs / sizeof inputs[0],
        "g = BiasAdd(MatMul(ConcatV2($0, $2, 1), $3), $7); i = Split.0{num_split=4}(1, g); "
        "c = Tanh(Split.%d{num_split=4}(1, g)); f = AddV2(Split.%d{num_split=4}(1, g), $8); "
        "o = Split.3{num_split=4}(1, g); %s i = Sigmoid(i); f = Sigmoid(f); "
        "s = AddV2(Mul(c, i), Mul($1, f)); %s %s o = Sigmoid(o); t = Tanh(s); "
        "i, s, f, o, c, t, Mul(o, t)",
        cell->candidate_is_third ? 2 : 1, cell->candidate_is_third ? 1 : 2,
        cell->looks ? "i = AddV2(i, Mul($1, $4)); f = AddV2(f, Mul($1, $5));" : "",
        cell->clip > 0 ? "s = ClipByValue(s, Neg($9), $9);" : "",
        cell->looks ? "o = AddV2(o, Mul(s, $6));" : "");
}

static value lstm_cell(maker m, from node)
{
    const lstm cell = lstm_of(node, false);
    return lstm_step(m, node, &cell, node->inputs);
}

/* All steps, one behind the other: the file's own number of them. Behind the last that counts
 * everything is nought. */
static value lstm_steps(maker m, from node, bool is_second)
{
    enum { N_OUTPUTS = 7, MOST_STEPS = 1024 };
    const lstm cell = lstm_of(node, is_second);
    const value *in = node->inputs;
    const int64_t n = oribi_tf_rank(m, in[1]) == 3 ? m->tf->graph->values[in[1]]->shape.dims[0] : 0;
    if (n < 1 || n > MOST_STEPS || m->max < N_OUTPUTS) {
        oribi_fail(m->status, TF_UNIMPLEMENTED,
                   "its input has %lld steps; 1 to %d are supported, and a number that is known",
                   (long long)n, (int)MOST_STEPS);
        return -1;
    }
    value *made = oribi_arena_array(&m->tf->kept, (size_t)n * N_OUTPUTS, sizeof *made);
    if (made == NULL) {
        oribi_fail_memory(m->status);
        return -1;
    }
    value state = in[2], output = in[3];
    for (int32_t t = 0; t < n && oribi_ok(m->status); t++) {
        const value place = oribi_tf_int(m, t), x = oribi_tf_take(m, in[1], place);
        (void)lstm_step(m, node, &cell,
                        (const value[]){x, state, output, in[4], in[5], in[6], in[7], in[8]});
        if (!oribi_ok(m->status)) {
            return -1;
        }
        state = m->out[1];
        output = m->out[N_OUTPUTS - 1];
        const value counts = oribi_tf_emit2(m, "Less", place, oribi_tf_cast(m, in[0], TF_INT32));
        for (int32_t i = 0; i < N_OUTPUTS; i++) {
            made[i * n + t] =
                oribi_tf_emit3(m, "SelectV2", counts, m->out[i], oribi_tf_number(m, TF_FLOAT, 0));
        }
    }
    for (int32_t i = 0; i < N_OUTPUTS && oribi_ok(m->status); i++) {
        m->out[i] = oribi_tf_emit(m, "Pack", made + i * n, (int32_t)n, ATTRS(ATTR_INT("axis", 0)));
    }
    return m->out[0];
}

static value block_lstm(maker m, from node)
{
    return lstm_steps(m, node, false);
}

static value block_lstm_v2(maker m, from node)
{
    return lstm_steps(m, node, true);
}

/* --- Pools ------------------------------------------------------------------------------------ */

/* The place of each maximum in the picture, or in all of them: ONNX's op counts it in planes of
 * channels, here the channels come last. */
static value max_pool_with_places(maker m, from node)
{
    static const int32_t first[] = {0, 3, 1, 2}, last[] = {0, 2, 3, 1};
    int32_t n_sizes, n_strides;
    const int64_t *sizes = oribi_tf_attr_ints(m, node, "ksize", &n_sizes);
    const int64_t *strides = oribi_tf_attr_ints(m, node, "strides", &n_strides);
    const value x = node->inputs[0];
    if (n_sizes != 4 || n_strides != 4 || sizes[0] != 1 || sizes[3] != 1 || strides[0] != 1 ||
        strides[3] != 1 || m->max < 2) {
        (void)(!oribi_ok(m->status) ||
               oribi_fail(m->status, TF_UNIMPLEMENTED, "its windows reach over channels"));
        return -1;
    }
    const bool is_same = oribi_tf_attr_is(node, "padding", "SAME");
    const value planes = oribi_tf_emit2(m, "Transpose", x, oribi_tf_ints(m, first, 4));
    const oribi_node *pooled = oribi_tf_emit_node(
        m, "ONNX>MaxPool", &planes, 1,
        ATTRS(ATTR_INTS("kernel_shape", sizes + 1, 2), ATTR_INTS("strides", strides + 1, 2),
              ATTR_TEXT("auto_pad", is_same ? "SAME_UPPER" : "VALID")),
        2);
    if (pooled == NULL) {
        return -1;
    }
    const value perm = oribi_tf_ints(m, last, 4);
    const value top = oribi_tf_emit2(m, "Transpose", pooled->outputs[0], perm);
    const value place = oribi_tf_formula_of(
        m, node, INPUTS(x, oribi_tf_emit2(m, "Transpose", pooled->outputs[1], perm)),
        "s = Cast{DstT=9}(Shape($0)); h = GatherV2(s, 1, 0); w = GatherV2(s, 2, 0); "
        "c = GatherV2(s, 3, 0); b = Cast{DstT=9}(Range(0, GatherV2(Shape($0), 0, 0), 1)); "
        "p = Cast{DstT=9}(Range(0, GatherV2(Shape($0), 3, 0), 1)); "
        "b = Mul(Mul(Cast{DstT=9}(#include_batch_in_index:0), b), Mul(Mul(h, w), c)); "
        "p = AddV2(AddV2(Mul(FloorMod($1, Mul(h, w)), c), p), Reshape(b, [-1, 1, 1, 1])); "
        "Cast{DstT=#Targmax:9}(p)");
    m->out[1] = place;
    m->out[0] = top;
    return top;
}

/* What came of each maximum goes to its place. */
static value max_pool_gradient(maker m, from node)
{
    (void)max_pool_with_places(m, node);
    const value place = oribi_ok(m->status) ? m->out[1] : -1;
    return oribi_tf_formula_of(
        m, node, INPUTS(node->inputs[0], place, node->inputs[2]),
        "s = Shape($0); n = GatherV2(s, 0, 0); "
        "b = Mul(Range(0, n, 1), FloorDiv(Size($0), Maximum(n, 1))); "
        "i = AddV2(Cast{DstT=3}($1), Reshape(b, [-1, 1, 1, 1])); "
        "Reshape(UnsortedSegmentSum(Reshape($2, [-1]), Reshape(i, [-1]), Size($0)), s)");
}

/* A pool whose sizes are inputs. */
static value max_pool_v2(maker m, from node)
{
    oribi_dims sizes, strides;
    if (!oribi_tf_known_ints(m, node->inputs[1], "the size of its windows", &sizes) ||
        !oribi_tf_known_ints(m, node->inputs[2], "its strides", &strides)) {
        return -1;
    }
    const bool is_same = oribi_tf_attr_is(node, "padding", "SAME");
    const bool is_first = oribi_tf_attr_is(node, "data_format", "NCHW");
    return oribi_tf_emit(m, "MaxPool", node->inputs, 1,
                         ATTRS(ATTR_INTS("ksize", sizes.at, sizes.n),
                               ATTR_INTS("strides", strides.at, strides.n),
                               ATTR_TEXT("padding", is_same ? "SAME" : "VALID"),
                               ATTR_TEXT("data_format", is_first ? "NCHW" : "NHWC")));
}

/* --- Of older graphs -------------------------------------------------------------------------- */

/* Mean, variance, beta, gamma. */
static value batch_norm(maker m, from node)
{
    return oribi_tf_formula_of(
        m, node, node->inputs, node->n_inputs,
        "s = Rsqrt(AddV2($2, @variance_epsilon)); %s AddV2(Mul($0, s), Sub($3, Mul($1, s)))",
        oribi_tf_attr_bool(node, "scale_after_normalization", false) ? "s = Mul(s, $4);" : "");
}

const oribi_tf_row oribi_tf_network_rows[] = {
    {"FusedBatchNormGrad", 5, norm_grad, NORM_GRAD_OUTPUTS, NULL},
    {"FusedBatchNormGradV2", 5, norm_grad, NORM_GRAD_OUTPUTS, NULL},
    {"FusedBatchNormGradV3", 5, norm_grad,
     "x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5", NULL},
    {"BatchNormWithGlobalNormalization", 5, batch_norm, NULL, NULL},
    {"BiasAddV1", 2, NULL, NULL, "BiasAdd($0, $1)"},
    {"BlockLSTM", 9, block_lstm, "i cs f o ci co h", NULL},
    {"BlockLSTMV2", 9, block_lstm_v2, "i cs f o ci co h", NULL},
    {"Conv3DBackpropInputV2", 3, conv_3d_backprop, NULL, NULL},
    {"GRUBlockCell", 6, NULL, "r u c h",
     "g = Sigmoid(BiasAdd(MatMul(ConcatV2($0, $1, 1), $2), $4)); r = Split.0{num_split=2}(1, g); "
     "u = Split.1{num_split=2}(1, g); "
     "c = Tanh(BiasAdd(MatMul(ConcatV2($0, Mul($1, r), 1), $3), $5)); "
     "r, u, c, AddV2(Mul(Sub(1.0, u), c), Mul(u, $1))"},
    {"LSTMBlockCell", 8, lstm_cell, "i cs f o ci co h", NULL},
    {"MaxPoolGrad", 3, max_pool_gradient, NULL, NULL},
    {"MaxPoolV2", 3, max_pool_v2, NULL, NULL},
    {"MaxPoolWithArgmax", 1, max_pool_with_places, "output argmax", NULL},
    {NULL, 0, NULL, NULL, NULL},
};
