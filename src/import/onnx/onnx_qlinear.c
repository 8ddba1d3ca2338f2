/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's layers of quantised tensors: integer sums, then one product in float, rounded half to even
 * and saturated. Convolutions and products whose parameters are constants become
 * ONNX>QLinearConv2D, other products ONNX>QLinearMatMul; the rest is formulas, exact where sums
 * stay below 2^24. Read next: onnx_microsoft.c, onnx_quant.c.
 */
#include <math.h>
#include <string.h>

#include "import/onnx/onnx_window.h"
#include "tensor/status.h"

/* Inputs of QLinearConv and QLinearMatMul by position. */
enum { X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS };

static void read_inputs(const oribi_onnx_node *n, oribi_value_id out[BIAS])
{
    for (int32_t i = 0; i < BIAS; i++) {
        out[i] = oribi_emit_input(n, i);
    }
}

/* --- Parameters that are constants ----------------------------------------------------------- */

static bool is_parameter(TF_DataType type)
{
    return type == TF_FLOAT || type == TF_INT32 || type == TF_INT8 || type == TF_UINT8;
}

static double read_number(const TF_Tensor *tensor, int64_t i)
{
    const void *data = TF_TensorData(tensor);
    switch ((int)TF_TensorType(tensor)) {
    case TF_FLOAT:
        return (double)((const float *)data)[i];
    case TF_INT32:
        return ((const int32_t *)data)[i];
    case TF_INT8:
        return ((const int8_t *)data)[i];
    default:
        return ((const uint8_t *)data)[i];
    }
}

/* One value for each of n channels of a parameter that has one, or as many; 0 of an absent one. */
static double *read_channels(oribi_onnx_node *n, oribi_value_id id, int64_t count)
{
    double *out = oribi_arena_array(&n->onnx->scratch, (size_t)count + 1, sizeof *out);
    if (out == NULL || id < 0) {
        return out;
    }
    if (!oribi_emit_is_constant(n, id) || !is_parameter(oribi_emit_dtype(n, id))) {
        return NULL;
    }
    TF_Tensor *tensor = oribi_graph_constant_tensor(n->graph, id, n->status);
    n->failed = tensor == NULL;
    const int64_t found = tensor != NULL ? TF_TensorElementCount(tensor) : 0;
    for (int64_t i = 0; i < count && (found == 1 || found == count); i++) {
        out[i] = read_number(tensor, found == 1 ? 0 : i);
    }
    TF_DeleteTensor(tensor);
    return found == 1 || found == count ? out : NULL;
}

static oribi_value_id add_channels(oribi_onnx_node *n, TF_DataType dtype, const double *values,
                                   int64_t count)
{
    uint8_t *data = oribi_arena_array(&n->onnx->scratch, (size_t)count + 1, 4);
    if (data == NULL || n->failed) {
        n->failed = true;
        return -1;
    }
    for (int64_t i = 0; i < count; i++) {
        const float real = (float)values[i];
        if (dtype != TF_FLOAT && !(fabs(values[i]) <= (double)INT32_MAX)) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%g is not a zero point or bias", values[i]);
            return -1;
        }
        const int32_t whole = dtype == TF_FLOAT ? 0 : (int32_t)values[i];
        memcpy(data + 4 * i, dtype == TF_FLOAT ? (const void *)&real : &whole, 4);
    }
    oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "channels", dtype, &count, 1, data, n->status);
    n->failed = id < 0;
    return id;
}

static bool check_scales(oribi_onnx_node *n, const oribi_value_id in[BIAS])
{
    return oribi_onnx_check_scale(n, in[X_SCALE]) && oribi_onnx_check_scale(n, in[W_SCALE]) &&
           oribi_onnx_check_scale(n, in[Y_SCALE]);
}

/* --- The op ---------------------------------------------------------------------------------- */

typedef struct quantised_layer {
    oribi_value_id x, filter; /* NHWC, HWIO */
    TF_DataType result;
    int64_t channels;
    double *bias, *w_zero, *multiplier;
    double x_zero, y_zero;
    oribi_dims strides, dilations, pads;
} quantised_layer;

