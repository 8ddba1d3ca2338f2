/* SPDX-License-Identifier: Apache-2.0 */
/* FusedBatchNormV3 and _FusedBatchNormEx for inference; training is refused. See norm.h. */
#include "cpu/window/norm.h"

#include <math.h>
#include <string.h>

typedef struct bn_state {
    float epsilon;
    bool channels_first, has_relu;
    int n_side;
} bn_state;

static void *create(TF_OpKernelConstruction *construction, bool is_extended)
{
    oribi_kit_setup setup;
    char format[16] = "NHWC", activation[16] = "Identity";
    bool is_training = false;
    int64_t n_side = 0;
    bn_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_kit_attr_float(&setup, "epsilon", &state->epsilon);
        oribi_kit_attr_string(&setup, "data_format", format, sizeof format);
        oribi_kit_attr_bool(&setup, "is_training", &is_training);
        if (is_extended) {
            oribi_kit_attr_string(&setup, "activation_mode", activation, sizeof activation);
            oribi_kit_attr_int(&setup, "num_side_inputs", &n_side);
        }
        state->channels_first = format[1] == 'C';
        state->has_relu = strcmp(activation, "Relu") == 0;
        state->n_side = (int)n_side;
        if (is_training) {
            (void)oribi_kit_setup_fail(&setup, TF_UNIMPLEMENTED,
                                       "is_training: the cpu kernel is for inference only");
        } else if (n_side < 0 || n_side > 1 ||
                   (!state->has_relu && strcmp(activation, "Identity") != 0)) {
            (void)oribi_kit_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                       "%lld side inputs and activation '%s' are not supported: "
                                       "use at most one, and Identity or Relu",
                                       (long long)n_side, activation);
        }
    }
    return oribi_kit_setup_end(&setup);
}

void *oribi_cpu_bn_create(TF_OpKernelConstruction *construction)
{
    return create(construction, false);
}

void *oribi_cpu_bn_ex_create(TF_OpKernelConstruction *construction)
{
    return create(construction, true);
}

typedef struct bn_work {
    oribi_cpu_bn_row row; /* of row 0 */
    oribi_cpu_bn_loop loop;
    int64_t channels, row_stride, total;
    bool channels_first;
} bn_work;

/* A row of few channels is no work for vectors: parameters again and again, so that a row is
 * several pixels. */
static void widen(bn_work *work, float *to)
{
    enum { SHORT = 64, WIDE = 256 };
    const int64_t n = work->channels, more = WIDE / n * n;
    const float *const from[] = {work->row.mean, work->row.factor, work->row.offset};
    if (n >= SHORT || work->row_stride != n || work->total <= n) {
        return;
    }
    for (int64_t i = 0; i < 3 * more; i++) {
        to[i] = from[i / more][i % more % n];
    }
    work->row.mean = to;
    work->row.factor = to + more;
    work->row.offset = to + 2 * more;
    work->row.count = work->row_stride = more;
}

static void bn_rows(void *object, int64_t begin, int64_t end)
{
    const bn_work *work = object;
    for (int64_t i = begin; i < end; i++) {
        oribi_cpu_bn_row row = work->row;
        int64_t channel = work->channels_first ? i % work->channels : 0;
        const int64_t left = work->total - i * row.count;
        row.x += i * row.count;
        row.y += i * work->row_stride;
        row.side = row.side == NULL ? NULL : row.side + i * row.count;
        row.count = row.count < left ? row.count : left;
        row.mean += channel;
        row.factor += channel;
        row.offset += channel;
        work->loop(&row);
    }
}

