/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions (plain, fused, grouped, depthwise) and pools: geometry from the attributes. A
 * depthwise convolution is a grouped one with a channel a group: the filters lie in the same order.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { SAME, VALID, EXPLICIT, MAX_WORDS = 4 };
enum { NONE, RELU, RELU6, ELU, LEAKY_RELU, SIGMOID, TANH };

typedef struct opencl_window { /* attributes, read once; lists are in the order height, width */
    bool is_nchw, is_depthwise, is_pool, has_bias, has_residual;
    int activation, padding;
    float alpha;
    int64_t size[2], stride[2], dilation[2], before[2], after[2];
} opencl_window;

typedef struct geometry { /* as in window_source.c */
    int32_t n, out[3], in[2], depth, group, size[2], stride[2], dilation[2], before[2];
    int32_t x[4], z[4], has_bias, has_residual, activation;
    float alpha;
} geometry;

/* --- Attributes ------------------------------------------------------------------------------ */

static int read_list(TF_OpKernelConstruction *c, const char *name, int64_t *values, int most,
                     TF_Status *status)
{
    int32_t count = 0, total = 0;
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrSize(c, name, &count, &total, status);
    }
    if (TF_GetCode(status) != TF_OK || count <= 0) {
        return 0;
    }
    if (count > most) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "an attribute with too many numbers");
        return 0;
    }
    TF_OpKernelConstruction_GetAttrInt64List(c, name, values, count, status);
    return count;
}

/* The two numbers of height and width, which are at least 1. */
static void read_pair(TF_OpKernelConstruction *c, const char *name, const opencl_window *w,
                      int64_t out[2], TF_Status *status)
{
    int64_t all[4] = {0};
    const int first = w->is_nchw ? 2 : 1, n = read_list(c, name, all, 4, status);
    out[0] = all[first];
    out[1] = all[first + 1];
    if (TF_GetCode(status) == TF_OK &&
        (n != 4 || out[0] < 1 || out[1] < 1 || out[0] > INT_MAX / 4 || out[1] > INT_MAX / 4 ||
         all[0] != 1 || all[w->is_nchw ? 1 : 3] != 1)) {
        TF_SetStatus(status, TF_UNIMPLEMENTED,
                     "strides, dilations and windows are 4 numbers, over height and width only");
    }
}

static void read_padding(TF_OpKernelConstruction *c, opencl_window *w, bool has_explicit,
                         TF_Status *status)
{
    char text[16] = {0};
    int64_t all[8] = {0};
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrString(c, "padding", text, sizeof text - 1, status);
    }
    w->padding = strcmp(text, "SAME") == 0 ? SAME : strcmp(text, "VALID") == 0 ? VALID : EXPLICIT;
    if (w->padding != EXPLICIT || !has_explicit || TF_GetCode(status) != TF_OK) {
        return;
    }
    const int n = read_list(c, "explicit_paddings", all, 8, status);
    for (int i = 0; i < 2; i++) {
        w->before[i] = all[(w->is_nchw ? 4 : 2) + 2 * i];
        w->after[i] = all[(w->is_nchw ? 4 : 2) + 2 * i + 1];
        if (TF_GetCode(status) == TF_OK &&
            (n != 8 || w->before[i] < 0 || w->after[i] < 0 || w->before[i] > INT_MAX / 4 ||
             w->after[i] > INT_MAX / 4)) {
            TF_SetStatus(status, TF_INVALID_ARGUMENT, "explicit_paddings are 8 numbers from 0 on");
        }
    }
}

static void take_word(opencl_window *w, const char *text, size_t length, TF_Status *status)
{
    static const char *const words[] = {"", "Relu", "Relu6", "Elu", "LeakyRelu", "Sigmoid", "Tanh"};
    bool is_known = false;
    if (length == 7 && memcmp(text, "BiasAdd", 7) == 0) {
        is_known = w->has_bias = true;
    } else if (length == 3 && memcmp(text, "Add", 3) == 0) {
        is_known = w->has_residual = true;
    }
    for (int i = RELU; i <= TANH; i++) {
        if (length == strlen(words[i]) && memcmp(text, words[i], length) == 0) {
            w->activation = i;
            is_known = true;
        }
    }
    if (!is_known) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "a word in fused_ops that OPENCL does not know");
    }
}