static oribi_value_id emit_layer(oribi_onnx_node *n, const quantised_layer *l)
{
    const double zeros_of_both[2] = {l->x_zero, l->y_zero};
    for (int i = 0; i < 2; i++) {
        if (!(fabs(zeros_of_both[i]) <= UINT8_MAX)) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%g is not a zero point of 8 bits",
                            zeros_of_both[i]);
            return -1;
        }
    }
    const oribi_value_id bias = add_channels(n, TF_INT32, l->bias, l->channels);
    const oribi_value_id zeros = add_channels(n, TF_INT32, l->w_zero, l->channels);
    const oribi_value_id multipliers = add_channels(n, TF_FLOAT, l->multiplier, l->channels);
    return oribi_emit(
        n, "ONNX>QLinearConv2D", INPUTS(l->x, l->filter, bias, zeros, multipliers),
        ATTRS(ATTR_TYPE("Ty", l->result), ATTR_INT("input_zero", (int64_t)l->x_zero),
              ATTR_INT("output_zero", (int64_t)l->y_zero), ATTR_INTS("strides", l->strides.at, 2),
              ATTR_INTS("dilations", l->dilations.at, 2), ATTR_INTS("pads", l->pads.at, 4)));
}

/* False: a parameter is computed, or there are very many, which a shape may say without bytes for
 * them. Multipliers as ONNX Runtime makes them, in float. */
static bool read_parameters(oribi_onnx_node *n, const oribi_value_id *in, oribi_value_id bias,
                            quantised_layer *l)
{
    enum { MAX_CHANNELS = 1 << 20 };
    const bool has_scales = in[X_SCALE] >= 0;
    if (n->failed || l->channels > MAX_CHANNELS) {
        return false;
    }
    const double *x_zero = read_channels(n, in[X_ZERO], 1),
                 *y_zero = read_channels(n, in[Y_ZERO], 1);
    const double *x_scale = read_channels(n, in[X_SCALE], 1);
    const double *y_scale = read_channels(n, in[Y_SCALE], 1);
    const double *w_scale = read_channels(n, in[W_SCALE], l->channels);
    l->w_zero = read_channels(n, in[W_ZERO], l->channels);
    l->bias = read_channels(n, bias, l->channels);
    l->multiplier = read_channels(n, -1, l->channels);
    if (x_zero == NULL || y_zero == NULL || x_scale == NULL || y_scale == NULL || w_scale == NULL ||
        l->w_zero == NULL || l->bias == NULL || l->multiplier == NULL) {
        return false;
    }
    for (int64_t i = 0; i < l->channels; i++) {
        const float product = (float)*x_scale * (float)w_scale[i];
        const float multiplier = has_scales ? product / (float)*y_scale : 0;
        l->multiplier[i] = (double)multiplier;
    }
    l->x_zero = *x_zero;
    l->y_zero = *y_zero;
    return true;
}

/* --- Formulas -------------------------------------------------------------------------------- */

/* float(x) - zero; a zero point of many values lies along `axis`. */
static oribi_value_id centred(oribi_onnx_node *n, oribi_value_id x, oribi_value_id zero,
                              int32_t axis, TF_DataType dtype)
{
    const int32_t rank = oribi_emit_rank(n, x);
    x = oribi_emit_cast(n, x, dtype);
    if (zero < 0 || n->failed) {
        return x;
    }
    zero = oribi_emit_cast(n, zero, dtype);
    if (oribi_emit_rank(n, zero) == 1) {
        zero = oribi_emit_dim(n, zero, 0) == 1 ? oribi_emit_reshape(n, zero, NULL, 0)
                                               : oribi_emit_along_axis(n, zero, axis, rank);
    }
    return oribi_emit2(n, "Sub", x, zero);
}

/* saturate(round(sum * x_scale * w_scale / y_scale) + y_zero) */
static oribi_value_id requantised(oribi_onnx_node *n, oribi_value_id sum, const oribi_value_id *in,
                                  int32_t axis)
{
    const TF_DataType dtype = oribi_emit_dtype(n, in[Y_ZERO]);
    const int32_t rank = oribi_emit_rank(n, sum);
    const double low = dtype == TF_UINT8 ? 0 : -128;
    oribi_value_id scale = oribi_emit2(n, "Mul", in[X_SCALE], in[W_SCALE]);
    scale = oribi_emit2(n, "RealDiv", scale, in[Y_SCALE]);
    if (!n->failed && oribi_emit_rank(n, scale) == 1 && oribi_emit_dim(n, scale, 0) != 1) {
        scale = oribi_emit_along_axis(n, scale, axis, rank);
    } else if (!n->failed && oribi_emit_rank(n, scale) == 1) {
        scale = oribi_emit_reshape(n, scale, NULL, 0);
    }
    oribi_value_id y = oribi_emit2(n, "Mul", oribi_emit_cast(n, sum, TF_FLOAT), scale);
    y = oribi_emit2(n, "AddV2", oribi_emit1(n, "Round", y),
                    centred(n, in[Y_ZERO], -1, 0, TF_FLOAT));
    y = oribi_emit3(n, "ClipByValue", y, oribi_emit_scalar(n, TF_FLOAT, low),
                    oribi_emit_scalar(n, TF_FLOAT, low + 255));
    return oribi_emit_cast(n, y, dtype);
}

