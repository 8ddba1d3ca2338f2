/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's quantisation and what is computed of quantised elements: bytes of either sign, whose
 * scales and zero points are attributes where they are constants. The pass that makes these of
 * float ops is src/pass/qdq.c; layers and windows are in qlinear_ops.c.
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Parameters: one value, or as many as the dimensions from `axis` on have together, the last of
 * them as many as it takes (a filter [h, w, c, m] with c * m scales from axis 2). */
static bool check_span(const oribi_ops_shape *x, int64_t count, int64_t axis, TF_Status *status)
{
    int64_t product = 1;
    if (count < 0 || x->n < 0 || count == 1) {
        return true;
    }
    if (!oribi_ops_axis(axis, x->n, &axis, status)) {
        return false;
    }
    for (; axis < x->n && product != count; axis++) {
        if (x->at[axis] < 0) {
            return true;
        }
        if (!oribi_ops_multiply(product, x->at[axis], &product, status)) {
            return false;
        }
    }
    return product == count ||
           oribi_ops_fail(status,
                          "There are %" PRId64 " scales for a dimension of %" PRId64 " elements",
                          count, product);
}

/* Elements of a scalar or vector, -1 when they are not known. */
static bool parameter_count(oribi_ops_ctx *ctx, int input, int64_t *out, TF_Status *status)
{
    oribi_ops_shape shape;
    if (!oribi_ops_input(ctx, input, &shape, status) || !oribi_ops_at_most(&shape, 1, status)) {
        return false;
    }
    *out = shape.n < 0 ? -1 : shape.n == 0 ? 1 : shape.at[0];
    return true;
}

/* Inputs: x, scales, zero points. */
static void linear(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    int64_t axis, scales, zeros;
    if (!oribi_ops_input(ctx, 0, &x, status) || !parameter_count(ctx, 1, &scales, status) ||
        !parameter_count(ctx, 2, &zeros, status) ||
        !oribi_ops_attr_int(ctx, "axis", &axis, status) ||
        !oribi_ops_merge_dim(&scales, zeros, status)) {
        return;
    }
    if (check_span(&x, scales, axis, status)) {
        oribi_ops_output(ctx, 0, &x, status);
    }
}

static void dynamic(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    if (oribi_ops_input(ctx, 0, &x, status) && oribi_ops_output(ctx, 0, &x, status) &&
        oribi_ops_output_dims(ctx, 1, 0, NULL, status)) {
        oribi_ops_output_dims(ctx, 2, 0, NULL, status);
    }
}

static void softmax(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    if (oribi_ops_input(ctx, 0, &x, status) && oribi_ops_at_least(&x, 1, status)) {
        oribi_ops_output(ctx, 0, &x, status);
    }
}

/* [batch, count, channels] to [batch, channels]. */
static void mean(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    if (oribi_ops_input_rank(ctx, 0, 3, &x, status)) {
        if (x.at[1] == 0) {
            oribi_ops_fail(status, "The mean of no elements is not defined");
            return;
        }
        oribi_ops_remove_dim(&x, 1);
        oribi_ops_output(ctx, 0, &x, status);
    }
}

/* clang-format off: one attribute a line */
#define BYTES  "{int8, uint8}"
#define OUTPUT "output_scale: float; output_zero: int"
#define BOUNDS "low: int = -128; high: int = 255"
#define BINARY_ATTRS                                                                               \
    "Ta: " BYTES "; Tb: " BYTES "; T: " BYTES                                                      \
    "; a_scale: float; a_zero: int; b_scale: float; b_zero: int; " OUTPUT "; " BOUNDS
/* clang-format on */

const oribi_ops_row oribi_ops_qlinear_elements[] = {
    {.name = "ONNX>QuantizeLinear",
     .inputs = "x: float; y_scale: float; y_zero_point: T",
     .outputs = "y: T",
     .attrs = "T: " BYTES "; axis: int = 1",
     .traits = "elementwise(x); vectors(axis, y_scale, y_zero_point)",
     .shape = linear},
    {.name = "ONNX>DequantizeLinear",
     .inputs = "x: T; x_scale: float; x_zero_point: T",
     .outputs = "y: float",
     .attrs = "T: {int8, uint8, int32}; axis: int = 1",
     .traits = "elementwise(x); vectors(axis, x_scale, x_zero_point)",
     .shape = linear},
    {.name = "ONNX>DynamicQuantizeLinear",
     .inputs = "x: float",
     .outputs = "y: uint8; y_scale: float; y_zero_point: uint8",
     .shape = dynamic},
    {.name = "ONNX>QLinearTable",
     .inputs = "x: Tx",
     .outputs = "y: T",
     .attrs = "Tx: " BYTES "; T: " BYTES "; table: list(int)",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = " ONNX>QLinearAdd ONNX>QLinearMul",
     .inputs = "a: Ta; b: Tb",
     .outputs = "c: T",
     .attrs = BINARY_ATTRS,
     .traits = "elementwise",
     .shape = oribi_ops_shape_broadcast},
    {.name = "ONNX>QLinearMean",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " BYTES "; input_scale: float; input_zero: int; " OUTPUT "; " BOUNDS,
     .shape = mean},
    {.name = "ONNX>QLinearSoftmax",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: " BYTES "; input_scale: float; " OUTPUT,
     .traits = "along(x, -1)",
     .shape = softmax},
    {.name = NULL},
};
