/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearAveragePool and ONNX>QLinearMaxPool by micro/'s kernels, the second also by the
 * loops of bytes.h. */
#include "cpu/base/families.h"
#include "cpu/quantised/bytes.h"
#include "cpu/quantised/quantized.h"

#include "micro/elementwise/qlinear_binary_prepare.h"
#include "micro/pool/qlinear_pool.h"

typedef struct pool_state {
    struct oribi_micro_qlinear_pool_args args; /* sizes unset */
    int64_t pads[4];                           /* before (height, width), after */
} pool_state;

static bool read_window(oribi_kit_setup *setup, pool_state *state)
{
    struct oribi_micro_qlinear_pool_args *a = &state->args;
    TF_DataType type = TF_INT8;
    oribi_kit_attr_type(setup, "T", &type);
    a->is_signed = type == TF_INT8 ? 1 : 0;
    oribi_quantized_pair(setup, "ksize", &a->filter_h, &a->filter_w);
    oribi_quantized_pair(setup, "strides", &a->stride_h, &a->stride_w);
    oribi_kit_attr_ints(setup, "pads", state->pads, 4, NULL);
    if (TF_GetCode(setup->status) != TF_OK) {
        return false;
    }
    const int64_t sizes[4] = {a->filter_h, a->filter_w, a->filter_h, a->filter_w};
    for (int i = 0; i < 4; i++) {
        if (state->pads[i] < 0 || state->pads[i] >= sizes[i]) {
            return oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                        "padding %lld must be at least 0 and less than the "
                                        "window's %lld, so that every window meets the image",
                                        (long long)state->pads[i], (long long)sizes[i]);
        }
    }
    return true;
}

static void max_read(oribi_kit_setup *setup, pool_state *state)
{
    (void)read_window(setup, state);
}
ORIBI_KIT_CREATE(max, pool_state)

void *oribi_max_pool_create(TF_OpKernelConstruction *construction)
{
    return max_create(construction);
}

static void *average_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    pool_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL && read_window(&setup, state)) {
        struct oribi_micro_qlinear_pool_args *a = &state->args;
        struct oribi_micro_quantisation input = {1.0F, 0}, output = {1.0F, 0};
        oribi_qlinear_attr(&setup, "input", a->is_signed != 0, &input);
        oribi_qlinear_attr(&setup, "output", a->is_signed != 0, &output);
        oribi_qlinear_bounds(&setup, a->is_signed != 0, &a->low, &a->high);
        a->input_scale = input.scale;
        a->input_zero = input.zero;
        a->output_scale = output.scale;
        a->output_zero = output.zero;
    }
    return oribi_kit_setup_end(&setup);
}

/* Windows along one axis; 0: none fits, or the last would lie in the padding alone. */
static int64_t slide(int64_t in, int64_t size, int64_t stride, int64_t before, int64_t after)
{
    oribi_geometry_window w = {.in = in,
                               .taps = size,
                               .stride = stride,
                               .dilation = 1,
                               .padding = ORIBI_GEOMETRY_EXPLICIT,
                               .before = before,
                               .after = after};
    const bool fits = oribi_geometry_slide(&w) == ORIBI_GEOMETRY_FITS;
    return fits && oribi_geometry_meets_input(&w) ? w.out : 0;
}

typedef struct pool_call {
    const struct oribi_micro_qlinear_pool_args *args;
    void (*call)(const struct oribi_micro_qlinear_pool_args *, const void *, void *);
    const char *input;
    char *output;
} pool_call;

/* A row of results is a call of its own; the image moves up under the window. */
static void pool_rows(void *object, int64_t begin, int64_t end)
{
    const pool_call *p = object;
    const struct oribi_micro_qlinear_pool_args *whole = p->args;
    const int64_t image = (int64_t)whole->in_h * whole->in_w * whole->channels;
    const int64_t row = (int64_t)whole->out_w * whole->channels;
    for (int64_t unit = begin; unit < end; unit++) {
        struct oribi_micro_qlinear_pool_args args = *whole;
        args.batch = args.out_h = 1;
        args.before_h -= (int32_t)(unit % whole->out_h) * args.stride_h;
        p->call(&args, p->input + unit / whole->out_h * image, p->output + unit * row);
    }
}

static bool pool_run(const pool_state *state, oribi_kit_run *run,
                     void (*call)(const struct oribi_micro_qlinear_pool_args *, const void *,
                                  void *))
{
    struct oribi_micro_qlinear_pool_args args = state->args;
    int32_t in[4];
    int rank;
    if (!oribi_quantized_dims(run, 0, 4, 4, in, &rank)) {
        return false;
    }
    const int64_t out_h =
        slide(in[1], args.filter_h, args.stride_h, state->pads[0], state->pads[2]);
    const int64_t out_w =
        slide(in[2], args.filter_w, args.stride_w, state->pads[1], state->pads[3]);
    const int64_t dims[4] = {in[0], out_h, out_w, in[3]};
    int64_t count = 0;
    if (out_h < 1 || out_w < 1 || in[0] < 1 || in[3] < 1 ||
        !oribi_cpu_count(run, dims, 4, &count) || count > INT32_MAX ||
        oribi_cpu_product((const int64_t[4]){in[0], in[1], in[2], in[3]}, 4) > INT32_MAX) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "a window of %d by %d does not fit, or a tensor is empty or has 2^31 values or more",
            (int)args.filter_h, (int)args.filter_w);
    }
    args.batch = in[0];
    args.in_h = in[1];
    args.in_w = in[2];
    args.channels = in[3];
    args.out_h = (int32_t)out_h;
    args.out_w = (int32_t)out_w;
    args.before_h = (int32_t)state->pads[0];
    args.before_w = (int32_t)state->pads[1];
    void *output = oribi_kit_output(run, 0, dims, 4);
    if (output != NULL) {
        pool_call rows = {&args, call, TF_TensorData(run->in[0]), output};
        oribi_kit_parallel(run, dims[0] * out_h,
                           out_w * in[3] * ((int64_t)args.filter_h * args.filter_w), &rows,
                           pool_rows);
    }
    return output != NULL;
}

#define POOL(name)                                                                                 \
    static bool name##_run(const void *state, oribi_kit_run *run)                                  \
    {                                                                                              \
        return pool_run(state, run, oribi_micro_qlinear_##name##_pool);                            \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(name, 1)
POOL(average)
POOL(max)

bool oribi_max_pool_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops)
{
    return pool_run(state, run, loops->max_pool);
}

const oribi_cpu_kernel oribi_cpu_qlinear_pool_kernels[] = {
    ORIBI_QUANTIZED_ROW("ONNX>QLinearAveragePool", average, average, {"T", ORIBI_QUANTIZED_BYTES}),
    ORIBI_QUANTIZED_ROW("ONNX>QLinearMaxPool", max, max, {"T", ORIBI_QUANTIZED_BYTES}),
    {.op_name = NULL},
};