/* --- Convolutions ---------------------------------------------------------------------------- */

static bool is_byte(oribi_onnx_node *n, oribi_value_id x)
{
    const TF_DataType dtype = oribi_emit_dtype(n, x);
    return dtype == TF_INT8 || dtype == TF_UINT8;
}

/* As the op; -1 without a failure: something is computed, or of another form. */
static oribi_value_id conv_as_op(oribi_onnx_node *n, const oribi_value_id *in, oribi_value_id bias,
                                 TF_DataType result)
{
    static const oribi_dims oihw_to_hwio = {4, {2, 3, 1, 0}};
    oribi_window window;
    quantised_layer l = {.result = result, .channels = oribi_emit_dim(n, in[W], 0)};
    if (oribi_emit_rank(n, in[X]) != 4 || oribi_emit_rank(n, in[W]) != 4 || l.channels < 1 ||
        !is_byte(n, in[X]) || !is_byte(n, in[W]) || !read_parameters(n, in, bias, &l)) {
        return -1;
    }
    const oribi_dims kernel = {2, {oribi_emit_dim(n, in[W], 2), oribi_emit_dim(n, in[W], 3)}};
    if (!oribi_window_read(n, in[X], &kernel, false, &window)) {
        return -1;
    }
    l.strides = window.strides;
    l.dilations = window.dilations;
    l.pads = (oribi_dims){
        4, {window.before.at[0], window.before.at[1], window.after.at[0], window.after.at[1]}};
    l.x = oribi_emit_to_nhwc(n, in[X]);
    l.filter = oribi_emit_transpose(n, in[W], &oihw_to_hwio);
    return oribi_emit_to_nchw(n, emit_layer(n, &l));
}

static bool conv_as_formula(oribi_onnx_node *n, const oribi_value_id *in, oribi_value_id bias,
                            TF_DataType result)
{
    oribi_value_id inputs[3] = {centred(n, in[X], in[X_ZERO], 1, TF_FLOAT),
                                centred(n, in[W], in[W_ZERO], 0, TF_FLOAT),
                                bias < 0 ? -1 : oribi_emit_cast(n, bias, TF_FLOAT)};
    n->inputs = inputs;
    n->n_inputs = 3;
    const oribi_value_id y = oribi_onnx_conv(n);
    return oribi_emit_bind(
        n, 0, result == TF_INT32 ? oribi_emit_cast(n, y, TF_INT32) : requantised(n, y, in, 1));
}

static bool conv(oribi_onnx_node *n, const oribi_value_id *in, oribi_value_id bias,
                 TF_DataType result)
{
    const oribi_value_id y = check_scales(n, in) ? conv_as_op(n, in, bias, result) : -1;
    if (y >= 0 || n->failed) {
        return oribi_emit_bind(n, 0, y);
    }
    return conv_as_formula(n, in, bias, result);
}

static bool qlinear_conv(oribi_onnx_node *n)
{
    oribi_value_id in[BIAS];
    read_inputs(n, in);
    return conv(n, in, oribi_emit_input(n, BIAS), oribi_emit_dtype(n, in[Y_ZERO]));
}

static bool conv_integer(oribi_onnx_node *n)
{
    const oribi_value_id in[BIAS] = {
        n->inputs[0], -1, oribi_emit_input(n, 2), n->inputs[1], -1, oribi_emit_input(n, 3), -1, -1};
    return conv(n, in, -1, TF_INT32);
}

/* --- Products of matrices -------------------------------------------------------------------- */

