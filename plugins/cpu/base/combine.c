/* SPDX-License-Identifier: Apache-2.0 */
/* See combine.h. */
#include "cpu/base/combine.h"

typedef struct bias_state {
    bool channels_first;
} bias_state;

void *oribi_cpu_bias_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    char format[16] = "NHWC";
    bias_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_kit_attr_string(&setup, "data_format", format, sizeof format);
        state->channels_first = format[1] == 'C';
    }
    return oribi_kit_setup_end(&setup);
}

static bool bias_run(const bias_state *state, oribi_kit_run *run, const oribi_cpu_binary_op *add)
{
    oribi_cpu_shape x, bias;
    if (!oribi_cpu_input_shape(run, 0, &x) || !oribi_cpu_input_shape(run, 1, &bias)) {
        return false;
    }
    int channel = state->channels_first ? 1 : x.n - 1;
    if (x.n < 2 || bias.n != 1 || bias.at[0] != x.at[channel]) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Must provide as many biases as the channel dimension of the input "
                              "tensor: %s vs. %s",
                              oribi_cpu_shape_text(&bias).chars, oribi_cpu_shape_text(&x).chars);
    }
    bias.n = x.n - channel;
    for (int i = 1; i < bias.n; i++) {
        bias.at[i] = 1;
    }
    return oribi_cpu_binary_run(run, add, &x, &bias, &x);
}

void oribi_cpu_bias_compute(const void *state, TF_OpKernelContext *context,
                            const oribi_cpu_binary_op *add)
{
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 2)) {
        (void)bias_run(state, &run, add);
    }
    oribi_kit_end(&run);
}

typedef struct sum_work {
    const oribi_cpu_binary_op *add;
    const char *a, *b;
    char *y;
} sum_work;

static void sum_block(void *object, int64_t begin, int64_t end)
{
    const sum_work *work = object;
    int64_t width = work->add->in_bytes;
    (void)work->add->line(work->a + begin * width, 1, work->b + begin * width, 1,
                          work->y + begin * width, end - begin);
}

/* y = in[0] + in[1] first, then y += in[i]: every input is read once, y stays in place. */
static bool add_n_run(oribi_kit_run *run, const oribi_cpu_binary_op *add)
{
    static const int candidate = 0;
    oribi_cpu_shape shape, other;
    int n = TF_NumInputs(run->context);
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    if (n == 1) {
        return oribi_kit_output_alias(run, 0, shape.at, shape.n);
    }
    int64_t count = oribi_cpu_product(shape.at, shape.n);
    sum_work work = {.add = add, .a = TF_TensorData(run->in[0])};
    work.y = oribi_kit_output_in_place(run, &candidate, 1, shape.at, shape.n);
    if (work.y == NULL) {
        return false;
    }
    for (int i = 1; i < n; i++) {
        TF_Tensor *tensor = NULL;
        TF_GetInput(run->context, i, &tensor, run->status);
        if (tensor == NULL) {
            if (TF_GetCode(run->status) == TF_OK) {
                (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d is absent", i);
            }
            return false;
        }
        bool good = oribi_cpu_tensor_shape(run, tensor, &other);
        if (good && !oribi_cpu_shape_equal(&shape, &other)) {
            good = oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "Inputs to operation of type AddN must have the same size and "
                                  "shape.  Input 0: %s != input %d: %s",
                                  oribi_cpu_shape_text(&shape).chars, i,
                                  oribi_cpu_shape_text(&other).chars);
        }
        if (good) {
            work.b = TF_TensorData(tensor);
            oribi_kit_parallel(run, count, add->cost, &work, sum_block);
            work.a = work.y;
        }
        TF_DeleteTensor(tensor);
        if (!good) {
            return false;
        }
    }
    return true;
}

void oribi_cpu_add_n_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *add)
{
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 1)) {
        (void)add_n_run(&run, add);
    }
    oribi_kit_end(&run);
}

typedef struct clip_work {
    const oribi_cpu_binary_op *maximum, *minimum;
    const char *x, *low, *high;
    char *y;
    int64_t low_step, high_step;
} clip_work;

static void clip_block(void *object, int64_t begin, int64_t end)
{
    enum { CHUNK = 2048 }; /* stays in the first cache between the two lines */
    const clip_work *work = object;
    int64_t width = work->maximum->in_bytes;
    for (int64_t i = begin; i < end; i += CHUNK) {
        int64_t count = end - i < CHUNK ? end - i : CHUNK;
        (void)work->minimum->line(work->x + i * width, 1, work->high + i * work->high_step * width,
                                  work->high_step, work->y + i * width, count);
        (void)work->maximum->line(work->y + i * width, 1, work->low + i * work->low_step * width,
                                  work->low_step, work->y + i * width, count);
    }
}

/* A bound is one value or as many as x has. */
static bool clip_step(oribi_kit_run *run, int index, int64_t count, int64_t *out)
{
    int64_t have = TF_TensorElementCount(run->in[index]);
    bool is_same = TF_NumDims(run->in[index]) == TF_NumDims(run->in[0]);
    for (int k = 0; is_same && k < TF_NumDims(run->in[0]); k++) {
        is_same = TF_Dim(run->in[index], k) == TF_Dim(run->in[0], k);
    }
    *out = have == 1 ? 0 : 1;
    return have == 1 || is_same ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                          "clip bound %d has %lld elements: neither one, nor the input's %lld in "
                          "its shape",
                          index, (long long)have, (long long)count);
}

void oribi_cpu_clip_compute(TF_OpKernelContext *context, const oribi_cpu_binary_op *maximum,
                            const oribi_cpu_binary_op *minimum)
{
    static const int candidate = 0;
    oribi_kit_run run;
    oribi_cpu_shape shape;
    clip_work work = {.maximum = maximum, .minimum = minimum};
    if (oribi_kit_begin(&run, context, 3) && oribi_cpu_input_shape(&run, 0, &shape)) {
        int64_t count = oribi_cpu_product(shape.at, shape.n);
        if (clip_step(&run, 1, count, &work.low_step) &&
            clip_step(&run, 2, count, &work.high_step)) {
            work.x = TF_TensorData(run.in[0]);
            work.low = TF_TensorData(run.in[1]);
            work.high = TF_TensorData(run.in[2]);
            work.y = oribi_kit_output_in_place(&run, &candidate, 1, shape.at, shape.n);
            if (work.y != NULL) {
                oribi_kit_parallel(&run, count, 2, &work, clip_block);
            }
        }
    }
    oribi_kit_end(&run);
}
