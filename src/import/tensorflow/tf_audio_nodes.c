/* SPDX-License-Identifier: Apache-2.0 */
/* The front end of models that listen, made of other ops: spectra of sound, and their cepstra.
 */
#include <math.h>

#include "import/tensorflow/tf_emit.h"

typedef const oribi_tf_maker *maker;
typedef const oribi_graphdef_node *from;
typedef oribi_value_id value;

enum { MOST = 1 << 20 }; /* samples, bands */

static value floats(maker m, const float *numbers, int32_t rows, int32_t columns)
{
    const int64_t dims[] = {rows, columns};
    return numbers != NULL && oribi_ok(m->status)
               ? oribi_graph_add_constant_copy(m->tf->graph, m->name, TF_FLOAT, dims, 2, numbers,
                                               m->status)
               : -1;
}

static float *room(maker m, int64_t n)
{
    float *numbers = oribi_arena_array(&m->tf->kept, (size_t)n, sizeof *numbers);
    (void)(numbers != NULL || oribi_fail_memory(m->status));
    return numbers;
}

static double pi(void)
{
    return acos(-1.0);
}

/* Samples [n, channels] become [channels, frames, half of a spectrum]: frames that begin every
 * `stride` samples, under a window of von Hann, as long as the next power of two. */
static value spectrogram(maker m, from node)
{
    const int64_t size = oribi_tf_attr_int(node, "window_size", 0);
    const int64_t stride = oribi_tf_attr_int(node, "stride", 0);
    if (size < 2 || size > MOST || stride < 1 || stride > MOST) {
        oribi_fail(m->status, TF_INVALID_ARGUMENT, "a window of %lld samples each %lld samples",
                   (long long)size, (long long)stride);
        return -1;
    }
    int32_t length = 1;
    while (length < size) {
        length *= 2;
    }
    float *window = room(m, size);
    for (int64_t i = 0; window != NULL && i < size; i++) {
        window[i] = (float)(0.5 - 0.5 * cos(2 * pi() * (double)i / (double)size));
    }
    return oribi_tf_formula_of(
        m, node,
        INPUTS(node->inputs[0], oribi_tf_int(m, (int32_t)size), oribi_tf_int(m, (int32_t)stride),
               floats(m, window, 1, (int32_t)size), oribi_tf_ints(m, &length, 1)),
        "n = Maximum(0, AddV2(FloorDiv(Sub(GatherV2(Shape($0), 0, 0), $1), $2), 1)); "
        "i = AddV2(ExpandDims(Mul(Range(0, n, 1), $2), 1), Range(0, $1, 1)); "
        "x = RFFT(Mul(GatherV2(Transpose($0, [1, 0]), i, 1), $3), $4); %s",
        oribi_tf_attr_bool(node, "magnitude_squared", false)
            ? "AddV2(Square(Real(x)), Square(Imag(x)))"
            : "ComplexAbs(x)");
}

/* How much of each of n bands is in each of `count` coefficients: a cosine transform. */
static value cosines(maker m, int32_t n, int32_t count)
{
    float *numbers = room(m, (int64_t)n * count);
    for (int32_t i = 0; numbers != NULL && i < n * count; i++) {
        const double angle = i % count * pi() / n * (i / count + 0.5);
        numbers[i] = (float)(sqrt(2.0 / n) * cos(angle));
    }
    return floats(m, numbers, n, count);
}

/* Squared spectra [channels, frames, bins] and the samples of a second. Bands are triangles of one
 * width on the scale of mels, and overlap by halves; m: where each bin lies on it, in widths. */
static value cepstrum(maker m, from node)
{
    enum { MOST_BANDS = 4096 };
    const int64_t bands = oribi_tf_attr_int(node, "filterbank_channel_count", 40);
    const int64_t count = oribi_tf_attr_int(node, "dct_coefficient_count", 13);
    if (bands < 1 || bands > MOST_BANDS || count < 1 || count > bands) {
        oribi_fail(m->status, TF_INVALID_ARGUMENT, "%lld coefficients of %lld bands",
                   (long long)count, (long long)bands);
        return -1;
    }
    const double low = (double)oribi_tf_attr_float(node, "lower_frequency_limit", 20);
    const double high = (double)oribi_tf_attr_float(node, "upper_frequency_limit", 4000);
    const value inputs[] = {node->inputs[0],
                            node->inputs[1],
                            oribi_tf_number(m, TF_DOUBLE, low),
                            oribi_tf_number(m, TF_DOUBLE, high),
                            oribi_tf_number(m, TF_DOUBLE, 1127 * log1p(low / 700)),
                            oribi_tf_number(m, TF_DOUBLE, 1127 * log1p(high / 700)),
                            oribi_tf_int(m, (int32_t)bands),
                            cosines(m, (int32_t)bands, (int32_t)count)};
    return oribi_tf_formula_of(
        m, node, inputs, sizeof inputs / sizeof inputs[0],
        "n = GatherV2(Shape($0), 2, 0); i = Cast{DstT=2}(Range(0, n, 1)); "
        "h = RealDiv(Cast{DstT=2}($1), Cast{DstT=2}(Mul(2, Sub(n, 1)))); "
        "w = RealDiv(Sub($5, $4), Cast{DstT=2}(AddV2($6, 1))); "
        "m = RealDiv(Sub(Mul(Cast{DstT=2}(1127), Log1p(RealDiv(Mul(i, h), Cast{DstT=2}(700)))), "
        "$4), w); c = Cast{DstT=2}(Range(1, AddV2($6, 1), 1)); o = Cast{DstT=2}(0); "
        "t = Maximum(o, Sub(Cast{DstT=2}(1), Abs(Sub(ExpandDims(m, 1), c)))); "
        "b = Floor(AddV2(Cast{DstT=2}(1.5f), RealDiv($2, h))); e = Floor(RealDiv($3, h)); "
        "k = ExpandDims(LogicalAnd(GreaterEqual(i, b), LessEqual(i, e)), 1); "
        "t = like(SelectV2(k, t, o)); x = MatMul(Sqrt(Reshape($0, Pack(-1, n))), t); "
        "y = MatMul(Log(Maximum(x, 0.000000000001)), $7); "
        "Reshape(y, ConcatV2(Slice(Shape($0), [0], [2]), [-1], 0))");
}

const oribi_tf_row oribi_tf_audio_rows[] = {
    {"AudioSpectrogram", 1, spectrogram, NULL, NULL},
    {"Mfcc", 2, cepstrum, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