/* A constant right side of two dimensions: a convolution of one row of pixels. */
static oribi_value_id matmul_as_op(oribi_onnx_node *n, const oribi_value_id *in)
{
    const int32_t rank = oribi_emit_rank(n, in[X]);
    quantised_layer l = {.result = in[Y_ZERO] < 0 ? TF_INT32 : oribi_emit_dtype(n, in[Y_ZERO]),
                         .channels =
                             oribi_emit_rank(n, in[W]) == 2 ? oribi_emit_dim(n, in[W], 1) : -1,
                         .strides = {2, {1, 1}},
                         .dilations = {2, {1, 1}}};
    oribi_dims dims;
    int64_t rows = 1;
    if (!oribi_emit_dims(n, in[X], &dims) || rank < 2 || l.channels < 1 || !is_byte(n, in[X]) ||
        !is_byte(n, in[W]) || !read_parameters(n, in, -1, &l)) {
        return -1;
    }
    for (int32_t i = 0; i < rank; i++) {
        if (dims.at[i] < 1 || (i < rank - 1 && __builtin_mul_overflow(rows, dims.at[i], &rows))) {
            return -1;
        }
    }
    const int64_t inner = dims.at[rank - 1];
    const int64_t pixels[4] = {1, 1, rows, inner}, filter[4] = {1, 1, inner, l.channels};
    l.x = oribi_emit_reshape(n, in[X], pixels, 4);
    l.filter = oribi_emit_reshape(n, in[W], filter, 4);
    dims.at[rank - 1] = l.channels;
    return oribi_emit_reshape(n, emit_layer(n, &l), dims.at, rank);
}

/* One value, or as many as there are rows or columns, as a vector; absent: zeros. -1 without a
 * failure: of another form. */
static oribi_value_id parameters(oribi_onnx_node *n, oribi_value_id id, TF_DataType dtype,
                                 int64_t whole)
{
    const int64_t one = 1;
    if (id < 0) {
        return oribi_emit_reshape(n, oribi_emit_scalar(n, dtype, 0), &one, 1);
    }
    const int32_t rank = oribi_emit_rank(n, id);
    const int64_t count = rank == 0 ? 1 : rank == 1 ? oribi_emit_dim(n, id, 0) : -1;
    if (n->failed || (count != 1 && (count < 1 || count != whole))) {
        return -1;
    }
    id = oribi_emit_cast(n, id, dtype);
    return rank == 0 ? oribi_emit_reshape(n, id, &one, 1) : id;
}

/* a and b by position as in QLinearMatMul; both may be computed, and zero points too. -1 without a
 * failure: matrices or parameters of another form. */
static oribi_value_id matmul_of_two(oribi_onnx_node *n, const oribi_value_id *in)
{
    const bool is_scaled = in[X_SCALE] >= 0;
    const int32_t a_rank = oribi_emit_rank(n, in[X]), b_rank = oribi_emit_rank(n, in[W]);
    double y_zero = 0;
    if (n->failed || !is_byte(n, in[X]) || !is_byte(n, in[W]) || a_rank < 2 || b_rank < 2 ||
        (in[Y_ZERO] >= 0 && !oribi_emit_known_scalar(n, in[Y_ZERO], &y_zero))) {
        return -1;
    }
    if (in[Y_ZERO] >= 0 && !is_byte(n, in[Y_ZERO])) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "y_zero_point is %s; it must be int8 or uint8",
                        oribi_dtype_name(oribi_emit_dtype(n, in[Y_ZERO])));
        return -1;
    }
    const int64_t rows = oribi_emit_dim(n, in[X], a_rank - 2);
    const int64_t columns = oribi_emit_dim(n, in[W], b_rank - 1);
    const oribi_value_id a_zeros = parameters(n, in[X_ZERO], TF_INT32, rows);
    const oribi_value_id b_zeros = parameters(n, in[W_ZERO], TF_INT32, columns);
    oribi_value_id scale = -1;
    if (is_scaled && parameters(n, in[X_SCALE], TF_FLOAT, 1) >= 0 &&
        parameters(n, in[W_SCALE], TF_FLOAT, columns) >= 0) {
        scale = oribi_emit2(n, "Mul", in[X_SCALE], in[W_SCALE]);
        scale = oribi_emit2(n, "RealDiv", scale, in[Y_SCALE]);
    }
    const oribi_value_id multipliers =
        is_scaled && scale < 0 ? -1 : parameters(n, scale, TF_FLOAT, columns);
    if (n->failed || a_zeros < 0 || b_zeros < 0 || multipliers < 0) {
        return -1;
    }
    const TF_DataType result = in[Y_ZERO] < 0 ? TF_INT32 : oribi_emit_dtype(n, in[Y_ZERO]);
    return oribi_emit(n, "ONNX>QLinearMatMul", INPUTS(in[X], in[W], a_zeros, b_zeros, multipliers),
                      ATTRS(ATTR_TYPE("Ty", result), ATTR_INT("output_zero", (int64_t)y_zero)));
}

