/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D by micro/'s kernel. */
#include "cpu/families.h"
#include "cpu/quantized.h"

#include "micro/qlinear_conv2d.h"

typedef struct qlinear_state {
    TF_DataType input, filter, output;
    int64_t input_zero, output_zero;
    int64_t strides[2], dilations[2], pads[4];
} qlinear_state;

static void *qlinear_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    qlinear_state *state = oribi_cpu_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_cpu_attr_type(&setup, "Tx", &state->input);
        oribi_cpu_attr_type(&setup, "Tw", &state->filter);
        oribi_cpu_attr_type(&setup, "Ty", &state->output);
        oribi_cpu_attr_int(&setup, "input_zero", &state->input_zero);
        oribi_cpu_attr_int(&setup, "output_zero", &state->output_zero);
        oribi_cpu_attr_ints(&setup, "strides", state->strides, 2, NULL);
        oribi_cpu_attr_ints(&setup, "dilations", state->dilations, 2, NULL);
        oribi_cpu_attr_ints(&setup, "pads", state->pads, 4, NULL);
    }
    return oribi_cpu_setup_end(&setup);
}

/* Output size along one axis; 0: the window does not fit. */
static int64_t slide(int64_t in, int64_t taps, int64_t stride, int64_t dilation, int64_t pads)
{
    const int64_t room = in + pads - ((taps - 1) * dilation + 1);
    return room < 0 ? 0 : room / stride + 1;
}

static bool fill_args(const qlinear_state *s, oribi_cpu_run *run,
                      struct oribi_micro_qlinear_conv2d_args *args)
{
    int32_t in[4], filter[4];
    int rank;
    if (!oribi_quantized_dims(run, 0, 4, 4, in, &rank) ||
        !oribi_quantized_dims(run, 1, 4, 4, filter, &rank)) {
        return false;
    }
    for (int i = 2; i < 5; i++) {
        if (TF_TensorElementCount(run->in[i]) != filter[3]) {
            return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                                  "input %d has %lld values for %d channels", i,
                                  (long long)TF_TensorElementCount(run->in[i]), (int)filter[3]);
        }
    }
    const int64_t out_h =
        slide(in[1], filter[0], s->strides[0], s->dilations[0], s->pads[0] + s->pads[2]);
    const int64_t out_w =
        slide(in[2], filter[1], s->strides[1], s->dilations[1], s->pads[1] + s->pads[3]);
    const int64_t count = (int64_t)in[0] * out_h * out_w * filter[3];
    if (filter[2] < 1 || in[3] % filter[2] != 0 || filter[3] % (in[3] / filter[2]) != 0 ||
        in[3] < filter[2] || out_h > INT32_MAX || out_w > INT32_MAX || count > INT32_MAX) {
        return oribi_cpu_fail(run, TF_INVALID_ARGUMENT,
                              "an input of %d channels does not fit a filter of %d by %d, or the "
                              "result is too large",
                              (int)in[3], (int)filter[2], (int)filter[3]);
    }
    *args = (struct oribi_micro_qlinear_conv2d_args){
        .batch = in[0],
        .in_h = in[1],
        .in_w = in[2],
        .in_c = in[3],
        .out_h = (int32_t)out_h,
        .out_w = (int32_t)out_w,
        .out_c = filter[3],
        .filter_h = filter[0],
        .filter_w = filter[1],
        .stride_h = (int32_t)s->strides[0],
        .stride_w = (int32_t)s->strides[1],
        .dilation_h = (int32_t)s->dilations[0],
        .dilation_w = (int32_t)s->dilations[1],
        .before_h = (int32_t)s->pads[0],
        .before_w = (int32_t)s->pads[1],
        .groups = in[3] / filter[2],
        .input_signed = s->input == TF_INT8,
        .filter_signed = s->filter == TF_INT8,
        .input_zero = (int32_t)s->input_zero,
        .output_zero = (int32_t)s->output_zero,
        .output = s->output == TF_INT32   ? ORIBI_MICRO_QLINEAR_S32
                  : s->output == TF_UINT8 ? ORIBI_MICRO_QLINEAR_U8
                                          : ORIBI_MICRO_QLINEAR_S8};
    return true;
}

static bool qlinear_run(const void *state, oribi_cpu_run *run)
{
    struct oribi_micro_qlinear_conv2d_args args;
    if (!fill_args(state, run, &args)) {
        return false;
    }
    const int64_t dims[4] = {args.batch, args.out_h, args.out_w, args.out_c};
    void *output = oribi_cpu_output(run, 0, dims, 4);
    if (output != NULL) {
        oribi_micro_qlinear_conv2d(&args, TF_TensorData(run->in[0]), TF_TensorData(run->in[1]),
                                   TF_TensorData(run->in[2]), TF_TensorData(run->in[3]),
                                   TF_TensorData(run->in[4]), output);
    }
    return output != NULL;
}
ORIBI_CPU_COMPUTE(qlinear, 5)

const oribi_cpu_kernel oribi_cpu_qlinear_kernels[] = {
    {.op_name = "ONNX>QLinearConv2D",
     .types = {{"Tx", ORIBI_CPU_TYPE(TF_INT8) | ORIBI_CPU_TYPE(TF_UINT8)},
               {"Tw", ORIBI_CPU_TYPE(TF_INT8) | ORIBI_CPU_TYPE(TF_UINT8)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = qlinear_create,
     .compute = qlinear_compute,
     .destroy = oribi_cpu_free,
     .why = "the arithmetic of micro/, bit for bit"},
    {.op_name = NULL},
};
