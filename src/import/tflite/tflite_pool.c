/* SPDX-License-Identifier: Apache-2.0 */
/* Pools and softmax. */
#include "import/tflite/tflite.h"

static bool pool(oribi_tflite_node *n, const char *op, const char *quantised_op)
{
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_q_pool(n, quantised_op);
    }
    int64_t strides[4] = {1, oribi_tflite_int(n, 2, 0), oribi_tflite_int(n, 1, 0), 1};
    int64_t size[4] = {1, oribi_tflite_int(n, 4, 0), oribi_tflite_int(n, 3, 0), 1};
    const char *padding = oribi_tflite_byte(n, 0, 0) == 0 ? "SAME" : "VALID";
    if (oribi_tflite_dtype_in(n, 0) != TF_FLOAT) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for this element type");
    }
    oribi_value_id y =
        oribi_tflite_emit(n, op, INPUTS(oribi_tflite_input(n, 0)),
                          ATTRS(ATTR_INTS("ksize", size, 4), ATTR_INTS("strides", strides, 4),
                                ATTR_TEXT("padding", padding)));
    return oribi_tflite_bind(n, 0, oribi_tflite_activate(n, y, oribi_tflite_byte(n, 5, 0)));
}

static bool average_pool(oribi_tflite_node *n)
{
    return pool(n, "AvgPool", "Oribi>QAveragePool");
}

static bool max_pool(oribi_tflite_node *n)
{
    return pool(n, "MaxPool", "Oribi>QMaxPool");
}

static bool softmax(oribi_tflite_node *n)
{
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_q_softmax(n);
    }
    float beta = oribi_tflite_finite(n, 0, 0.0f, "beta");
    oribi_value_id x = oribi_tflite_input(n, 0);
    if (beta < 1.0f || beta > 1.0f) {
        oribi_value_id factor = oribi_tflite_scalar_like(n, x, beta);
        x = oribi_tflite_emit(n, "Mul", INPUTS(x, factor), NO_ATTRS);
    }
    return oribi_tflite_bind(n, 0, oribi_tflite_emit(n, "Softmax", INPUTS(x), NO_ATTRS));
}

static bool log_softmax(oribi_tflite_node *n)
{
    return oribi_tflite_is_bytes(n) ? oribi_tflite_q_log_softmax(n)
                                    : oribi_tflite_translate_plain(n);
}

const oribi_tflite_row oribi_tflite_pool_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {1, 5, 1, 1, 1, average_pool, NULL}, {17, 5, 1, 1, 1, max_pool, NULL},
    {25, 9, 1, 1, 1, softmax, NULL},     {50, 36, 1, 1, 1, log_softmax, "LogSoftmax"},
    {0, 0, 0, 0, 0, NULL, NULL},
};
