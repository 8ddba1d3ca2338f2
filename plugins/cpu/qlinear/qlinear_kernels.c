/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D and Oribi>HybridConv2D by micro/'s kernels; qlinear_loops.h has faster ones.
 */
#include "cpu/base/families.h"
#include "cpu/qlinear/qlinear_kernels.h"

#include "micro/hybrid/hybrid_conv2d.h"

int32_t oribi_qlinear_output(TF_DataType type)
{
    return type == TF_INT32   ? ORIBI_MICRO_QLINEAR_S32
           : type == TF_FLOAT ? ORIBI_MICRO_QLINEAR_F32
           : type == TF_UINT8 ? ORIBI_MICRO_QLINEAR_U8
                              : ORIBI_MICRO_QLINEAR_S8;
}

static void read_window(oribi_kit_setup *setup, oribi_qlinear_state *s)
{
    oribi_quantized_pair(setup, "strides", &s->stride_h, &s->stride_w);
    oribi_quantized_pair(setup, "dilations", &s->dilation_h, &s->dilation_w);
    oribi_kit_attr_ints(setup, "pads", s->pads, 4, NULL);
    if (!oribi_kit_setup_is_ok(setup)) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        if (s->pads[i] < 0 || s->pads[i] > INT32_MAX) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                       "padding %lld must be 0 to 2147483647",
                                       (long long)s->pads[i]);
            return;
        }
    }
}

static bool is_byte(TF_DataType type, int32_t value)
{
    const int32_t low = type == TF_INT8 ? INT8_MIN : 0;
    return value >= low && value <= low + UINT8_MAX;
}

void oribi_qlinear_read(oribi_kit_setup *setup, oribi_qlinear_state *state)
{
    oribi_kit_attr_type(setup, "Tx", &state->input);
    oribi_kit_attr_type(setup, "Tw", &state->filter);
    oribi_kit_attr_type(setup, "Ty", &state->output);
    oribi_qlinear_zero(setup, "input_zero", &state->input_zero);
    oribi_qlinear_zero(setup, "output_zero", &state->output_zero);
    oribi_qlinear_bounds(setup, state->output == TF_INT8, &state->low, &state->high);
    if (oribi_kit_setup_is_ok(setup) && !is_byte(state->input, state->input_zero)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "input_zero %d must be a value of the input's type, which "
                                   "padding has",
                                   (int)state->input_zero);
    }
    read_window(setup, state);
}

void oribi_hybrid_read(oribi_kit_setup *setup, oribi_qlinear_state *state)
{
    state->input = TF_UINT8;
    state->filter = TF_INT8;
    state->output = TF_FLOAT;
    state->is_hybrid = true;
    oribi_kit_attr_float(setup, "low", &state->least);
    oribi_kit_attr_float(setup, "high", &state->most);
    read_window(setup, state);
}

/* Output size along one axis; 0: the window does not fit. */
static int64_t slide(int64_t in, int64_t taps, int64_t stride, int64_t dilation, int64_t before,
                     int64_t after)
{
    oribi_geometry_window w = {.in = in,
                               .taps = taps,
                               .stride = stride,
                               .dilation = dilation,
                               .padding = ORIBI_GEOMETRY_EXPLICIT,
                               .before = before,
                               .after = after};
    return oribi_geometry_slide(&w) == ORIBI_GEOMETRY_FITS ? w.out : 0;
}

/* Does the result have at most INT32_MAX elements? Each factor is at most 2^31 - 1. */
static bool is_small(int64_t batch, int64_t height, int64_t width, int64_t channels)
{
    return height * width <= INT32_MAX && height * width * batch <= INT32_MAX &&
           height * width * batch * channels <= INT32_MAX;
}

/* Bias, zero points and multipliers: one each for a channel; of a hybrid layer bias and
 * multipliers, and scales and zero points for the images. */
static bool check_counts(oribi_kit_run *run, bool is_hybrid, int32_t channels, int32_t images)
{
    for (int i = 2; i < (is_hybrid ? 6 : 5); i++) {
        const bool is_image = is_hybrid && i > 3;
        if (TF_TensorElementCount(run->in[i]) != (is_image ? images : channels)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d has %lld values for %d %s", i,
                                  (long long)TF_TensorElementCount(run->in[i]),
                                  (int)(is_image ? images : channels),
                                  is_image ? "images" : "channels");
        }
    }
    return oribi_qlinear_zeros(run, is_hybrid ? 5 : 3);
}