static void read_words(TF_OpKernelConstruction *c, opencl_window *w, TF_Status *status)
{
    char storage[128], *words[MAX_WORDS];
    size_t lengths[MAX_WORDS];
    int32_t count = 0, total = 0;
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrSize(c, "fused_ops", &count, &total, status);
    }
    if (TF_GetCode(status) != TF_OK || count <= 0) {
        return;
    }
    if (count > MAX_WORDS || total > (int32_t)sizeof storage) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "more than 4 words in fused_ops");
        return;
    }
    TF_OpKernelConstruction_GetAttrStringList(c, "fused_ops", words, lengths, count, storage,
                                              sizeof storage, status);
    for (int32_t i = 0; i < count && TF_GetCode(status) == TF_OK; i++) {
        take_word(w, words[i], lengths[i], status);
    }
    if (TF_GetCode(status) == TF_OK && w->activation == LEAKY_RELU) {
        TF_OpKernelConstruction_GetAttrFloat(c, "leakyrelu_alpha", &w->alpha, status);
    }
}

static opencl_kernel *begin(TF_OpKernelConstruction *c, const char *function, TF_Status *status)
{
    char format[8] = {0};
    opencl_kernel *kernel = opencl_create(c, function, status);
    if (kernel != NULL && (kernel->window = calloc(1, sizeof *kernel->window)) == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    }
    if (TF_GetCode(status) == TF_OK) {
        kernel->source = opencl_window_source;
        TF_OpKernelConstruction_GetAttrString(c, "data_format", format, sizeof format - 1, status);
        kernel->window->is_nchw = strcmp(format, "NCHW") == 0;
        read_pair(c, "strides", kernel->window, kernel->window->stride, status);
    }
    return kernel;
}

static void check_filter_format(TF_OpKernelConstruction *c, TF_Status *status)
{
    char format[16] = {0};
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrString(c, "filter_format", format, sizeof format - 1,
                                              status);
    }
    if (TF_GetCode(status) == TF_OK && strcmp(format, "HWIO") != 0) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "filter_format is HWIO on OPENCL");
    }
}

static void *create_conv_like(TF_OpKernelConstruction *c, bool is_fused, bool is_depthwise)
{
    TF_Status *status = TF_NewStatus();
    opencl_kernel *kernel = begin(c, "conv", status);
    if (TF_GetCode(status) == TF_OK) {
        opencl_window *w = kernel->window;
        w->is_depthwise = is_depthwise;
        read_pair(c, "dilations", w, w->dilation, status);
        read_padding(c, w, true, status);
        if (is_fused) {
            read_words(c, w, status);
        }
        if (is_fused && !is_depthwise) {
            check_filter_format(c, status);
        }
    }
    return opencl_finish(c, kernel, status);
}

static void *create_conv(TF_OpKernelConstruction *c)
{
    return create_conv_like(c, false, false);
}

static void *create_depthwise(TF_OpKernelConstruction *c)
{
    return create_conv_like(c, false, true);
}

static void *create_pool(TF_OpKernelConstruction *c, const char *function, bool has_explicit)
{
    TF_Status *status = TF_NewStatus();
    opencl_kernel *kernel = begin(c, function, status);
    if (TF_GetCode(status) == TF_OK) {
        opencl_window *w = kernel->window;
        w->is_pool = true;
        w->dilation[0] = w->dilation[1] = 1;
        read_pair(c, "ksize", w, w->size, status);
        read_padding(c, w, has_explicit, status);
    }
    return opencl_finish(c, kernel, status);
}

