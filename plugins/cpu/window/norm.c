/* SPDX-License-Identifier: Apache-2.0 */
/* See norm.h: Softmax and LRN. Batch normalisation: batch_norm_kernels.c. */
#include "cpu/window/norm.h"

typedef struct softmax_work {
    const char *x;
    char *y;
    int64_t columns;
    size_t bytes;
    oribi_cpu_softmax_rows rows;
} softmax_work;

static void softmax_block(void *object, int64_t begin, int64_t end)
{
    const softmax_work *work = object;
    size_t at = (size_t)(begin * work->columns) * work->bytes;
    work->rows(work->x + at, work->y + at, end - begin, work->columns);
}

void oribi_cpu_softmax_compute(TF_OpKernelContext *context, oribi_cpu_softmax_rows rows,
                               size_t bytes)
{
    static const int candidate = 0;
    oribi_kit_run run;
    oribi_cpu_shape shape;
    if (oribi_kit_begin(&run, context, 1) && oribi_cpu_input_shape(&run, 0, &shape)) {
        softmax_work work = {.x = TF_TensorData(run.in[0]), .bytes = bytes, .rows = rows};
        if (shape.n == 0) {
            (void)oribi_kit_fail(&run, TF_INVALID_ARGUMENT, "logits must have >= 1 dimension");
        } else {
            work.y = oribi_kit_output_in_place(&run, &candidate, 1, shape.at, shape.n);
        }
        if (work.y != NULL) {
            work.columns = shape.at[shape.n - 1];
            int64_t total = oribi_cpu_product(shape.at, shape.n);
            if (total > 0) {
                oribi_kit_parallel(&run, total / work.columns, work.columns * 5 + 10, &work,
                                   softmax_block);
            }
        }
    }
    oribi_kit_end(&run);
}

typedef struct lrn_state {
    int64_t radius;
    float bias, alpha, beta;
} lrn_state;

void *oribi_cpu_lrn_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    lrn_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_kit_attr_int(&setup, "depth_radius", &state->radius);
        oribi_kit_attr_float(&setup, "bias", &state->bias);
        oribi_kit_attr_float(&setup, "alpha", &state->alpha);
        oribi_kit_attr_float(&setup, "beta", &state->beta);
        if (state->radius < 0 || state->radius > INT32_MAX) {
            (void)oribi_kit_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                       "depth_radius = %lld is outside [0, 2^31)",
                                       (long long)state->radius);
        }
    }
    return oribi_kit_setup_end(&setup);
}

typedef struct lrn_work {
    oribi_cpu_lrn lrn;
    oribi_cpu_lrn_pixels pixels;
} lrn_work;

static void lrn_block(void *object, int64_t begin, int64_t end)
{
    const lrn_work *work = object;
    work->pixels(&work->lrn, begin, end);
}

void oribi_cpu_lrn_compute(const void *state, TF_OpKernelContext *context,
                           oribi_cpu_lrn_pixels pixels)
{
    const lrn_state *lrn = state;
    oribi_kit_run run;
    oribi_cpu_shape shape;
    if (oribi_kit_begin(&run, context, 1) && oribi_cpu_input_shape(&run, 0, &shape)) {
        lrn_work work = {{.x = TF_TensorData(run.in[0]),
                          .radius = lrn->radius,
                          .bias = lrn->bias,
                          .alpha = lrn->alpha,
                          .beta = lrn->beta},
                         pixels};
        if (shape.n != 4) {
            (void)oribi_kit_fail(&run, TF_INVALID_ARGUMENT, "in must be 4-dimensional, not %s",
                                 oribi_cpu_shape_text(&shape).chars);
        } else {
            work.lrn.y = oribi_kit_output(&run, 0, shape.at, shape.n);
        }
        if (work.lrn.y != NULL && shape.at[3] > 0) {
            work.lrn.channels = shape.at[3];
            oribi_kit_parallel(&run, oribi_cpu_product(shape.at, 3), shape.at[3] * 4, &work,
                               lrn_block);
        }
    }
    oribi_kit_end(&run);
}
