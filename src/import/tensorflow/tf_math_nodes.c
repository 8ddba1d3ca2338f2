/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that compute, which are made of others; see tf_formula_nodes.c, too. */
#include "import/tensorflow/tf_emit.h"

typedef const oribi_tf_maker *maker;
typedef const oribi_graphdef_node *from;
typedef oribi_value_id value;

static value like(maker m, value x, double number)
{
    return oribi_tf_number(m, oribi_tf_dtype(m, x), number);
}

/* How many of the boundaries are not above each element. */
static value bucketize(maker m, from node)
{
    int32_t n;
    const float *numbers = oribi_tf_attr_floats(m, node, "boundaries", &n);
    const int64_t dims[] = {n};
    const value boundaries = oribi_ok(m->status)
                                 ? oribi_graph_add_constant_copy(m->tf->graph, m->name, TF_FLOAT,
                                                                 dims, 1, numbers, m->status)
                                 : -1;
    const value x = oribi_tf_expand(m, oribi_tf_cast(m, node->inputs[0], TF_FLOAT), -1);
    const value above =
        oribi_tf_cast(m, oribi_tf_emit2(m, "GreaterEqual", x, boundaries), TF_INT32);
    return oribi_tf_reduce(m, "Sum", above, oribi_tf_int(m, -1), false);
}

/* How many elements are in each of bins of one width. */
static value histogram(maker m, from node)
{
    const value x = node->inputs[0], range = node->inputs[1], bins = node->inputs[2];
    const TF_DataType dtype = oribi_tf_attr_type(node, "dtype", TF_INT32);
    const value low = oribi_tf_cast(m, oribi_tf_take(m, range, oribi_tf_int(m, 0)), TF_DOUBLE);
    const value high = oribi_tf_cast(m, oribi_tf_take(m, range, oribi_tf_int(m, 1)), TF_DOUBLE);
    const value step = oribi_tf_emit2(m, "RealDiv", oribi_tf_emit2(m, "Sub", high, low),
                                      oribi_tf_cast(m, bins, TF_DOUBLE));
    const value apart = oribi_tf_emit2(m, "Sub", oribi_tf_cast(m, x, TF_DOUBLE), low);
    const value bin = oribi_tf_emit1(m, "Floor", oribi_tf_emit2(m, "RealDiv", apart, step));
    const value last =
        oribi_tf_cast(m, oribi_tf_emit2(m, "Sub", bins, oribi_tf_int(m, 1)), TF_DOUBLE);
    const value kept = oribi_tf_emit2(
        m, "Minimum", last, oribi_tf_emit2(m, "Maximum", oribi_tf_number(m, TF_DOUBLE, 0), bin));
    const value places =
        oribi_tf_reshape(m, oribi_tf_cast(m, kept, TF_INT32), (const int32_t[]){-1, 1}, 2);
    const value ones =
        oribi_tf_emit2(m, "Fill", oribi_tf_as_vector(m, oribi_tf_size_of(m, places, 0)),
                       oribi_tf_number(m, dtype, 1));
    return oribi_tf_emit3(m, "ScatterNd", places, ones, oribi_tf_as_vector(m, bins));
}

/* --- Fake quantisation ------------------------------------------------------------------------ */

typedef struct grid {
    value low, high, scale, inverse; /* numbers, or vectors of one for each channel */
} grid;

/* A grid of numbers from `least` to `most`, moved so that nought is one of them. */
static grid nudged(maker m, value low, value high, double least, double most)
{
    const value first = oribi_tf_number(m, TF_FLOAT, least);
    const value last = oribi_tf_number(m, TF_FLOAT, most);
    const value steps = oribi_tf_number(m, TF_FLOAT, most - least);
    const value width = oribi_tf_emit2(m, "Sub", high, low);
    grid g = {.scale = oribi_tf_emit2(m, "RealDiv", width, steps),
              .inverse = oribi_tf_emit2(m, "RealDiv", steps, width)};
    const value zero = oribi_tf_emit2(m, "Sub", first, oribi_tf_emit2(m, "RealDiv", low, g.scale));
    /* Halves go away from nought, and what is beyond the ends is at them. */
    const value whole = oribi_tf_emit1(
        m, "Floor", oribi_tf_emit2(m, "AddV2", zero, oribi_tf_number(m, TF_FLOAT, 0.5)));
    const value point =
        oribi_tf_emit2(m, "Minimum", last, oribi_tf_emit2(m, "Maximum", first, whole));
    g.low = oribi_tf_emit2(m, "Mul", oribi_tf_emit2(m, "Sub", first, point), g.scale);
    g.high = oribi_tf_emit2(m, "Mul", oribi_tf_emit2(m, "Sub", last, point), g.scale);
    return g;
}

static value fake_quantised(maker m, from node, value low, value high)
{
    const int64_t bits = oribi_tf_attr_int(node, "num_bits", 8);
    if (bits < 2 || bits > 16) {
        oribi_fail(m->status, TF_INVALID_ARGUMENT, "%lld bits", (long long)bits);
        return -1;
    }
    const grid g = nudged(m, low, high, oribi_tf_attr_bool(node, "narrow_range", false) ? 1 : 0,
                          (double)((INT64_C(1) << bits) - 1));
    const value x =
        oribi_tf_emit2(m, "Maximum", g.low, oribi_tf_emit2(m, "Minimum", g.high, node->inputs[0]));
    const value place = oribi_tf_emit2(m, "Mul", oribi_tf_emit2(m, "Sub", x, g.low), g.inverse);
    const value whole = oribi_tf_emit1(
        m, "Floor", oribi_tf_emit2(m, "AddV2", place, oribi_tf_number(m, TF_FLOAT, 0.5)));
    return oribi_tf_emit2(m, "AddV2", oribi_tf_emit2(m, "Mul", whole, g.scale), g.low);
}