static void *create_max_pool(TF_OpKernelConstruction *c)
{
    return create_pool(c, "max_pool", true);
}

static void *create_avg_pool(TF_OpKernelConstruction *c)
{
    return create_pool(c, "avg_pool", false);
}

/* --- Geometry -------------------------------------------------------------------------------- */

static bool fit(opencl_request *r, const opencl_window *w, int i, int64_t in, int64_t size,
                geometry *g)
{
    const int64_t reach = (size - 1) * w->dilation[i] + 1;
    int64_t out = 0, before = w->before[i];
    if (w->padding == SAME) {
        out = (in + w->stride[i] - 1) / w->stride[i];
        const int64_t total = (out - 1) * w->stride[i] + reach - in;
        before = total > 0 ? total / 2 : 0;
    } else {
        const int64_t room = in + w->before[i] + w->after[i] - reach;
        out = room < 0 ? -1 : room / w->stride[i] + 1;
    }
    if (out < 0 || reach > INT_MAX / 2 || in > INT_MAX / 2) {
        return opencl_refuse(r, TF_INVALID_ARGUMENT, "a window that is larger than the picture");
    }
    g->out[i] = (int32_t)out;
    g->in[i] = (int32_t)in;
    g->size[i] = (int32_t)size;
    g->stride[i] = (int32_t)w->stride[i];
    g->dilation[i] = (int32_t)w->dilation[i];
    g->before[i] = (int32_t)before;
    return true;
}

/* Elements from one to the next of picture, row, column, channel. */
static void fill_steps(int32_t steps[4], bool is_nchw, int64_t height, int64_t width,
                       int64_t channels)
{
    steps[0] = (int32_t)(height * width * channels);
    steps[1] = (int32_t)(is_nchw ? width : width * channels);
    steps[2] = (int32_t)(is_nchw ? 1 : channels);
    steps[3] = (int32_t)(is_nchw ? height * width : 1);
}

static bool make_picture(opencl_request *r, const opencl_window *w, const int64_t size[2],
                         int64_t channels, geometry *g)
{
    const int first = w->is_nchw ? 2 : 1, channel = w->is_nchw ? 1 : 3;
    int64_t dims[4] = {TF_Dim(r->x, 0)};
    for (int i = 0; i < 2; i++) {
        if (size[i] < 1 || !fit(r, w, i, TF_Dim(r->x, first + i), size[i], g)) {
            return opencl_is_ok(r) && opencl_refuse(r, TF_INVALID_ARGUMENT, "an empty window");
        }
        dims[first + i] = g->out[i];
    }
    dims[channel] = channels;
    if (!opencl_output(r, dims, 4)) {
        return false;
    }
    g->n = (int32_t)TF_TensorElementCount(r->out);
    g->out[2] = (int32_t)channels;
    fill_steps(g->x, w->is_nchw, g->in[0], g->in[1], TF_Dim(r->x, channel));
    fill_steps(g->z, w->is_nchw, g->out[0], g->out[1], channels);
    return true;
}

static void compute_pool(void *state, TF_OpKernelContext *ctx)
{
    opencl_kernel *kernel = state;
    opencl_request r;
    geometry g = {0};
    if (opencl_open(&r, ctx, 1) && TF_NumDims(r.x) != 4) {
        (void)opencl_refuse(&r, TF_INVALID_ARGUMENT, "a picture that has not 4 dimensions");
    } else if (opencl_is_ok(&r) && make_picture(&r, kernel->window, kernel->window->size,
                                                TF_Dim(r.x, kernel->window->is_nchw ? 1 : 3), &g)) {
        const TF_LaunchArg args[] = {opencl_memory(r.out), opencl_memory(r.x),
                                     opencl_value(&g, sizeof g)};
        opencl_enqueue(kernel, &r, g.n, 1, args, 3);
    }
    opencl_close(&r);
}