/* A scale or zero point as float, to broadcast against a product: one value, one for each column,
 * or (of the first matrix and of the result) one for each row. */
static oribi_value_id against_product(oribi_onnx_node *n, oribi_value_id id, bool of_rows,
                                      bool is_matrix)
{
    id = oribi_emit_cast(n, id, TF_FLOAT);
    const int32_t rank = oribi_emit_rank(n, id);
    const int64_t count = rank == 1 ? oribi_emit_dim(n, id, 0) : 0;
    if (!n->failed && rank == 1 && (count == 1 || !is_matrix)) {
        return oribi_emit_reshape(n, id, NULL, 0);
    }
    return rank == 1 && of_rows ? oribi_emit2(n, "ExpandDims", id, oribi_emit_int(n, 1)) : id;
}

/* saturate(round(sum * x_scale * w_scale / y_scale) + y_zero), all of which may be computed. */
static oribi_value_id requantised_product(oribi_onnx_node *n, oribi_value_id sum,
                                          const oribi_value_id *in)
{
    const TF_DataType dtype = oribi_emit_dtype(n, in[Y_ZERO]);
    const bool is_matrix = oribi_emit_rank(n, sum) > 1;
    const double low = dtype == TF_UINT8 ? 0 : -128;
    oribi_value_id scale = oribi_emit2(n, "Mul", against_product(n, in[X_SCALE], true, is_matrix),
                                       against_product(n, in[W_SCALE], false, is_matrix));
    scale = oribi_emit2(n, "RealDiv", scale, against_product(n, in[Y_SCALE], true, is_matrix));
    oribi_value_id y = oribi_emit2(n, "Mul", oribi_emit_cast(n, sum, TF_FLOAT), scale);
    y = oribi_emit2(n, "AddV2", oribi_emit1(n, "Round", y),
                    against_product(n, in[Y_ZERO], true, is_matrix));
    y = oribi_emit3(n, "ClipByValue", y, oribi_emit_scalar(n, TF_FLOAT, low),
                    oribi_emit_scalar(n, TF_FLOAT, low + 255));
    return oribi_emit_cast(n, y, dtype);
}

static oribi_value_id matmul_as_formula(oribi_onnx_node *n, const oribi_value_id *in)
{
    const int32_t a_rank = oribi_emit_rank(n, in[X]), b_rank = oribi_emit_rank(n, in[W]);
    oribi_value_id a = centred(n, in[X], in[X_ZERO], a_rank - 2, TF_INT32);
    oribi_value_id b = centred(n, in[W], in[W_ZERO], b_rank - 1, TF_INT32);
    const oribi_value_id y = oribi_onnx_product(n, a, b);
    return in[Y_ZERO] < 0 ? y : requantised_product(n, y, in);
}

static bool matmul(oribi_onnx_node *n, const oribi_value_id *in)
{
    oribi_value_id y = check_scales(n, in) ? matmul_as_op(n, in) : -1;
    y = y < 0 && !n->failed ? matmul_of_two(n, in) : y;
    y = y < 0 && !n->failed ? matmul_as_formula(n, in) : y;
    return oribi_emit_bind(n, 0, y);
}

static bool qlinear_matmul(oribi_onnx_node *n)
{
    oribi_value_id in[BIAS];
    read_inputs(n, in);
    return matmul(n, in);
}

static bool matmul_integer(oribi_onnx_node *n)
{
    const oribi_value_id in[BIAS] = {
        n->inputs[0], -1, oribi_emit_input(n, 2), n->inputs[1], -1, oribi_emit_input(n, 3), -1, -1};
    return matmul(n, in);
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_qlinear_rows[] = {
    {"ConvInteger", 10, 28, conv_integer, 2, 4, "ONNX>QLinearConv2D, or Cast, Sub, Conv2D"},
    {"MatMulInteger", 10, 28, matmul_integer, 2, 4, "ONNX>QLinearConv2D, ONNX>QLinearMatMul, or Cast, Sub, MatMul"},
    {"QLinearConv", 10, 28, qlinear_conv, 8, 9, "ONNX>QLinearConv2D, or Cast, Sub, Conv2D, Mul, Round, AddV2, ClipByValue"},
    {"QLinearMatMul", 10, 28, qlinear_matmul, 8, 8, "ONNX>QLinearConv2D, ONNX>QLinearMatMul, or Cast, Sub, MatMul, Mul, Round, AddV2, ClipByValue"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