static value fake_quant_args(maker m, from node)
{
    return fake_quantised(m, node,
                          oribi_tf_number(m, TF_FLOAT, oribi_tf_attr_float(node, "min", -6)),
                          oribi_tf_number(m, TF_FLOAT, oribi_tf_attr_float(node, "max", 6)));
}

static value fake_quant_vars(maker m, from node)
{
    return fake_quantised(m, node, node->inputs[1], node->inputs[2]);
}

/* --- Quantised and back ----------------------------------------------------------------------- */

/* Numbers of as many bits, symmetric about nought. has_range: where no attribute says it. */
static value quantise_and_dequantise(maker m, from node, value bits, bool has_range)
{
    oribi_dims known;
    const value x = node->inputs[0];
    const bool is_signed = oribi_tf_attr_bool(node, "signed_input", true);
    const bool narrow = oribi_tf_attr_bool(node, "narrow_range", false);
    const bool halves_up = oribi_tf_attr_is(node, "round_mode", "HALF_UP");
    if (!oribi_tf_known_ints(m, bits, "the number of bits", &known) ||
        oribi_tf_attr_int(node, "axis", -1) != -1 || known.n != 1 || known.at[0] < 1 ||
        known.at[0] > 30) {
        (void)(!oribi_ok(m->status) || oribi_fail(m->status, TF_UNIMPLEMENTED,
                                                  "quantised by channel, or to more than 30 bits"));
        return -1;
    }
    value low = node->inputs[1], high = node->inputs[2];
    if (!oribi_tf_attr_bool(node, "range_given", has_range)) {
        const value flat = oribi_tf_reshape(m, x, (const int32_t[]){-1}, 1);
        low = oribi_tf_reduce(m, "Min", flat, oribi_tf_int(m, 0), false);
        high = oribi_tf_reduce(m, "Max", flat, oribi_tf_int(m, 0), false);
    }
    const double half = (double)(INT64_C(1) << (known.at[0] - (is_signed ? 1 : 0)));
    const double least = is_signed ? (narrow ? 1 - half : -half) : 0, most = half - 1;
    const value zero = like(m, x, 0);
    /* The scale of the side that reaches further, which the other then has too. */
    const value below = oribi_tf_emit3(
        m, "SelectV2",
        oribi_tf_emit2(m, "Greater", oribi_tf_emit2(m, "Mul", low, like(m, x, least)), zero),
        oribi_tf_emit2(m, "RealDiv", like(m, x, least), low), like(m, x, 3.4028234663852886e38));
    const value above = oribi_tf_emit3(
        m, "SelectV2",
        oribi_tf_emit2(m, "Greater", oribi_tf_emit2(m, "Mul", high, like(m, x, most)), zero),
        oribi_tf_emit2(m, "RealDiv", like(m, x, most), high), like(m, x, 3.4028234663852886e38));
    const value is_below = oribi_tf_emit2(m, "Less", below, above);
    const value scale = oribi_tf_emit3(m, "SelectV2", is_below, below, above);
    const value inverse = oribi_tf_emit3(m, "SelectV2", is_below,
                                         oribi_tf_emit2(m, "RealDiv", low, like(m, x, least)),
                                         oribi_tf_emit2(m, "RealDiv", high, like(m, x, most)));
    const value least_kept = oribi_tf_emit3(m, "SelectV2", is_below, low,
                                            oribi_tf_emit2(m, "Mul", inverse, like(m, x, least)));
    const value most_kept = oribi_tf_emit3(
        m, "SelectV2", is_below, oribi_tf_emit2(m, "Mul", inverse, like(m, x, most)), high);
    const value kept =
        oribi_tf_emit2(m, "Minimum", most_kept, oribi_tf_emit2(m, "Maximum", least_kept, x));
    const value scaled = oribi_tf_emit2(m, "Mul", kept, scale);
    const value whole =
        halves_up ? oribi_tf_emit1(m, "Floor", oribi_tf_emit2(m, "AddV2", scaled, like(m, x, 0.5)))
                  : oribi_tf_emit1(m, "Round", scaled);
    return oribi_tf_emit2(m, "Mul", whole, inverse);
}

static value quantise_and_dequantise_v2(maker m, from node)
{
    return quantise_and_dequantise(
        m, node, oribi_tf_int(m, (int32_t)oribi_tf_attr_int(node, "num_bits", 8)), false);
}

static value quantise_and_dequantise_v3(maker m, from node)
{
    return quantise_and_dequantise(m, node, node->inputs[3], true);
}

const oribi_tf_row oribi_tf_math_rows[] = {
    {"Bucketize", 1, bucketize, NULL, NULL},
    {"FakeQuantWithMinMaxArgs", 1, fake_quant_args, NULL, NULL},
    {"FakeQuantWithMinMaxVars", 3, fake_quant_vars, NULL, NULL},
    {"FakeQuantWithMinMaxVarsPerChannel", 3, fake_quant_vars, NULL, NULL},
    {"HistogramFixedWidth", 3, histogram, NULL, NULL},
    {"QuantizeAndDequantizeV2", 3, quantise_and_dequantise_v2, NULL, NULL},
    {"QuantizeAndDequantizeV3", 4, quantise_and_dequantise_v3, NULL, NULL},
    {"QuantizeAndDequantizeV4", 3, quantise_and_dequantise_v2, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
