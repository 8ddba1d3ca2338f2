/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers and transforms of them. Arithmetic is made of that of the two parts.
 */
#include <string.h>

#include "import/tensorflow/tf_emit.h"

typedef const oribi_tf_maker *maker;
typedef const oribi_graphdef_node *from;
typedef oribi_value_id value;

/* A transform of complex numbers along one of the last axes: -1, -2, -3. */
static value transform(maker m, value x, int32_t axis, bool is_inverse)
{
    const value re = oribi_tf_emit1(m, "Real", x), im = oribi_tf_emit1(m, "Imag", x);
    const value both = oribi_tf_emit(m, "Pack", INPUTS(re, im), ATTRS(ATTR_INT("axis", -1)));
    static const TF_DataType types[] = {TF_FLOAT};
    const value done = oribi_tf_emit(
        m, "ONNX>DFT", &both, 1,
        ATTRS(ATTR_TYPE("T", TF_FLOAT), ATTR_TYPES("Tinputs", types, 1), ATTR_INT("axis", axis - 1),
              ATTR_INT("inverse", is_inverse), ATTR_INT("since_version", 17)));
    return oribi_tf_complex(m, oribi_tf_gather(m, done, oribi_tf_int(m, 0), -1),
                            oribi_tf_gather(m, done, oribi_tf_int(m, 1), -1));
}

static value fft(maker m, from node)
{
    return transform(m, node->inputs[0], -1, false);
}

static value ifft(maker m, from node)
{
    return transform(m, node->inputs[0], -1, true);
}

static value fft_2d(maker m, from node)
{
    return transform(m, transform(m, node->inputs[0], -1, false), -2, false);
}

static value ifft_2d(maker m, from node)
{
    return transform(m, transform(m, node->inputs[0], -1, true), -2, true);
}

static value fft_3d(maker m, from node)
{
    return transform(m, fft_2d(m, node), -3, false);
}

static value ifft_3d(maker m, from node)
{
    return transform(m, ifft_2d(m, node), -3, true);
}

/* Real numbers from the half of their spectrum: the other half is its mirror. */
static value real_from_half(maker m, value x, value n)
{
    const value i = oribi_tf_count_to(m, n);
    const value mirrored = oribi_tf_emit2(m, "Sub", n, i);
    const value places = oribi_tf_emit2(m, "Minimum", i, mirrored);
    /* 1 in the first half, -1 in the second; nothing at its ends, which are real. */
    const value side = oribi_tf_emit1(m, "Sign", oribi_tf_emit2(m, "Sub", mirrored, i));
    const value sign = oribi_tf_cast(
        m, oribi_tf_emit2(m, "Mul", side, oribi_tf_emit2(m, "Minimum", i, oribi_tf_int(m, 1))),
        TF_FLOAT);
    const value re = oribi_tf_gather(m, oribi_tf_emit1(m, "Real", x), places, -1);
    const value im = oribi_tf_emit2(
        m, "Mul", oribi_tf_gather(m, oribi_tf_emit1(m, "Imag", x), places, -1), sign);
    return oribi_tf_emit1(m, "Real", transform(m, oribi_tf_complex(m, re, im), -1, true));
}

static value irfft(maker m, from node)
{
    return real_from_half(m, node->inputs[0], oribi_tf_scalar(m, node->inputs[1]));
}

static value irfft_2d(maker m, from node)
{
    return real_from_half(m, transform(m, node->inputs[0], -2, true),
                          oribi_tf_take(m, node->inputs[1], oribi_tf_int(m, 1)));
}

/* --- Arithmetic ------------------------------------------------------------------------------- */

#define PARTS "a = Real($0); b = Imag($0); c = Real($1); d = Imag($1); "
static const oribi_tf_row rows[] = {
    {"Abs", 1, NULL, NULL, "ComplexAbs($0)"},
    {"Add", 2, NULL, NULL, PARTS "complex(AddV2(a, c), AddV2(b, d))"},
    {"AddV2", 2, NULL, NULL, PARTS "complex(AddV2(a, c), AddV2(b, d))"},
    {"Div", 2, NULL, NULL,
     PARTS "s = AddV2(Square(c), Square(d)); complex(RealDiv(AddV2(Mul(a, c), Mul(b, d)), s), "
           "RealDiv(Sub(Mul(b, c), Mul(a, d)), s))"},
    {"Exp", 1, NULL, NULL,
     "a = Exp(Real($0)); b = Imag($0); complex(Mul(a, Cos(b)), Mul(a, Sin(b)))"},
    {"Mul", 2, NULL, NULL, PARTS "complex(Sub(Mul(a, c), Mul(b, d)), AddV2(Mul(a, d), Mul(b, c)))"},
    {"Neg", 1, NULL, NULL, "complex(Neg(Real($0)), Neg(Imag($0)))"},
    {"RealDiv", 2, NULL, NULL,
     PARTS "s = AddV2(Square(c), Square(d)); complex(RealDiv(AddV2(Mul(a, c), Mul(b, d)), s), "
           "RealDiv(Sub(Mul(b, c), Mul(a, d)), s))"},
    {"Sub", 2, NULL, NULL, PARTS "complex(Sub(a, c), Sub(b, d))"},
};
static const oribi_tf_row to_real = {"Cast", 1, NULL, NULL, "Real($0)"};
static const oribi_tf_row to_complex = {"Cast", 1, NULL, NULL,
                                        "a = Cast{DstT=1}($0); complex(a, Mul(a, 0.0))"};

const oribi_tf_row *oribi_tf_complex_row_of(const oribi_graph *graph,
                                            const oribi_graphdef_node *node)
{
    if (node->n_inputs < 1 || node->inputs[0] < 0) {
        return NULL;
    }
    const bool is_complex = graph->values[node->inputs[0]]->dtype == TF_COMPLEX64;
    if (strcmp(node->op, "Cast") == 0) {
        const TF_DataType to = oribi_tf_attr_type(node, "DstT", TF_FLOAT);
        return is_complex && to == TF_FLOAT        ? &to_real
               : !is_complex && to == TF_COMPLEX64 ? &to_complex
                                                   : NULL;
    }
    for (size_t i = 0; is_complex && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].op, node->op) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

const oribi_tf_row oribi_tf_fourier_rows[] = {
    {"Angle", 1, NULL, NULL, "Atan2(Imag($0), Real($0))"},
    {"Complex", 2, NULL, NULL,
     "t = Equal(0, 0); complex(SelectV2(t, $0, $1), SelectV2(t, $1, $0))"},
    {"Conj", 1, NULL, NULL, "complex(Real($0), Neg(Imag($0)))"},
    {"FFT", 1, fft, NULL, NULL},
    {"FFT2D", 1, fft_2d, NULL, NULL},
    {"FFT3D", 1, fft_3d, NULL, NULL},
    {"IFFT", 1, ifft, NULL, NULL},
    {"IFFT2D", 1, ifft_2d, NULL, NULL},
    {"IFFT3D", 1, ifft_3d, NULL, NULL},
    {"IRFFT", 2, irfft, NULL, NULL},
    {"IRFFT2D", 2, irfft_2d, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
