/* SPDX-License-Identifier: Apache-2.0 */
/* A target: what the example accelerators take of an int8 model. Two kinds with the same operators,
 * `woofles` with a memory of its own, asynchronous, and `uart_accel` at the end of a serial line.
 *
 *     cc -shared -fPIC $(pkg-config --cflags oribi-plugin) -Iinclude target.c -lm -o
 * woofles_target.so oribi compile model.tflite --plugin ./woofles_target.so --target-device woofles
 * -o out
 *
 * Both take int8 convolutions, and get their arithmetic in params: tvm/device/woofles/params.h. The
 * drivers are not here: common/woofles.c, ../uart_accel/common/uart_accel.c.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/target.h"
#include "tensorflow/c/plugin_note.h"
#include "tvm/device/woofles/params.h"
#include "tvm/runtime/device.h"

ORIBI_PLUGIN("woofles_target", "1.0", "Apache-2.0");

enum { HEIGHT = 1, WIDTH = 2, DEPTH = 3 };

/* Everything that is read of a region: the convolution in its only operator. */
typedef struct conv {
    oribi_region_tensor in, filter, bias, out;
    int is_depthwise;
} conv;

static int read_conv(const oribi_region *region, conv *c, TF_Status *status)
{
    c->is_depthwise = strcmp(oribi_region_op(region, 0), "Oribi>QDepthwiseConv2D") == 0;
    oribi_region_tensor *const inputs[3] = {&c->in, &c->filter, &c->bias};
    for (int i = 0; i < 3; i++) {
        inputs[i]->struct_size = sizeof **inputs;
        oribi_region_input(region, 0, i, inputs[i], status);
        if (TF_GetCode(status) != TF_OK) {
            return 0;
        }
    }
    c->out.struct_size = sizeof c->out;
    oribi_region_output(region, 0, 0, &c->out, status);
    return TF_GetCode(status) == TF_OK;
}

static int32_t supports(void *user, const oribi_region *region, char *why, size_t why_bytes)
{
    conv c;
    TF_Status *status = TF_NewStatus();
    (void)user;
    if (!read_conv(region, &c, status)) {
        snprintf(why, why_bytes, "%s", TF_Message(status));
    } else if (c.in.dtype != TF_INT8 || c.filter.dtype != TF_INT8) {
        snprintf(why, why_bytes, "it computes int8 only");
    } else if (c.filter.constant == NULL || c.bias.constant == NULL) {
        snprintf(why, why_bytes, "weights and bias must be constant");
    } else if (!c.is_depthwise && c.in.dims[DEPTH] != c.filter.dims[DEPTH]) {
        snprintf(why, why_bytes, "it has no grouped convolutions");
    }
    TF_DeleteStatus(status);
    return why[0] == '\0';
}

/* One multiplication in 20 ns. */
static int64_t cost_us(void *user, const oribi_region *region)
{
    conv c;
    TF_Status *status = TF_NewStatus();
    int64_t taps = 1;
    (void)user;
    if (read_conv(region, &c, status)) {
        taps = c.filter.dims[HEIGHT] * c.filter.dims[WIDTH] * (int64_t)c.out.bytes *
               (c.is_depthwise ? 1 : c.filter.dims[DEPTH]);
    }
    TF_DeleteStatus(status);
    return taps / 50;
}

/* --- Params ----------------------------------------------------------------------------------- */

/* real = multiplier * 2^(shift - 31), the multiplier in [2^30, 2^31). */
static void quantise_multiplier(double real, int32_t *out_multiplier, int32_t *out_shift)
{
    int shift = 0;
    int64_t fixed = llround(frexp(real, &shift) * 2147483648.0);
    if (fixed == INT64_C(2147483648)) {
        fixed /= 2;
        shift++;
    }
    const int is_zero = shift < -31;
    *out_multiplier = is_zero ? 0 : (int32_t)fixed;
    *out_shift = is_zero ? 0 : shift;
}

/* Padding before the first row or column, as TensorFlow counts it. */
static int32_t padding_before(int64_t in, int64_t out, int64_t filter, int64_t stride,
                              int64_t dilation)
{
    const int64_t all = (out - 1) * stride + (filter - 1) * dilation + 1 - in;
    return all > 0 ? (int32_t)(all / 2) : 0;
}

static void write_geometry(const oribi_region *region, const conv *c, struct woofles_conv *p,
                           TF_Status *status)
{
    int64_t strides[2] = {1, 1}, dilations[2] = {1, 1};
    oribi_region_attr_ints(region, 0, "strides", strides, 2, status);
    oribi_region_attr_ints(region, 0, "dilations", dilations, 2, status);
    const char *padding = oribi_region_attr_string(region, 0, "padding", status);
    const int is_same = padding != NULL && strcmp(padding, "SAME") == 0;
    *p = (struct woofles_conv){
        .batch = (int32_t)c->in.dims[0],
        .in_h = (int32_t)c->in.dims[HEIGHT],
        .in_w = (int32_t)c->in.dims[WIDTH],
        .in_c = (int32_t)c->in.dims[DEPTH],
        .out_h = (int32_t)c->out.dims[HEIGHT],
        .out_w = (int32_t)c->out.dims[WIDTH],
        .out_c = (int32_t)c->out.dims[DEPTH],
        .filter_h = (int32_t)c->filter.dims[HEIGHT],
        .filter_w = (int32_t)c->filter.dims[WIDTH],
        .stride_h = (int32_t)strides[0],
        .stride_w = (int32_t)strides[1],
        .dilation_h = (int32_t)dilations[0],
        .dilation_w = (int32_t)dilations[1],
        .depth_multiplier = c->is_depthwise ? (int32_t)(c->out.dims[DEPTH] / c->in.dims[DEPTH]) : 0,
    };
    if (is_same) {
        p->before_h = padding_before(p->in_h, p->out_h, p->filter_h, p->stride_h, p->dilation_h);
        p->before_w = padding_before(p->in_w, p->out_w, p->filter_w, p->stride_w, p->dilation_w);
    }
}

