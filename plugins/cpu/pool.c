/* SPDX-License-Identifier: Apache-2.0 */
/* See pool.h. MaxPool and AvgPool as TensorFlow defines them. */
#include "cpu/pool.h"

#include <string.h>

typedef enum pool_padding { PAD_VALID, PAD_SAME, PAD_EXPLICIT } pool_padding;

typedef struct pool_state {
    pool_padding padding;
    int64_t kernel[4], strides[4], pads[8];
} pool_state;

static void read_padding(oribi_cpu_setup *setup, pool_state *state)
{
    char padding[16] = "VALID", format[16] = "NHWC";
    int n_pads = 0;
    oribi_cpu_attr_string(setup, "padding", padding, sizeof padding);
    oribi_cpu_attr_string(setup, "data_format", format, sizeof format);
    state->padding = strcmp(padding, "SAME") == 0       ? PAD_SAME
                     : strcmp(padding, "EXPLICIT") == 0 ? PAD_EXPLICIT
                                                        : PAD_VALID;
    if (strcmp(format, "NHWC") != 0) {
        (void)oribi_cpu_setup_fail(setup, TF_UNIMPLEMENTED,
                                   "data_format %s: the cpu kernel has NHWC only", format);
    }
    if (state->padding == PAD_EXPLICIT) {
        oribi_cpu_attr_ints(setup, "explicit_paddings", state->pads, 8, &n_pads);
    }
}

void *oribi_cpu_pool_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    pool_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_cpu_attr_ints(&setup, "ksize", state->kernel, 4, NULL);
        oribi_cpu_attr_ints(&setup, "strides", state->strides, 4, NULL);
        read_padding(&setup, state);
        if (state->kernel[0] != 1 || state->kernel[3] != 1 || state->strides[0] != 1 ||
            state->strides[3] != 1) {
            (void)oribi_cpu_setup_fail(
                &setup, TF_UNIMPLEMENTED,
                "Pooling is not yet supported on the batch or depth dimension.");
        }
    }
    return oribi_cpu_setup_end(&setup);
}

/* Output size and padding along one axis. */
static bool fit(oribi_cpu_run *run, const char *axis, pool_padding padding, int64_t in,
                int64_t kernel, int64_t stride, int64_t *before, int64_t *after, int64_t *out)
{
    const int64_t most = INT32_MAX;
    if (kernel < 1 || kernel > most || stride < 1 || stride > most || in > most || *before < 0 ||
        *before > most || *after < 0 || *after > most) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "%s: window %lld, stride %lld, padding %lld and %lld over %lld "
                              "elements: window and stride must be positive, all below 2^31",
                              axis, (long long)kernel, (long long)stride, (long long)*before,
                              (long long)*after, (long long)in);
    }
    if (padding == PAD_SAME) {
        *out = (in + stride - 1) / stride;
        int64_t total = (*out - 1) * stride + kernel - in;
        total = total > 0 ? total : 0;
        *before = total / 2;
        *after = total - *before;
        return true;
    }
    int64_t padded = in + *before + *after;
    if (padded < kernel) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "%s: a window of %lld does not fit into %lld elements with padding",
                              axis, (long long)kernel, (long long)padded);
    }
    *out = (padded - kernel) / stride + 1;
    return true;
}

typedef struct pool_work {
    oribi_cpu_pool pool;
    oribi_cpu_pool_line line;
} pool_work;

static void pool_lines(void *object, int64_t begin, int64_t end)
{
    const pool_work *work = object;
    for (int64_t line = begin; line < end; line++) {
        work->line(&work->pool, line);
    }
}

static bool pool_run(const pool_state *state, oribi_cpu_run *run, oribi_cpu_pool_line line)
{
    oribi_cpu_shape in;
    if (!oribi_cpu_input_shape(run, 0, &in)) {
        return false;
    }
    if (in.n != 4) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT, "input %s must have rank 4",
                              oribi_cpu_shape_text(&in).chars);
    }
    pool_work work = {.line = line};
    oribi_cpu_pool *p = &work.pool;
    *p = (oribi_cpu_pool){.x = TF_TensorData(run->in[0]),
                          .n = in.at[0],
                          .in_h = in.at[1],
                          .in_w = in.at[2],
                          .channels = in.at[3],
                          .kernel_h = state->kernel[1],
                          .kernel_w = state->kernel[2],
                          .stride_h = state->strides[1],
                          .stride_w = state->strides[2],
                          .dilation_h = 1,
                          .dilation_w = 1,
                          .pad_top = state->pads[2],
                          .pad_bottom = state->pads[3],
                          .pad_left = state->pads[4],
                          .pad_right = state->pads[5]};
    if (!fit(run, "height", state->padding, p->in_h, p->kernel_h, p->stride_h, &p->pad_top,
             &p->pad_bottom, &p->out_h) ||
        !fit(run, "width", state->padding, p->in_w, p->kernel_w, p->stride_w, &p->pad_left,
             &p->pad_right, &p->out_w)) {
        return false;
    }
    int64_t dims[4] = {p->n, p->out_h, p->out_w, p->channels}, count = 0;
    if (!oribi_cpu_count(run, dims, 4, &count)) {
        return false;
    }
    p->y = oribi_cpu_output(run, 0, dims, 4);
    if (p->y == NULL || count == 0) {
        return p->y != NULL;
    }
    p->row_stride = TF_OutputRowStride(run->context, 0);
    int64_t taps = p->kernel_h < p->in_h ? p->kernel_h : p->in_h;
    taps *= p->kernel_w < p->in_w ? p->kernel_w : p->in_w;
    oribi_cpu_parallel(run, p->n * p->out_h, p->out_w * (p->channels * taps / 4 + 20), &work,
                       pool_lines);
    return true;
}

void oribi_cpu_pool_compute(const void *state, TF_OpKernelContext *context,
                            oribi_cpu_pool_line line)
{
    oribi_cpu_run run;
    if (oribi_cpu_begin(&run, context, 1)) {
        (void)pool_run(state, &run, line);
    }
    oribi_cpu_end(&run);
}
