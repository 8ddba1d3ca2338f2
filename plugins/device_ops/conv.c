/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: plain, fused, grouped, depthwise. A depthwise convolution is a grouped one with a
 * channel a group: the filters lie in the same order.
 */
#include <string.h>

#include "device_ops/window.h"

enum { MAX_WORDS = 4 };

static void take_word(window_attrs *w, const char *text, size_t length, TF_Status *status)
{
    static const char *const words[] = {"", "Relu", "Relu6", "Elu", "LeakyRelu", "Sigmoid", "Tanh"};
    bool is_known = false;
    if (length == 7 && memcmp(text, "BiasAdd", 7) == 0) {
        is_known = w->has_bias = true;
    } else if (length == 3 && memcmp(text, "Add", 3) == 0) {
        is_known = w->has_residual = true;
    }
    for (int i = OP_RELU; i <= OP_TANH; i++) {
        if (length == strlen(words[i]) && memcmp(text, words[i], length) == 0) {
            w->activation = i;
            is_known = true;
        }
    }
    if (!is_known) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "a word in fused_ops that devices do not know");
    }
}

static void read_words(TF_OpKernelConstruction *c, window_attrs *w, TF_Status *status)
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
    if (TF_GetCode(status) == TF_OK && w->activation == OP_LEAKY_RELU) {
        TF_OpKernelConstruction_GetAttrFloat(c, "leakyrelu_alpha", &w->alpha, status);
    }
}

static void check_filter_format(TF_OpKernelConstruction *c, TF_Status *status)
{
    char format[16] = {0};
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrString(c, "filter_format", format, sizeof format - 1,
                                              status);
    }
    if (TF_GetCode(status) == TF_OK && strcmp(format, "HWIO") != 0) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "filter_format is HWIO");
    }
}

static void *create_conv_like(TF_OpKernelConstruction *c, bool is_fused, bool is_depthwise)
{
    TF_Status *status = TF_NewStatus();
    op_kernel *kernel = window_create(c, "conv", "op_conv", status);
    if (TF_GetCode(status) == TF_OK) {
        window_attrs *w = window_of(kernel);
        w->is_depthwise = is_depthwise;
        window_read_pair(c, "dilations", w, w->dilation, status);
        window_read_padding(c, w, true, status);
        if (is_fused) {
            read_words(c, w, status);
        }
        if (is_fused && !is_depthwise) {
            check_filter_format(c, status);
        }
    }
    return op_finish(c, kernel, status);
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
        return op_refuse(r, TF_INVALID_ARGUMENT, "channels that do not fit the filter's");
    }
    g->depth = (int32_t)depth;
    g->group = (int32_t)(*out_channels / (in / depth));
    return true;
}

static bool read_extras(op_request *r, const window_attrs *w, int64_t channels, op_window *g)
{
    int index = 2;
    if (w->has_bias) {
        TF_GetInput(r->ctx, index++, &r->bias, r->status);
    }
    if (op_is_ok(r) && w->has_residual) {
        TF_GetInput(r->ctx, index, &r->residual, r->status);
    }
    if (op_is_ok(r) && ((w->has_bias && TF_TensorElementCount(r->bias) != channels) ||
                        (w->has_residual &&
                         TF_TensorElementCount(r->residual) != TF_TensorElementCount(r->out)))) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "a bias or sum of another shape");
    }
    g->has_bias = w->has_bias;
    g->has_residual = w->has_residual;
    g->activation = w->activation;
    g->alpha = w->alpha;
    return op_is_ok(r);
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
        read_extras(&r, window_of(kernel), channels, &g)) {
        const TF_LaunchArg args[] = {op_memory(r.out),
                                     op_memory(r.x),
                                     op_memory(r.y),
                                     op_memory(r.bias != NULL ? r.bias : r.y),
                                     op_memory(r.residual != NULL ? r.residual : r.y),
                                     op_value(&g, sizeof g)};
        op_enqueue(kernel, &r, g.n, 1, args, 6);
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
    {"Conv2D", "conv", create_conv, compute_conv, NULL},
    {"_FusedConv2D", "conv", create_fused_conv, compute_conv, NULL},
    {"DepthwiseConv2dNative", "conv", create_depthwise, compute_conv, NULL},
    {"_FusedDepthwiseConv2dNative", "conv", create_fused_depthwise, compute_conv, NULL},
};
const op_table op_conv_table = {entries, sizeof entries / sizeof *entries};
