/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of ONNX>ConvTranspose: transposed convolutions with groups, of one to three axes. Those
 * of Conv2DBackpropInput: lower_f32_layers.c.
 */
#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f32.h"
#include "compile/lower/lower_parts.h"
#include "micro/transposed/conv_transpose_f32_prepare.h"

static bool read_dims(oribi_lowering *lowering, const oribi_call *call, int32_t input,
                      int32_t *out_n, int64_t *out)
{
    oribi_sizes sizes;
    ORIBI_TRY(
        oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, input), &sizes, NULL));
    if (sizes.n < 3 || sizes.n > ORIBI_MICRO_TRANSPOSE_SPACE + 2) {
        return oribi_lower_refuse(lowering, call, "compiles for one to three axes of space");
    }
    *out_n = sizes.n - 2;
    for (int32_t i = 0; i < sizes.n; i++) {
        out[i] = sizes.at[i];
    }
    return true;
}

/* The shape function took it, so that attributes have as many elements as there are axes. */
static void read_axis(const oribi_call *call, int32_t k, int32_t n, oribi_geometry_transposed *out)
{
    const oribi_attr *auto_pad = oribi_attrs_find(&call->node->attrs, "auto_pad");
    out->stride = oribi_lower_list(call, "strides", k, 1);
    out->dilation = oribi_lower_list(call, "dilations", k, 1);
    out->more = oribi_lower_list(call, "output_padding", k, 0);
    out->wanted = oribi_lower_list(call, "output_shape", k, -1);
    out->before = oribi_lower_list(call, "pads", k, 0);
    out->after = oribi_lower_list(call, "pads", k + n, 0);
    out->padding = auto_pad == NULL || oribi_lower_is(call, "auto_pad", "NOTSET")
                       ? ORIBI_GEOMETRY_EXPLICIT
                   : oribi_lower_is(call, "auto_pad", "SAME_UPPER") ? ORIBI_GEOMETRY_SAME
                   : oribi_lower_is(call, "auto_pad", "SAME_LOWER") ? ORIBI_GEOMETRY_SAME_LOWER
                                                                    : ORIBI_GEOMETRY_VALID;
}

bool oribi_lower_conv_transpose_f32(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_conv_transpose_f32_spec spec = {.groups = oribi_lower_int(call, "group", 1)};
    struct oribi_micro_conv_transpose_f32_args args = {0};
    int32_t n_space = 0;
    if (oribi_lower_output(lowering, call)->dtype != TF_FLOAT) {
        return oribi_lower_refuse(lowering, call, "compiles for float elements");
    }
    ORIBI_TRY(read_dims(lowering, call, 0, &spec.n_space, spec.x) &&
              read_dims(lowering, call, 1, &n_space, spec.w));
    for (int32_t k = 0; k < spec.n_space; k++) {
        read_axis(call, k, spec.n_space, &spec.axes[k]);
    }
    ORIBI_TRY(
        oribi_lower_check(lowering, call, oribi_micro_conv_transpose_f32_prepare(&spec, &args)));
    call->macs = oribi_lower_count(oribi_lower_input(lowering, call, 0)) * args.out_c *
                 args.filter_d * args.filter_h * args.filter_w;
    return oribi_call_take(lowering, call, (const int32_t[]){1, 0}, 2) &&
           ORIBI_CALL_SET(lowering, call, "conv_transpose_f32", conv_transpose_f32, &args);
}
