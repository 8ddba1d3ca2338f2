/* SPDX-License-Identifier: Apache-2.0 */
/* What the convolutions mean, as plain loops with double sums: Conv2D, DepthwiseConv2dNative, their
 * fused forms, and Conv2DBackpropInput as the transposed convolution. Every variant is tested
 * against these. Nothing here is fast; read next: conv.c, depthwise.c.
 */
#include "cpu/product/conv_backprop.h"
#include "cpu/product/epilogue.h"
#include "cpu/base/families.h"
#include "cpu/base/cpu_shape.h"
#include "cpu/product/packed_weights.h"

typedef struct reference_state {
    oribi_conv_attrs attrs;
    oribi_epilogue epilogue;
} reference_state;

static void reference_read(oribi_kit_setup *setup, reference_state *state)
{
    oribi_conv_attrs_read(setup, &state->attrs);
    oribi_epilogue_read(setup, ORIBI_ISA_any, &state->epilogue);
}
ORIBI_KIT_CREATE(reference, reference_state)

/* One call: image [batch, y, x, channels], filter [y, x, in, out]. */
typedef struct reference_call {
    oribi_weights_view image; /* its strides may be those of planes */
    const float *filter;
    int64_t channels, depth, outputs; /* of the image; filter's in and out */
    oribi_geometry_window y, x;
} reference_call;

static double at(const reference_call *call, int64_t batch, int64_t y, int64_t x, int64_t channel)
{
    const bool inside = y >= 0 && y < call->y.in && x >= 0 && x < call->x.in;
    const int64_t *step = call->image.strides.at;
    const char *from =
        call->image.data + batch * step[0] + y * step[1] + x * step[2] + channel * step[3];
    return inside ? (double)*(const float *)(const void *)from : 0.0;
}

static double weight(const reference_call *call, int64_t y, int64_t x, int64_t in, int64_t out)
{
    const int64_t tap = y * call->x.taps + x;
    return (double)call->filter[(tap * call->depth + in) * call->outputs + out];
}

/* Output channel `out` sees the channels of its group. */
static double conv_value(const reference_call *call, int64_t batch, int64_t y, int64_t x,
                         int64_t out)
{
    const int64_t groups = call->channels / call->depth;
    const int64_t first = out / (call->outputs / groups) * call->depth;
    double sum = 0.0;
    for (int64_t i = 0; i < call->y.taps; i++) {
        for (int64_t j = 0; j < call->x.taps; j++) {
            const int64_t row = y * call->y.stride + i * call->y.dilation - call->y.before;
            const int64_t column = x * call->x.stride + j * call->x.dilation - call->x.before;
            for (int64_t in = 0; in < call->depth; in++) {
                sum += at(call, batch, row, column, first + in) * weight(call, i, j, in, out);
            }
        }
    }
    return sum;
}

/* Output channel c * multiplier + m sees channel c alone; the filter is [y, x, c, m]. */
static double depthwise_value(const reference_call *call, int64_t batch, int64_t y, int64_t x,
                              int64_t out)
{
    const int64_t channel = out / call->outputs, m = out % call->outputs;
    double sum = 0.0;
    for (int64_t i = 0; i < call->y.taps; i++) {
        for (int64_t j = 0; j < call->x.taps; j++) {
            const int64_t row = y * call->y.stride + i * call->y.dilation - call->y.before;
            const int64_t column = x * call->x.stride + j * call->x.dilation - call->x.before;
            sum += at(call, batch, row, column, channel) * weight(call, i, j, channel, m);
        }
    }
    return sum;
}

