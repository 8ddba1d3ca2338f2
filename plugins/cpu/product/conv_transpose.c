/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>ConvTranspose of float: groups, one to three axes of space, sizes that a run tells. It
 * computes what emitted C computes, bit for bit. Those of two axes without groups, whose sizes are
 * known, are Conv2DBackpropInput: conv_backprop.c.
 */
#include "cpu/base/families.h"

#include "micro/transposed/conv_transpose_f32_prepare.h"

enum { SPACE = ORIBI_MICRO_TRANSPOSE_SPACE };

typedef struct transpose_state {
    int64_t groups;
    int n_strides, n_dilations, n_pads, n_more, n_wanted;
    int64_t strides[SPACE], dilations[SPACE], pads[2 * SPACE], more[SPACE], wanted[SPACE];
    oribi_geometry_padding padding;
} transpose_state;

static void transpose_read(oribi_kit_setup *setup, transpose_state *state)
{
    char auto_pad[16] = "NOTSET";
    oribi_kit_attr_int(setup, "group", &state->groups);
    oribi_kit_attr_ints(setup, "strides", state->strides, SPACE, &state->n_strides);
    oribi_kit_attr_ints(setup, "dilations", state->dilations, SPACE, &state->n_dilations);
    oribi_kit_attr_ints(setup, "pads", state->pads, 2 * SPACE, &state->n_pads);
    oribi_kit_attr_ints(setup, "output_padding", state->more, SPACE, &state->n_more);
    oribi_kit_attr_ints(setup, "output_shape", state->wanted, SPACE, &state->n_wanted);
    oribi_kit_attr_string(setup, "auto_pad", auto_pad, sizeof auto_pad);
    if (!oribi_geometry_read_padding(auto_pad, &state->padding)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "auto_pad '%s' is unknown",
                                   auto_pad);
    }
}
ORIBI_KIT_CREATE(transpose, transpose_state)

static bool check_count(oribi_kit_run *run, const char *name, int count, int wanted)
{
    return count == 0 || count == wanted ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s has %d values, expected %d", name, count,
                          wanted);
}

static bool read_spec(oribi_kit_run *run, const transpose_state *s,
                      struct oribi_micro_conv_transpose_f32_spec *spec)
{
    const int rank = oribi_kit_dims(run, run->in[0], spec->x, SPACE + 2);
    const int n = rank - 2;
    if (rank < 0 || oribi_kit_dims(run, run->in[1], spec->w, SPACE + 2) != rank || n < 1) {
        return oribi_kit_is_ok(run) &&
               oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the input has %d dimensions and the filter %d: both must have the "
                              "same, at least 3",
                              rank, TF_NumDims(run->in[1]));
    }
    spec->n_space = n;
    spec->groups = s->groups;
    for (int i = 0; i < n; i++) {
        spec->axes[i] =
            (oribi_geometry_transposed){.stride = s->n_strides > 0 ? s->strides[i] : 1,
                                        .dilation = s->n_dilations > 0 ? s->dilations[i] : 1,
                                        .more = s->n_more > 0 ? s->more[i] : 0,
                                        .wanted = s->n_wanted > 0 ? s->wanted[i] : -1,
                                        .padding = s->padding,
                                        .before = s->n_pads > 0 ? s->pads[i] : 0,
                                        .after = s->n_pads > 0 ? s->pads[i + n] : 0};
    }
    return check_count(run, "strides", s->n_strides, n) &&
           check_count(run, "dilations", s->n_dilations, n) &&
           check_count(run, "pads", s->n_pads, 2 * n) &&
           check_count(run, "output_padding", s->n_more, n) &&
           check_count(run, "output_shape", s->n_wanted, n);
}

typedef struct transpose_call {
    struct oribi_micro_conv_transpose_f32_args args;
    const float *filter, *input;
    float *output;
} transpose_call;

static void compute_rows(void *object, int64_t begin, int64_t end)
{
    const transpose_call *call = object;
    const struct oribi_micro_conv_transpose_f32_args *a = &call->args;
    const int64_t group = (int64_t)a->in_c * a->in_d * a->in_h * a->in_w;
    const int64_t filter = (int64_t)a->in_c * a->out_c * a->filter_d * a->filter_h * a->filter_w;
    for (int64_t row = begin; row < end; row++) {
        const int64_t h = row % a->out_h, d = row / a->out_h % a->out_d;
        const int64_t plane = row / a->out_h / a->out_d, g = plane / a->out_c;
        oribi_micro_conv_transpose_f32_row(a, call->filter + g % a->groups * filter,
                                           call->input + g * group, (int32_t)(plane % a->out_c),
                                           (int32_t)d, (int32_t)h, call->output + row * a->out_w);
    }
}

static bool transpose_run(const transpose_state *state, oribi_kit_run *run)
{
    struct oribi_micro_conv_transpose_f32_spec spec = {0};
    transpose_call call;
    if (!read_spec(run, state, &spec)) {
        return false;
    }
    const int32_t code = oribi_micro_conv_transpose_f32_prepare(&spec, &call.args);
    if (code != ORIBI_MICRO_OK) {
        return oribi_kit_fail(run,
                              code == ORIBI_MICRO_INVALID ? TF_INVALID_ARGUMENT : TF_UNIMPLEMENTED,
                              "input, filter, %lld groups and attributes do not fit: %s",
                              (long long)state->groups, oribi_micro_text(code));
    }
    const struct oribi_micro_conv_transpose_f32_args *a = &call.args;
    int64_t dims[SPACE + 2] = {spec.x[0], spec.w[1] * spec.groups};
    for (int i = 0; i < spec.n_space; i++) {
        dims[2 + i] = spec.axes[i].out;
    }
    call.filter = TF_TensorData(run->in[1]);
    call.input = TF_TensorData(run->in[0]);
    call.output = oribi_kit_output(run, 0, dims, spec.n_space + 2);
    if (call.output == NULL || a->out_w == 0) {
        return call.output != NULL;
    }
    const int64_t taps = (int64_t)a->filter_d * a->filter_h * a->filter_w;
    const int64_t reached = taps / ((int64_t)a->stride_d * a->stride_h) + 1;
    oribi_kit_parallel(run, dims[0] * dims[1] * a->out_d * a->out_h,
                       a->in_c * reached * (a->in_w + 8) + a->out_w, &call, compute_rows);
    return true;
}
ORIBI_KIT_COMPUTE(transpose, 2)

const oribi_cpu_kernel oribi_cpu_conv_transpose_kernels[] = {
    ORIBI_CPU_STATE_ROW("ONNX>ConvTranspose", transpose, transpose, "rows, each tap added once",
                        ORIBI_CPU_OF(TF_FLOAT)),
    {.op_name = NULL},
};