/* Channels of the output and of a group; false when picture and filter do not fit. */
static bool read_filter(opencl_request *r, const opencl_window *w, int64_t *out_channels,
                        geometry *g)
{
    if (TF_NumDims(r->x) != 4 || TF_NumDims(r->y) != 4) {
        return opencl_refuse(r, TF_INVALID_ARGUMENT, "picture and filter have 4 dimensions each");
    }
    const int64_t in = TF_Dim(r->x, w->is_nchw ? 1 : 3);
    const int64_t depth = w->is_depthwise ? 1 : TF_Dim(r->y, 2);
    *out_channels = w->is_depthwise ? TF_Dim(r->y, 2) * TF_Dim(r->y, 3) : TF_Dim(r->y, 3);
    if (depth < 1 || in < 1 || in % depth != 0 || *out_channels % (in / depth) != 0 ||
        *out_channels < 1 || (w->is_depthwise && TF_Dim(r->y, 2) != in)) {
        return opencl_refuse(r, TF_INVALID_ARGUMENT, "channels that do not fit the filter's");
    }
    g->depth = (int32_t)depth;
    g->group = (int32_t)(*out_channels / (in / depth));
    return true;
}

static bool read_extras(opencl_request *r, const opencl_window *w, int64_t channels, geometry *g)
{
    int index = 2;
    if (w->has_bias) {
        TF_GetInput(r->ctx, index++, &r->bias, r->status);
    }
    if (opencl_is_ok(r) && w->has_residual) {
        TF_GetInput(r->ctx, index, &r->residual, r->status);
    }
    if (opencl_is_ok(r) && ((w->has_bias && TF_TensorElementCount(r->bias) != channels) ||
                            (w->has_residual && TF_TensorElementCount(r->residual) !=
                                                    TF_TensorElementCount(r->out)))) {
        return opencl_refuse(r, TF_INVALID_ARGUMENT, "a bias or sum of another shape");
    }
    g->has_bias = w->has_bias;
    g->has_residual = w->has_residual;
    g->activation = w->activation;
    g->alpha = w->alpha;
    return opencl_is_ok(r);
}

static void compute_conv(void *state, TF_OpKernelContext *ctx)
{
    opencl_kernel *kernel = state;
    opencl_request r;
    geometry g = {0};
    int64_t channels = 0;
    if (opencl_open(&r, ctx, 2) && read_filter(&r, kernel->window, &channels, &g) &&
        make_picture(&r, kernel->window, (int64_t[]){TF_Dim(r.y, 0), TF_Dim(r.y, 1)}, channels,
                     &g) &&
        read_extras(&r, kernel->window, channels, &g)) {
        const TF_LaunchArg args[] = {opencl_memory(r.out),
                                     opencl_memory(r.x),
                                     opencl_memory(r.y),
                                     opencl_memory(r.bias != NULL ? r.bias : r.y),
                                     opencl_memory(r.residual != NULL ? r.residual : r.y),
                                     opencl_value(&g, sizeof g)};
        opencl_enqueue(kernel, &r, g.n, 1, args, 6);
    }
    opencl_close(&r);
}

static void *create_fused_conv(TF_OpKernelConstruction *c)
{
    return create_conv_like(c, true, false);
}

static void *create_fused_depthwise(TF_OpKernelConstruction *c)
{
    return create_conv_like(c, true, true);
}

const opencl_entry opencl_window_entries[] = {
    {"Conv2D", create_conv, compute_conv, NULL},
    {"_FusedConv2D", create_fused_conv, compute_conv, NULL},
    {"DepthwiseConv2dNative", create_depthwise, compute_conv, NULL},
    {"_FusedDepthwiseConv2dNative", create_fused_depthwise, compute_conv, NULL},
    {"MaxPool", create_max_pool, compute_pool, NULL},
    {"AvgPool", create_avg_pool, compute_pool, NULL},
};
const size_t opencl_n_window_entries = sizeof opencl_window_entries / sizeof *opencl_window_entries;