static int32_t clamp_s8(double value)
{
    return value < -128 ? -128 : value > 127 ? 127 : (int32_t)value;
}

/* Zero points, and the bounds that a fused activation leaves. */
static void write_bounds(const oribi_region *region, struct woofles_conv *p, TF_Status *status)
{
    const float scale = oribi_region_attr_float(region, 0, "output_scale", status);
    const char *name = oribi_region_attr_string(region, 0, "activation", status);
    p->input_zero = (int32_t)oribi_region_attr_int(region, 0, "input_zero", status);
    p->output_zero = (int32_t)oribi_region_attr_int(region, 0, "output_zero", status);
    p->low = -128;
    p->high = 127;
    if (name == NULL || strcmp(name, "NONE") == 0) {
        return;
    }
    const double low = strcmp(name, "RELU_N1_TO_1") == 0 ? -1 : 0;
    const double high = strcmp(name, "RELU") == 0 ? HUGE_VAL : strcmp(name, "RELU6") == 0 ? 6 : 1;
    p->low = clamp_s8(p->output_zero + round(low / (double)scale));
    p->high = high < HUGE_VAL ? clamp_s8(p->output_zero + round(high / (double)scale)) : 127;
}

/* bias, multiplier, shift. */
static void write_channels(const oribi_region *region, const conv *c, int32_t n, int32_t *words,
                           TF_Status *status)
{
    const double in = (double)oribi_region_attr_float(region, 0, "input_scale", status);
    const double out = (double)oribi_region_attr_float(region, 0, "output_scale", status);
    float *scales = malloc((size_t)n * sizeof *scales);
    if (scales == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for the scales of the weights");
        return;
    }
    const int32_t n_scales =
        oribi_region_attr_floats(region, 0, "filter_scales", scales, n, status);
    memcpy(words, c->bias.constant, (size_t)n * 4);
    for (int32_t i = 0; i < n && TF_GetCode(status) == TF_OK; i++) {
        const double scale = (double)scales[n_scales == 1 ? 0 : i];
        quantise_multiplier(in * scale / out, &words[n + i], &words[2 * n + i]);
    }
    free(scales);
}

static void write_params(void *user, const oribi_region *region, oribi_target_code *code,
                         TF_Status *status)
{
    conv c;
    struct woofles_conv p;
    (void)user;
    if (!read_conv(region, &c, status)) {
        return;
    }
    write_geometry(region, &c, &p, status);
    write_bounds(region, &p, status);
    const size_t arrays = (size_t)p.out_c * 12, bytes = sizeof p + arrays + c.filter.bytes;
    uint8_t *params = malloc(bytes);
    int32_t *words = malloc(arrays);
    if (params == NULL || words == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for the params of an operator");
    } else if (TF_GetCode(status) == TF_OK) {
        write_channels(region, &c, p.out_c, words, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        memcpy(params, &p, sizeof p);
        memcpy(params + sizeof p, words, arrays);
        memcpy(params + sizeof p + arrays, c.filter.constant, c.filter.bytes);
        oribi_target_set_op(code, c.is_depthwise ? WOOFLES_DEPTHWISE : WOOFLES_CONV);
        oribi_target_set_params(code, params, bytes, 4, status);
    }
    free(words);
    free(params);
}

/* --- Registration ----------------------------------------------------------------------------- */

static const char *const conv2d[] = {"Oribi>QConv2D"};
static const char *const depthwise[] = {"Oribi>QDepthwiseConv2D"};
static const oribi_target_pattern patterns[] = {
    {sizeof(oribi_target_pattern), "conv2d", conv2d, 1, supports, cost_us, write_params, NULL},
    {sizeof(oribi_target_pattern), "depthwise", depthwise, 1, supports, cost_us, write_params,
     NULL},
};

static const oribi_target woofles = {
    .struct_size = sizeof(oribi_target),
    .name = "woofles",
    .device_type = 12,
    .device_api = 1,
    .is_asynchronous = 1,
    .has_copy_peer = 1,
    .activate_us = 200,
    .memory_bytes = 1 << 20,
    .memory_alignment = 4,
    .patterns = patterns,
    .n_patterns = 2,
    .has_load = 1,
    .driver_contract = TVM_DEVICE_CONTRACT,
};

static const oribi_target uart_accel = {
    .struct_size = sizeof(oribi_target),
    .name = "uart_accel",
    .device_type = 12,
    .device_api = 1,
    .activate_us = 1000,
    .patterns = patterns,
    .n_patterns = 2,
    .has_load = 1,
    .driver_contract = TVM_DEVICE_CONTRACT,
};

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_target_register(&woofles, status);
    oribi_target_register(&uart_accel, status);
    TF_DeleteStatus(status);
}