bool oribi_qlinear_fill(const oribi_qlinear_state *s, oribi_kit_run *run,
                        struct oribi_micro_qlinear_conv2d_args *out)
{
    int32_t in[4], filter[4];
    int rank;
    if (!oribi_quantized_dims(run, 0, 4, 4, in, &rank) ||
        !oribi_quantized_dims(run, 1, 4, 4, filter, &rank) ||
        !check_counts(run, s->is_hybrid, filter[3], in[0])) {
        return false;
    }
    const int64_t pads_h = s->pads[0] + s->pads[2], pads_w = s->pads[1] + s->pads[3];
    if (filter[0] < 1 || filter[1] < 1 || in[1] + pads_h > INT32_MAX ||
        in[2] + pads_w > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the filter is empty, or the padded input exceeds 2147483647 rows or "
                              "columns");
    }
    const int64_t out_h =
        slide(in[1], filter[0], s->stride_h, s->dilation_h, s->pads[0], s->pads[2]);
    const int64_t out_w =
        slide(in[2], filter[1], s->stride_w, s->dilation_w, s->pads[1], s->pads[3]);
    const bool fits = filter[2] >= 1 && in[3] >= filter[2] && in[3] % filter[2] == 0 &&
                      filter[3] % (in[3] / filter[2]) == 0;
    if (!fits) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "an input of %d channels does not fit a filter of %d by %d",
                              (int)in[3], (int)filter[2], (int)filter[3]);
    }
    if (!is_small(in[0], out_h, out_w, filter[3]) ||
        TF_TensorElementCount(run->in[0]) > INT32_MAX ||
        TF_TensorElementCount(run->in[1]) > INT32_MAX) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "an input, the filter or the result is too large: 2^31 values or more");
    }
    *out = (struct oribi_micro_qlinear_conv2d_args){.batch = in[0],
                                                    .in_h = in[1],
                                                    .in_w = in[2],
                                                    .in_c = in[3],
                                                    .out_h = (int32_t)out_h,
                                                    .out_w = (int32_t)out_w,
                                                    .out_c = filter[3],
                                                    .filter_h = filter[0],
                                                    .filter_w = filter[1],
                                                    .stride_h = s->stride_h,
                                                    .stride_w = s->stride_w,
                                                    .dilation_h = s->dilation_h,
                                                    .dilation_w = s->dilation_w,
                                                    .before_h = (int32_t)s->pads[0],
                                                    .before_w = (int32_t)s->pads[1],
                                                    .groups = in[3] / filter[2],
                                                    .input_signed = s->input == TF_INT8,
                                                    .filter_signed = s->filter == TF_INT8,
                                                    .input_zero = s->input_zero,
                                                    .output_zero = s->output_zero,
                                                    .output = oribi_qlinear_output(s->output),
                                                    .low = s->low,
                                                    .high = s->high};
    return true;
}

typedef struct conv_call {
    const oribi_qlinear_state *state;
    struct oribi_micro_qlinear_conv2d_args args;
    void *in[6];
    char *output;
    int64_t row; /* bytes of the result */
} conv_call;

/* Row of results `unit`, of images that have `image` bytes. */
static void conv_row(const conv_call *call, const struct oribi_micro_qlinear_conv2d_args *args,
                     int64_t unit, int64_t image)
{
    const int64_t b = unit / call->args.out_h;
    const uint8_t *x = (const uint8_t *)call->in[0] + b * image;
    char *y = call->output + unit * call->row;
    if (call->state->is_hybrid) {
        const struct oribi_micro_hybrid_conv2d_args hybrid = {*args, call->state->least,
                                                              call->state->most};
        oribi_micro_hybrid_conv2d(&hybrid, x, call->in[1], call->in[2], call->in[3],
                                  (const float *)call->in[4] + b, (const int32_t *)call->in[5] + b,
                                  (float *)(void *)y);
    } else {
        oribi_micro_qlinear_conv2d(args, x, call->in[1], call->in[2], call->in[3], call->in[4], y);
    }
}

/* A unit is one row of the result: windows that start where it lies in its image. */
static void conv_rows(void *object, int64_t begin, int64_t end)
{
    const conv_call *call = object;
    const struct oribi_micro_qlinear_conv2d_args *whole = &call->args;
    const int64_t image = (int64_t)whole->in_h * whole->in_w * whole->in_c;
    for (int64_t unit = begin; unit < end; unit++) {
        struct oribi_micro_qlinear_conv2d_args args = *whole;
        const int32_t y = (int32_t)(unit % whole->out_h);
        args.batch = args.out_h = 1;
        args.before_h -= y * args.stride_h;
        conv_row(call, &args, unit, image);
    }
}

static void qlinear_read(oribi_kit_setup *setup, oribi_qlinear_state *state)
{
    oribi_qlinear_read(setup, state);
}
ORIBI_KIT_CREATE(qlinear, oribi_qlinear_state)

static bool qlinear_run(const oribi_qlinear_state *state, oribi_kit_run *run)
{
    struct oribi_micro_qlinear_conv2d_args args;
    if (!oribi_qlinear_fill(state, run, &args)) {
        return false;
    }
    const int64_t dims[4] = {args.batch, args.out_h, args.out_w, args.out_c};
    void *output = oribi_kit_output(run, 0, dims, 4);
    if (output != NULL && oribi_cpu_product(dims, 4) > 0) {
        const size_t width = TF_DataTypeSize(TF_ExpectedOutputDataType(run->context, 0));
        conv_call call = {.state = state,
                          .args = args,
                          .output = output,
                          .row = dims[2] * dims[3] * (int64_t)width};
        for (int i = 0; i < (state->is_hybrid ? 6 : 5); i++) {
            call.in[i] = TF_TensorData(run->in[i]);
        }
        oribi_kit_parallel(run, dims[0] * dims[1], dims[2] * TF_TensorElementCount(run->in[1]),
                           &call, conv_rows);
    }
    return output != NULL;
}
ORIBI_KIT_COMPUTE(qlinear, 5)

static void hybrid_read(oribi_kit_setup *setup, oribi_qlinear_state *state)
{
    oribi_hybrid_read(setup, state);
}
ORIBI_KIT_CREATE(hybrid, oribi_qlinear_state)

static bool hybrid_run(const oribi_qlinear_state *state, oribi_kit_run *run)
{
    return qlinear_run(state, run);
}
ORIBI_KIT_COMPUTE(hybrid, 6)

const oribi_cpu_kernel oribi_cpu_qlinear_kernels[] = {
    ORIBI_QUANTIZED_ROW("ONNX>QLinearConv2D", qlinear, qlinear, {"Tx", ORIBI_QUANTIZED_BYTES},
                        {"Tw", ORIBI_QUANTIZED_BYTES}),
    {.op_name = "Oribi>HybridConv2D",
     .priority = ORIBI_CPU_REFERENCE,
     .create = hybrid_create,
     .compute = hybrid_compute,
     .destroy = oribi_kit_free,
     .why = ORIBI_QUANTIZED_WHY},
    {.op_name = NULL},
};
