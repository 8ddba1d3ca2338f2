/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's Conv2D, for tests: plain loops, float, NHWC, groups and explicit padding, at the
 * default priority 0. It counts its runs, so that a test sees that models really use it.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/kernels.h"

enum { MAX_RANK = 4 };

typedef struct conv {
    int64_t strides[4], dilations[4], pads[8];
    char padding[16];
} conv;

TF_CAPI_EXPORT atomic_int counting_conv_runs;
TF_CAPI_EXPORT extern atomic_int counting_conv_runs;
TF_CAPI_EXPORT extern void TF_InitKernel(void);

static void *create(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    conv *c = calloc(1, sizeof *c);
    int32_t count = 0, bytes = 0;
    TF_OpKernelConstruction_GetAttrInt64List(ctx, "strides", c->strides, 4, status);
    TF_OpKernelConstruction_GetAttrInt64List(ctx, "dilations", c->dilations, 4, status);
    TF_OpKernelConstruction_GetAttrString(ctx, "padding", c->padding, sizeof c->padding - 1,
                                          status);
    TF_OpKernelConstruction_GetAttrSize(ctx, "explicit_paddings", &count, &bytes, status);
    if (count == 8) {
        TF_OpKernelConstruction_GetAttrInt64List(ctx, "explicit_paddings", c->pads, 8, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelConstruction_Failure(ctx, status);
        free(c);
        c = NULL;
    }
    TF_DeleteStatus(status);
    return c;
}

static int64_t output_size(const conv *c, int axis, int64_t in, int64_t window, int64_t *out_before)
{
    int64_t stride = c->strides[axis], extent = (window - 1) * c->dilations[axis] + 1;
    int64_t before = c->pads[2 * axis], after = c->pads[2 * axis + 1];
    if (strcmp(c->padding, "SAME") == 0) {
        int64_t out = (in + stride - 1) / stride, total = (out - 1) * stride + extent - in;
        total = total > 0 ? total : 0;
        before = total / 2;
        after = total - before;
    }
    *out_before = before;
    return (in + before + after - extent) / stride + 1;
}

typedef struct geometry {
    int64_t in[MAX_RANK], window[MAX_RANK], out[MAX_RANK], top, left;
} geometry;

/* One output pixel: all channels of it. */
static void pixel(const conv *c, const geometry *g, const float *x, const float *w, float *y,
                  int64_t row, int64_t column)
{
    int64_t in_each = g->window[2], n_out = g->window[3], groups = g->in[3] / in_each;
    int64_t out_each = n_out / groups;
    memset(y, 0, (size_t)n_out * sizeof *y);
    for (int64_t i = 0; i < g->window[0]; i++) {
        int64_t r = row * c->strides[1] - g->top + i * c->dilations[1];
        for (int64_t k = 0; k < g->window[1]; k++) {
            int64_t s = column * c->strides[2] - g->left + k * c->dilations[2];
            if (r < 0 || r >= g->in[1] || s < 0 || s >= g->in[2]) {
                continue;
            }
            const float *from = x + (r * g->in[2] + s) * g->in[3];
            const float *weights = w + (i * g->window[1] + k) * in_each * n_out;
            for (int64_t group = 0; group < groups; group++) {
                for (int64_t channel = 0; channel < in_each; channel++) {
                    float value = from[group * in_each + channel];
                    const float *line = weights + channel * n_out + group * out_each;
                    float *to = y + group * out_each;
                    for (int64_t o = 0; o < out_each; o++) {
                        to[o] += value * line[o];
                    }
                }
            }
        }
    }
}

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    const conv *c = kernel;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *w = NULL, *y = NULL;
    geometry g;
    TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_GetInput(ctx, 1, &w, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        goto done;
    }
    for (int i = 0; i < MAX_RANK; i++) {
        g.in[i] = TF_Dim(x, i);
        g.window[i] = TF_Dim(w, i);
    }
    g.out[0] = g.in[0];
    g.out[1] = output_size(c, 1, g.in[1], g.window[0], &g.top);
    g.out[2] = output_size(c, 2, g.in[2], g.window[1], &g.left);
    g.out[3] = g.window[3];
    size_t bytes = (size_t)(g.out[0] * g.out[1] * g.out[2] * g.out[3]) * sizeof(float);
    y = TF_AllocateOutput(ctx, 0, TF_FLOAT, g.out, MAX_RANK, bytes, status);
    if (TF_GetCode(status) != TF_OK) {
        goto done;
    }
    const float *data = TF_TensorData(x), *weights = TF_TensorData(w);
    float *to = TF_TensorData(y);
    for (int64_t n = 0; n < g.out[0]; n++) {
        const float *image = data + n * g.in[1] * g.in[2] * g.in[3];
        for (int64_t row = 0; row < g.out[1]; row++) {
            for (int64_t column = 0; column < g.out[2]; column++, to += g.out[3]) {
                pixel(c, &g, image, weights, to, row, column);
            }
        }
    }
    atomic_fetch_add(&counting_conv_runs, 1);
done:
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelContext_Failure(ctx, status);
    }
    TF_DeleteTensor(x);
    TF_DeleteTensor(w);
    TF_DeleteTensor(y);
    TF_DeleteStatus(status);
}

static void destroy(void *kernel)
{
    free(kernel);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *builder = TF_NewKernelBuilder("Conv2D", "CPU", create, compute, destroy);
    TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
    TF_RegisterKernelBuilder("CountingConv2D", builder, status);
    TF_DeleteStatus(status);
}