static bool check(oribi_kit_run *run, const bn_state *state, const oribi_cpu_shape *x, int channel)
{
    static const char *const names[] = {"x", "scale", "offset", "mean", "variance", "side_input"};
    oribi_cpu_shape shape;
    if (x->n < 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %s must have rank 4",
                              oribi_cpu_shape_text(x).chars);
    }
    for (int i = 1; i < 5; i++) {
        if (!oribi_cpu_input_shape(run, i, &shape)) {
            return false;
        }
        if (shape.n != 1 || shape.at[0] != x->at[channel]) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "%s must have the same number of elements as the channels of x: "
                                  "%s vs. %s",
                                  names[i], oribi_cpu_shape_text(&shape).chars,
                                  oribi_cpu_shape_text(x).chars);
        }
    }
    if (state->n_side == 1 &&
        (!oribi_cpu_input_shape(run, 5, &shape) || !oribi_cpu_shape_equal(&shape, x))) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "side_input must have the shape of x, %s",
                              oribi_cpu_shape_text(x).chars);
    }
    return true;
}

/* batch_mean and batch_variance show the inputs, the reserve spaces too; the last one is empty. */
static bool other_outputs(oribi_kit_run *run)
{
    int n = TF_NumOutputs(run->context);
    const int64_t none = 0;
    for (int i = 1; i < n && i < 5 && TF_GetCode(run->status) == TF_OK; i++) {
        TF_SetOutput(run->context, i, run->in[i % 2 == 1 ? 3 : 4], run->status);
    }
    if (n > 5 && TF_GetCode(run->status) == TF_OK) {
        TF_Tensor *tensor = TF_AllocateOutput(run->context, 5, TF_FLOAT, &none, 1, 0, run->status);
        TF_DeleteTensor(tensor);
    }
    return TF_GetCode(run->status) == TF_OK;
}

static bool bn_run(const bn_state *state, oribi_kit_run *run, oribi_cpu_bn_loop loop)
{
    enum { ON_STACK = 1024, MORE = 768 };
    static const int candidates[] = {0, 5};
    float few[ON_STACK], more[MORE];
    oribi_cpu_shape x;
    TF_Tensor *scratch = NULL;
    if (!oribi_cpu_input_shape(run, 0, &x)) {
        return false;
    }
    int channel = state->channels_first ? 1 : x.n - 1;
    if (!check(run, state, &x, channel) || !other_outputs(run)) {
        return false;
    }
    int64_t channels = x.at[channel];
    bn_work work = {.row = {.x = TF_TensorData(run->in[0]),
                            .offset = TF_TensorData(run->in[2]),
                            .mean = TF_TensorData(run->in[3]),
                            .has_step = !state->channels_first,
                            .has_relu = state->has_relu},
                    .loop = loop,
                    .channels = channels,
                    .total = oribi_cpu_product(x.at, x.n),
                    .channels_first = state->channels_first};
    const float *scale = TF_TensorData(run->in[1]), *variance = TF_TensorData(run->in[4]);
    float *factor = few;
    if (state->n_side == 1) {
        work.row.side = TF_TensorData(run->in[5]);
    }
    work.row.y = oribi_kit_output_in_place(run, candidates, 1 + state->n_side, x.at, x.n);
    if (work.row.y != NULL && channels > ON_STACK) {
        factor = oribi_kit_scratch(run, channels * (int64_t)sizeof *factor, &scratch);
    }
    if (work.row.y != NULL && factor != NULL && work.total > 0) {
        for (int64_t c = 0; c < channels; c++) {
            factor[c] = scale[c] / sqrtf(variance[c] + state->epsilon);
        }
        work.row.factor = factor;
        work.row.count = state->channels_first ? work.total / (x.at[0] * channels) : channels;
        work.row_stride =
            state->channels_first ? work.row.count : TF_OutputRowStride(run->context, 0);
        if (!state->channels_first) {
            widen(&work, more);
        }
        oribi_kit_parallel(run, (work.total + work.row.count - 1) / work.row.count,
                           work.row.count + 10, &work, bn_rows);
    }
    if (scratch != NULL) {
        TF_DeleteTensor(scratch);
    }
    return TF_GetCode(run->status) == TF_OK;
}

void oribi_cpu_bn_compute(const void *state, TF_OpKernelContext *context, oribi_cpu_bn_loop loop)
{
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 5 + ((const bn_state *)state)->n_side)) {
        (void)bn_run(state, &run, loop);
    }
    oribi_kit_end(&run);
}
