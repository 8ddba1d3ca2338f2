/* SPDX-License-Identifier: Apache-2.0 */
/* See pool_kernels.h. MaxPool and AvgPool as TensorFlow defines them. */
#include "cpu/window/pool_kernels.h"

#include <string.h>

typedef struct pool_state {
    oribi_geometry_padding padding;
    int64_t kernel[4], strides[4], pads[8];
} pool_state;

static void read_padding(oribi_kit_setup *setup, pool_state *state)
{
    char padding[16] = "VALID", format[16] = "NHWC";
    int n_pads = 0;
    oribi_kit_attr_string(setup, "padding", padding, sizeof padding);
    oribi_kit_attr_string(setup, "data_format", format, sizeof format);
    if (!oribi_geometry_read_padding(padding, &state->padding)) {
        state->padding = ORIBI_GEOMETRY_VALID;
    }
    if (strcmp(format, "NHWC") != 0) {
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED,
                                   "data_format is %s; the cpu kernel supports NHWC only", format);
    }
    if (state->padding == ORIBI_GEOMETRY_EXPLICIT) {
        oribi_kit_attr_ints(setup, "explicit_paddings", state->pads, 8, &n_pads);
    }
}

void *oribi_cpu_pool_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    pool_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_kit_attr_ints(&setup, "ksize", state->kernel, 4, NULL);
        oribi_kit_attr_ints(&setup, "strides", state->strides, 4, NULL);
        read_padding(&setup, state);
        if (state->kernel[0] != 1 || state->kernel[3] != 1 || state->strides[0] != 1 ||
            state->strides[3] != 1) {
            (void)oribi_kit_setup_fail(
                &setup, TF_UNIMPLEMENTED,
                "Pooling is not yet supported on the batch or depth dimension.");
        }
    }
    return oribi_kit_setup_end(&setup);
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

static bool pool_run(const pool_state *state, oribi_kit_run *run, oribi_cpu_pool_line line)
{
    oribi_cpu_shape in;
    if (!oribi_cpu_input_shape(run, 0, &in)) {
        return false;
    }
    if (in.n != 4) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %s must have rank 4",
                              oribi_cpu_shape_text(&in).chars);
    }
    pool_work work = {.line = line};
    oribi_cpu_pool *p = &work.pool;
    *p = (oribi_cpu_pool){.x = TF_TensorData(run->in[0]), .n = in.at[0], .channels = in.at[3]};
    oribi_geometry_window *const axes[] = {&p->down, &p->across};
    for (int i = 0; i < 2; i++) {
        *axes[i] = (oribi_geometry_window){.in = in.at[i + 1],
                                           .taps = state->kernel[i + 1],
                                           .stride = state->strides[i + 1],
                                           .dilation = 1,
                                           .padding = state->padding,
                                           .before = state->pads[2 * i + 2],
                                           .after = state->pads[2 * i + 3]};
        if (!oribi_cpu_slide(run, i == 0 ? "height" : "width", axes[i])) {
            return false;
        }
    }
    int64_t dims[4] = {p->n, p->down.out, p->across.out, p->channels}, count = 0;
    if (!oribi_cpu_count(run, dims, 4, &count)) {
        return false;
    }
    p->y = oribi_kit_output(run, 0, dims, 4);
    if (p->y == NULL || count == 0) {
        return p->y != NULL;
    }
    p->row_stride = TF_OutputRowStride(run->context, 0);
    int64_t taps = p->down.taps < p->down.in ? p->down.taps : p->down.in;
    taps *= p->across.taps < p->across.in ? p->across.taps : p->across.in;
    oribi_kit_parallel(run, p->n * p->down.out, p->across.out * (p->channels * taps / 4 + 20),
                       &work, pool_lines);
    return true;
}

void oribi_cpu_pool_compute(const void *state, TF_OpKernelContext *context,
                            oribi_cpu_pool_line line)
{
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 1)) {
        (void)pool_run(state, &run, line);
    }
    oribi_kit_end(&run);
}
