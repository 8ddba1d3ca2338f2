/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of networks that are made of other ops. */
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

const oribi_tf_row oribi_tf_network_rows[] = {
    {"Conv3DBackpropInputV2", 3, conv_3d_backprop, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
