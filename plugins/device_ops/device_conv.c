/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: plain, fused, grouped, depthwise. A depthwise convolution is a grouped one with a
 * channel a group: the filters lie in the same order.
 */
#include <string.h>

#include "device_ops/device_tile.h"
#include "device_ops/device_window.h"

enum { MIN_SHARED = 8 }; /* columns of a group that are worth a tile of 64 */

static void check_filter_format(oribi_kit_setup *setup)
{
    char format[16] = {0};
    oribi_kit_attr_string(setup, "filter_format", format, sizeof format);
    if (strcmp(format, "HWIO") != 0) {
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED, "filter_format is HWIO");
    }
}

static void *create_conv_like(TF_OpKernelConstruction *c, bool is_fused, bool is_depthwise)
{
    oribi_kit_setup setup;
    window_attrs *w = window_begin(&setup, c, "conv", "op_conv");
    if (w != NULL) {
        w->is_depthwise = is_depthwise;
        window_read_pair(&setup, "dilations", w, w->dilation);
        window_read_padding(&setup, w, true);
        if (is_fused) {
            fused_read(&setup, &w->words);
        }
        if (is_fused && !is_depthwise) {
            check_filter_format(&setup);
        }
    }
    return oribi_kit_setup_end(&setup);
}

static void *create_conv(TF_OpKernelConstruction *c)
{
    return create_conv_like(c, false, false);
}

static void *create_depthwise(TF_OpKernelConstruction *c)
{
    return create_conv_like(c, false, true);
}

/* Channels of the output and of a group; false when picture and filter do not fit. */
static bool read_filter(op_request *r, const window_attrs *w, int64_t *out_channels, op_window *g)
{
    if (TF_NumDims(r->x) != 4 || TF_NumDims(r->y) != 4) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "picture and filter have 4 dimensions each");
    }
    const int64_t in = TF_Dim(r->x, w->is_nchw ? 1 : 3);
    const int64_t depth = w->is_depthwise ? 1 : TF_Dim(r->y, 2);
    *out_channels = w->is_depthwise ? TF_Dim(r->y, 2) * TF_Dim(r->y, 3) : TF_Dim(r->y, 3);
    if (depth < 1 || in < 1 || in % depth != 0 || *out_channels % (in / depth) != 0 ||
        *out_channels < 1 || (w->is_depthwise && TF_Dim(r->y, 2) != in)) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "the channels do not fit the filter's");
    }
    g->depth = (int32_t)depth;
    g->group = (int32_t)(*out_channels / (in / depth));
    return true;
}

static void fill_extras(const fused_words *words, op_window *g)
{
    g->has_bias = words->has_bias;
    g->has_residual = words->has_residual;
    g->activation = words->activation;
    g->alpha = words->alpha;
}

/* The convolution as a product: places of the output by channels of a group. */
static op_tile tile_of(const op_window *g)
{
    return (op_tile){.rows = g->n / g->out[2],
                     .columns = g->group,
                     .groups = g->out[2] / g->group,
                     .depth = g->depth,
                     .out = {g->out[0], g->out[1]},
                     .in = {g->in[0], g->in[1]},
                     .size = {g->size[0], g->size[1]},
                     .stride = {g->stride[0], g->stride[1]},
                     .dilation = {g->dilation[0], g->dilation[1]},
                     .before = {g->before[0], g->before[1]},
                     .x = {g->x[0], g->x[1], g->x[2], g->x[3]},
                     .w = {g->out[2], 1},
                     .z = {g->z[0], g->z[1], g->z[2], g->z[3]},
                     .group = {g->depth * g->x[3], g->group, g->group * g->z[3], g->group},
                     .has_bias = g->has_bias,
                     .has_residual = g->has_residual,
                     .activation = g->activation,
                     .slope = g->alpha,
                     .alpha = 1.0f,
                     .beta = 1.0f};
}

/* Tiles for groups that fill some of one; the loop of one output a thread where that is little. */
static void enqueue(op_kernel *kernel, op_request *r, const op_window *g)
{
    static const op_code strips[3] = WINDOW_STRIPS("op_depthwise_vectors");
    const TF_LaunchArg args[] = {op_memory(r->out),
                                 op_memory(r->x),
                                 op_memory(r->y),
                                 op_memory(r->bias != NULL ? r->bias : r->y),
                                 op_memory(r->residual != NULL ? r->residual : r->y),
                                 op_value(g, sizeof *g)};
    if (g->group >= (op_has_vectors(r) ? 2 : MIN_SHARED)) {
        const op_tile t = tile_of(g);
        tile_enqueue(kernel, r, &t, false, args);
    } else if (g->group > 1 || g->depth > 1 ||
               !window_enqueue_strips(kernel, r, strips, g, args, 6)) {
        op_enqueue(kernel, r, g->n, 1, args, 6);
    }
}

static void compute_conv(void *state, TF_OpKernelContext *ctx)
{
    op_kernel *kernel = state;
    op_request r;
    op_window g = {0};
    int64_t channels = 0;
    if (op_open(&r, ctx, 2) && read_filter(&r, window_of(kernel), &channels, &g) &&
        window_make_output(&r, window_of(kernel), (int64_t[]){TF_Dim(r.y, 0), TF_Dim(r.y, 1)},
                           channels, &g) &&
        fused_open(&r, &window_of(kernel)->words, channels)) {
        fill_extras(&window_of(kernel)->words, &g);
        if (g.n > 0) {
            enqueue(kernel, &r, &g);
        }
    }
    op_close(&r);
}

static void *create_fused_conv(TF_OpKernelConstruction *c)
{
    return create_conv_like(c, true, false);
}

static void *create_fused_depthwise(TF_OpKernelConstruction *c)
{
    return create_conv_like(c, true, true);
}

static const op_entry entries[] = {
    {"Conv2D", "conv", create_conv, compute_conv, {NULL}},
    {"_FusedConv2D", "conv", create_fused_conv, compute_conv, {NULL}},
    {"DepthwiseConv2dNative", "conv", create_depthwise, compute_conv, {NULL}},
    {"_FusedDepthwiseConv2dNative", "conv", create_fused_depthwise, compute_conv, {NULL}},
    {"Oribi>FusedDepthwiseConv2d", "conv", create_fused_depthwise, compute_conv, {NULL}},
};
const op_table op_conv_table = {entries, sizeof entries / sizeof *entries};