static bool reference_run(const reference_state *state, oribi_kit_run *run, bool depthwise)
{
    oribi_conv_shapes shapes;
    oribi_epilogue_args args;
    const int64_t *dims = shapes.dims;
    if (!oribi_conv_shapes_take(run, &state->attrs, depthwise, &shapes) ||
        !oribi_epilogue_args_take(run, &state->epilogue, dims, 4, &args)) {
        return false;
    }
    const reference_call call = {.image = shapes.image,
                                 .filter = (const float *)(const void *)shapes.filter.data,
                                 .channels = shapes.image.dims.at[3],
                                 .depth = shapes.filter.dims.at[2],
                                 .outputs = shapes.filter.dims.at[3],
                                 .y = shapes.y,
                                 .x = shapes.x};
    float *out = oribi_kit_output(run, 0, dims, 4);
    if (out == NULL || oribi_cpu_product(dims, 4) == 0) {
        return out != NULL;
    }
    const int64_t stride = TF_OutputRowStride(run->context, 0);
    const int64_t cost = dims[3] * call.y.taps * call.x.taps * (depthwise ? 1 : call.depth);
    int64_t patience = 0;
    for (int64_t pixel = 0; pixel < dims[0] * dims[1] * dims[2]; pixel++) {
        if (oribi_kit_stops(run, &patience, cost)) {
            return false;
        }
        const int64_t b = pixel / (dims[1] * dims[2]), y = pixel / dims[2] % dims[1];
        for (int64_t c = 0; c < dims[3]; c++) {
            double sum =
                (depthwise ? depthwise_value : conv_value)(&call, b, y, pixel % dims[2], c);
            sum += args.bias != NULL ? (double)args.bias[c] : 0.0;
            sum += args.residual != NULL ? (double)args.residual[pixel * dims[3] + c] : 0.0;
            out[pixel * stride + c] = oribi_epilogue_value(&args, sum, c);
        }
    }
    return true;
}

static bool conv_reference_run(const void *state, oribi_kit_run *run)
{
    return reference_run(state, run, false);
}

static bool depthwise_reference_run(const void *state, oribi_kit_run *run)
{
    return reference_run(state, run, true);
}

/* Each value of the gradient is spread over the window that it came from. */
static bool backprop_reference_run(const void *arg, oribi_kit_run *run)
{
    const reference_state *state = arg;
    oribi_conv_shapes shapes;
    if (!oribi_conv_backprop_take(run, &state->attrs, &shapes)) {
        return false;
    }
    const int64_t *dims = shapes.dims, depth = shapes.filter.dims.at[3];
    const oribi_geometry_window y = shapes.y, x = shapes.x;
    float *out = oribi_kit_output(run, 0, dims, 4);
    const float *values = (const float *)(const void *)shapes.image.data;
    const float *weights = (const float *)(const void *)shapes.filter.data;
    const int64_t count = oribi_cpu_product(dims, 4), cost = y.taps * x.taps * depth;
    int64_t patience = 0;
    for (int64_t i = 0; out != NULL && i < count; i++) {
        if (oribi_kit_stops(run, &patience, cost)) {
            return false;
        }
        const int64_t c = i % dims[3], column = i / dims[3] % dims[2];
        const int64_t row = i / (dims[3] * dims[2]) % dims[1],
                      b = i / (dims[3] * dims[2] * dims[1]);
        double sum = 0.0;
        for (int64_t tap = 0; tap < y.taps * x.taps; tap++) {
            const int64_t down = row + y.before - tap / x.taps * y.dilation;
            const int64_t right = column + x.before - tap % x.taps * x.dilation;
            if (down < 0 || right < 0 || down % y.stride != 0 || right % x.stride != 0 ||
                down / y.stride >= y.out || right / x.stride >= x.out) {
                continue;
            }
            const float *from =
                values + ((b * y.out + down / y.stride) * x.out + right / x.stride) * depth;
            for (int64_t k = 0; k < depth; k++) {
                sum += (double)from[k] * (double)weights[(tap * dims[3] + c) * depth + k];
            }
        }
        out[i] = (float)sum;
    }
    return out != NULL;
}

ORIBI_KIT_COMPUTE(conv_reference, 2)
ORIBI_KIT_COMPUTE(depthwise_reference, 2)
ORIBI_KIT_COMPUTE(backprop_reference, 3)

#define ROW(op, function, strided)                                                                 \
    ORIBI_CPU_STATE_ROW(op, reference, function, "plain loops, double sums",                       \
                        ORIBI_CPU_OF(TF_FLOAT), .strided_outputs = strided)
const oribi_cpu_kernel oribi_cpu_conv_reference_kernels[] = {
    ROW("Conv2D", conv_reference, 1),
    ROW("_FusedConv2D", conv_reference, 1),
    ROW("Oribi>FusedConv2d", conv_reference, 1),
    ROW("DepthwiseConv2dNative", depthwise_reference, 1),
    ROW("_FusedDepthwiseConv2dNative", depthwise_reference, 1),
    ROW("Oribi>FusedDepthwiseConv2d", depthwise_reference, 1),
    ROW("Conv2DBackpropInput", backprop_reference, 0),
    {.op_name = NULL}};
