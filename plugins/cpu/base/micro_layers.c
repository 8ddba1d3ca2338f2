/* SPDX-License-Identifier: Apache-2.0 */
/* Float layers by the kernels that emitted C carries, under the label "micro": a session that asks
 * for it computes what that C computes, bit for bit. Nothing here is fast. Read next: micro_rows.h.
 */
#include "cpu/product/conv_attrs.h"
#include "cpu/product/conv_backprop.h"
#include "cpu/product/epilogue.h"
#include "cpu/base/families.h"
#include "cpu/product/matmul.h"
#include "cpu/base/cpu_shape.h"
#include "cpu/base/micro_rows.h"
#include "cpu/product/packed_weights.h"

#include "micro/unary/activation_f32.h"
#include "micro/conv/conv2d_f32_prepare.h"
#include "micro/depthwise/depthwise_conv2d_f32.h"
#include "micro/dense/matmul_f32.h"
#include "micro/transposed/transpose_conv_f32.h"
#include "micro/unary/unary_f32.h"
#include "micro/fma/conv2d_fma_f32.h"
#include "micro/fma/depthwise_conv2d_fma_f32.h"
#include "micro/fma/matmul_fma_f32.h"
#include "micro/fma/transpose_conv_fma_f32.h"

/* The layers that add products: rounded, or (label "micro-fma") by fused multiply-add. */
typedef struct layer_kernels {
    void (*conv)(const struct oribi_micro_conv2d_f32_args *, const float *, const float *, float *);
    void (*depthwise)(const struct oribi_micro_depthwise_conv2d_f32_args *, const float *,
                      const float *, float *);
    void (*matmul)(const struct oribi_micro_matmul_f32_args *, const float *, const float *,
                   float *);
    void (*backprop)(const struct oribi_micro_transpose_conv_f32_args *, const float *,
                     const float *, float *);
} layer_kernels;
static const layer_kernels rounding = {oribi_micro_conv2d_f32, oribi_micro_depthwise_conv2d_f32,
                                       oribi_micro_matmul_f32, oribi_micro_transpose_conv_f32};
static const layer_kernels fusing = {
    oribi_micro_conv2d_fma_f32, oribi_micro_depthwise_conv2d_fma_f32, oribi_micro_matmul_fma_f32,
    oribi_micro_transpose_conv_fma_f32};

typedef struct layer_state {
    const layer_kernels *kernels;
    oribi_conv_attrs attrs;
    oribi_matmul_attrs matmul;
    oribi_epilogue epilogue;
    int32_t activation;
} layer_state;

/* Elu, Sigmoid and Tanh are operators of their own there: see finish. */
static void read_epilogue(oribi_kit_setup *setup, layer_state *state)
{
    oribi_epilogue_read(setup, ORIBI_ISA_any, &state->epilogue);
    if (state->epilogue.activation > ORIBI_ACTIVATION_TANH) {
        (void)oribi_kit_setup_fail(setup, TF_UNIMPLEMENTED,
                                   "emitted layers do not take this activation along");
    }
    state->activation = ORIBI_MICRO_LINEAR_F32;
    if (state->epilogue.activation == ORIBI_ACTIVATION_BOUND) {
        state->activation =
            state->epilogue.high > 6.0f ? ORIBI_MICRO_RELU_F32 : ORIBI_MICRO_RELU6_F32;
    } else if (state->epilogue.activation == ORIBI_ACTIVATION_LEAKY_RELU) {
        state->activation = ORIBI_MICRO_LEAKY_RELU_F32;
    }
}

typedef struct finish_call {
    oribi_cpu_micro_unary *kernel;
    float *y;
} finish_call;

static void finish_units(void *object, int64_t begin, int64_t end)
{
    const finish_call *call = object;
    const struct oribi_micro_unary_f32_args args = {.count = (int32_t)(end - begin)};
    call->kernel(&args, call->y + begin, call->y + begin);
}

static void finish(oribi_kit_run *run, const layer_state *state, float *y, int64_t count)
{
    enum { CURVE_CYCLES = 40 };
    finish_call call = {NULL, y};
    switch (state->epilogue.activation) {
    case ORIBI_ACTIVATION_ELU:
        call.kernel = oribi_micro_elu_f32;
        break;
    case ORIBI_ACTIVATION_SIGMOID:
        call.kernel = oribi_micro_sigmoid_f32;
        break;
    case ORIBI_ACTIVATION_TANH:
        call.kernel = oribi_micro_tanh_f32;
        break;
    case ORIBI_ACTIVATION_NONE:
    case ORIBI_ACTIVATION_BOUND:
    case ORIBI_ACTIVATION_LEAKY_RELU:
    case ORIBI_ACTIVATION_SWISH: /* refused */
    case ORIBI_ACTIVATION_HARD_SWISH:
    case ORIBI_ACTIVATION_PRELU:
        return;
    }
    oribi_kit_parallel(run, count, CURVE_CYCLES, &call, finish_units);
}

static void conv_read(oribi_kit_setup *setup, layer_state *state)
{
    state->kernels = &rounding;
    oribi_conv_attrs_read(setup, &state->attrs);
    read_epilogue(setup, state);
}
ORIBI_KIT_CREATE(conv, layer_state)

static void conv_fma_read(oribi_kit_setup *setup, layer_state *state)
{
    conv_read(setup, state);
    state->kernels = &fusing;
}
ORIBI_KIT_CREATE(conv_fma, layer_state)

static void matmul_read(oribi_kit_setup *setup, layer_state *state)
{
    state->kernels = &rounding;
    oribi_matmul_attrs_read(setup, &state->matmul);
    read_epilogue(setup, state);
}
ORIBI_KIT_CREATE(matmul, layer_state)

static void matmul_fma_read(oribi_kit_setup *setup, layer_state *state)
{
    matmul_read(setup, state);
    state->kernels = &fusing;
}
ORIBI_KIT_CREATE(matmul_fma, layer_state)

/* Every size as the kernels count, or a failure. */
static bool fits(oribi_kit_run *run, const int64_t *sizes, int count)
{
    for (int i = 0; i < count; i++) {
        if (sizes[i] > INT32_MAX / 2) {
            return oribi_kit_fail(run, TF_UNIMPLEMENTED,
                                  "a size of %lld; the kernels of micro/ take up to 2^30",
                                  (long long)sizes[i]);
        }
    }
    return true;
}

/* One row of results is a call of its own, so that the pool shares rows out and a run that was
 * stopped goes no further. The image is moved up under the window instead of the window down. */
typedef struct conv_rows {
    const layer_kernels *kernels;
    struct oribi_micro_conv2d_f32_args args;
    const float *input, *residual;
    float *output;
} conv_rows;

static void compute_conv_rows(void *object, int64_t begin, int64_t end)
{
    const conv_rows *rows = object;
    const struct oribi_micro_conv2d_f32_args *a = &rows->args;
    const int64_t image = (int64_t)a->in_h * a->in_w * a->in_c, line = (int64_t)a->out_w * a->out_c;
    for (int64_t row = begin; row < end; row++) {
        struct oribi_micro_conv2d_f32_args args = *a;
        args.batch = 1;
        args.out_h = 1;
        args.before_h -= (int32_t)(row % a->out_h) * a->stride_h;
        rows->kernels->conv(&args, rows->input + row / a->out_h * image,
                            args.adds != 0 ? rows->residual + row * line : rows->residual,
                            rows->output + row * line);
    }
}

/* Packs the filter into scratch and computes. */
static bool call_conv(oribi_kit_run *run, const layer_kernels *kernels,
                      struct oribi_micro_conv2d_f32_args *args,
                      const struct oribi_micro_filter_f32 *filter, const float *input,
                      const float *residual, float *output)
{
    const int64_t taps = (int64_t)args->filter_h * args->filter_w * (args->in_c / args->groups);
    TF_Tensor *scratch = NULL;
    const int64_t count = taps > 0 ? taps * args->out_c : 1;
    float *packed = oribi_kit_scratch(run, count * (int64_t)sizeof *packed, &scratch);
    if (packed == NULL) {
        return false;
    }
    oribi_micro_conv2d_f32_pack(filter, taps, args->out_c, args->groups, packed);
    args->filter = packed;
    conv_rows rows = {kernels, *args, input, residual, output};
    oribi_kit_parallel(run, (int64_t)args->batch * args->out_h,
                       (taps + 1) * args->out_w * args->out_c, &rows, compute_conv_rows);
    TF_DeleteTensor(scratch);
    return true;
}

/* --- Convolutions ---------------------------------------------------------------------------- */

typedef struct conv_call {
    oribi_conv_shapes shapes;
    oribi_epilogue_args args;
} conv_call;

/* What the kernels compute in 32 bits on the way: the last tap of the last window with all padding,
 * in elements of the image. Each term is below 2^62: oribi_cpu_slide bounds them. */
static int64_t reach(const oribi_geometry_window *axis)
{
    return axis->in + axis->before + axis->after + (axis->out - 1) * axis->stride +
           (axis->taps - 1) * axis->dilation;
}

static bool windows_fit(oribi_kit_run *run, const oribi_geometry_window *y,
                        const oribi_geometry_window *x, int64_t channels)
{
    int64_t sizes[] = {reach(y), reach(x), 0};
    if (__builtin_mul_overflow(sizes[0], x->in + sizes[1], &sizes[2]) ||
        __builtin_mul_overflow(sizes[2], channels, &sizes[2])) {
        sizes[2] = INT64_MAX;
    }
    return fits(run, sizes, 3);
}

static bool take_conv(const layer_state *state, oribi_kit_run *run, bool depthwise, conv_call *c)
{
    oribi_conv_shapes *s = &c->shapes;
    if (!oribi_conv_shapes_take(run, &state->attrs, depthwise, s)) {
        return false;
    }
    const int64_t sizes[] = {oribi_cpu_product(s->image.dims.at, 4),
                             oribi_cpu_product(s->filter.dims.at, 4),
                             oribi_cpu_product(s->dims, 4),
                             s->y.stride,
                             s->x.stride,
                             s->y.dilation,
                             s->x.dilation};
    return fits(run, sizes, 7) && windows_fit(run, &s->y, &s->x, s->image.dims.at[3]) &&
           oribi_epilogue_args_take(run, &state->epilogue, s->dims, 4, &c->args);
}

#define GEOMETRY(args, c)                                                                          \
    (args).bias = (c).args.bias;                                                                   \
    (args).batch = (int32_t)(c).shapes.dims[0];                                                    \
    (args).in_h = (int32_t)(c).shapes.y.in;                                                        \
    (args).in_w = (int32_t)(c).shapes.x.in;                                                        \
    (args).in_c = (int32_t)(c).shapes.image.dims.at[3];                                            \
    (args).out_h = (int32_t)(c).shapes.y.out;                                                      \
    (args).out_w = (int32_t)(c).shapes.x.out;                                                      \
    (args).filter_h = (int32_t)(c).shapes.y.taps;                                                  \
    (args).filter_w = (int32_t)(c).shapes.x.taps;                                                  \
    (args).stride_h = (int32_t)(c).shapes.y.stride;                                                \
    (args).stride_w = (int32_t)(c).shapes.x.stride;                                                \
    (args).dilation_h = (int32_t)(c).shapes.y.dilation;                                            \
    (args).dilation_w = (int32_t)(c).shapes.x.dilation;                                            \
    (args).before_h = (int32_t)(c).shapes.y.before;                                                \
    (args).before_w = (int32_t)(c).shapes.x.before;                                                \
    (args).adds = (c).args.residual != NULL ? 1 : 0

static bool conv_run(const void *arg, oribi_kit_run *run)
{
    const layer_state *state = arg;
    struct oribi_micro_conv2d_f32_args args = {.activation = state->activation,
                                               .alpha = state->epilogue.alpha};
    conv_call c;
    if (!take_conv(state, run, false, &c)) {
        return false;
    }
    GEOMETRY(args, c);
    args.out_c = (int32_t)c.shapes.dims[3];
    args.groups = (int32_t)(c.shapes.image.dims.at[3] / c.shapes.filter.dims.at[2]);
    const struct oribi_micro_filter_f32 filter = {(const float *)(const void *)c.shapes.filter.data,
                                                  args.out_c, 1};
    const float *image = (const float *)(const void *)c.shapes.image.data;
    float *out = oribi_kit_output(run, 0, c.shapes.dims, 4);
    if (out == NULL || oribi_cpu_product(c.shapes.dims, 4) == 0) {
        return out != NULL;
    }
    if (!call_conv(run, state->kernels, &args, &filter, image,
                   c.args.residual != NULL ? c.args.residual : image, out)) {
        return false;
    }
    finish(run, state, out, oribi_cpu_product(c.shapes.dims, 4));
    return true;
}

typedef struct depthwise_rows {
    const layer_kernels *kernels;
    struct oribi_micro_depthwise_conv2d_f32_args args;
    const float *input, *residual;
    float *output;
} depthwise_rows;

static void compute_depthwise_rows(void *object, int64_t begin, int64_t end)
{
    const depthwise_rows *rows = object;
    const struct oribi_micro_depthwise_conv2d_f32_args *a = &rows->args;
    const int64_t image = (int64_t)a->in_h * a->in_w * a->in_c;
    const int64_t line = (int64_t)a->out_w * a->in_c * a->multiplier;
    for (int64_t row = begin; row < end; row++) {
        struct oribi_micro_depthwise_conv2d_f32_args args = *a;
        args.batch = 1;
        args.out_h = 1;
        args.before_h -= (int32_t)(row % a->out_h) * a->stride_h;
        rows->kernels->depthwise(&args, rows->input + row / a->out_h * image,
                                 args.adds != 0 ? rows->residual + row * line : rows->residual,
                                 rows->output + row * line);
    }
}

static bool depthwise_run(const void *arg, oribi_kit_run *run)
{
    const layer_state *state = arg;
    struct oribi_micro_depthwise_conv2d_f32_args args = {.activation = state->activation,
                                                         .alpha = state->epilogue.alpha};
    conv_call c;
    if (!take_conv(state, run, true, &c)) {
        return false;
    }
    GEOMETRY(args, c);
    args.multiplier = (int32_t)c.shapes.filter.dims.at[3];
    args.filter = (const float *)(const void *)c.shapes.filter.data;
    const float *image = (const float *)(const void *)c.shapes.image.data;
    float *out = oribi_kit_output(run, 0, c.shapes.dims, 4);
    if (out != NULL && oribi_cpu_product(c.shapes.dims, 4) > 0) {
        depthwise_rows rows = {state->kernels, args, image,
                               c.args.residual != NULL ? c.args.residual : image, out};
        const int64_t taps = (int64_t)args.filter_h * args.filter_w;
        oribi_kit_parallel(run, (int64_t)args.batch * args.out_h,
                           (taps + 1) * args.out_w * c.shapes.dims[3], &rows,
                           compute_depthwise_rows);
        finish(run, state, out, oribi_cpu_product(c.shapes.dims, 4));
    }
    return out != NULL;
}

typedef struct backprop_rows {
    const layer_kernels *kernels;
    struct oribi_micro_transpose_conv_f32_args args;
    const float *filter, *input;
    float *output;
} backprop_rows;

static void compute_backprop_rows(void *object, int64_t begin, int64_t end)
{
    const backprop_rows *rows = object;
    const struct oribi_micro_transpose_conv_f32_args *a = &rows->args;
    const int64_t image = (int64_t)a->in_h * a->in_w * a->in_c, line = (int64_t)a->out_w * a->out_c;
    for (int64_t row = begin; row < end; row++) {
        struct oribi_micro_transpose_conv_f32_args args = *a;
        args.batch = 1;
        args.out_h = 1;
        args.before_h += (int32_t)(row % a->out_h);
        rows->kernels->backprop(&args, rows->filter, rows->input + row / a->out_h * image,
                                rows->output + row * line);
    }
}

static bool backprop_run(const void *arg, oribi_kit_run *run)
{
    const layer_state *state = arg;
    oribi_conv_shapes shapes;
    if (!oribi_conv_backprop_take(run, &state->attrs, &shapes)) {
        return false;
    }
    const int64_t *dims = shapes.dims, *image = shapes.image.dims.at;
    const oribi_geometry_window y = shapes.y, x = shapes.x;
    const int64_t sizes[] = {oribi_cpu_product(dims, 4),
                             oribi_cpu_product(shapes.filter.dims.at, 4),
                             oribi_cpu_product(image, 4), y.stride, x.stride};
    float *out = fits(run, sizes, 5) && windows_fit(run, &y, &x, dims[3])
                     ? oribi_kit_output(run, 0, dims, 4)
                     : NULL;
    if (out != NULL && oribi_cpu_product(dims, 4) > 0) {
        const struct oribi_micro_transpose_conv_f32_args args = {
            (int32_t)dims[0],    (int32_t)image[1], (int32_t)image[2], (int32_t)image[3],
            (int32_t)dims[1],    (int32_t)dims[2],  (int32_t)dims[3],  (int32_t)y.taps,
            (int32_t)x.taps,     (int32_t)y.stride, (int32_t)x.stride, (int32_t)y.dilation,
            (int32_t)x.dilation, (int32_t)y.before, (int32_t)x.before};
        backprop_rows rows = {state->kernels, args, (const float *)(const void *)shapes.filter.data,
                              (const float *)(const void *)shapes.image.data, out};
        oribi_kit_parallel(run, dims[0] * dims[1],
                           dims[2] * dims[3] * (image[1] * (image[2] + 1) + 1), &rows,
                           compute_backprop_rows);
    }
    return out != NULL;
}

static void backprop_read(oribi_kit_setup *setup, layer_state *state)
{
    state->kernels = &rounding;
    oribi_conv_attrs_read(setup, &state->attrs);
}
ORIBI_KIT_CREATE(backprop, layer_state)

static void backprop_fma_read(oribi_kit_setup *setup, layer_state *state)
{
    backprop_read(setup, state);
    state->kernels = &fusing;
}
ORIBI_KIT_CREATE(backprop_fma, layer_state)
ORIBI_KIT_COMPUTE(backprop, 3)
ORIBI_KIT_COMPUTE(conv, 2)
ORIBI_KIT_COMPUTE(depthwise, 2)

/* --- Products of matrices -------------------------------------------------------------------- */

/* With a bias or residual: a convolution of a column of pixels; emitted code has it as a row, whose
 * sums are the same. */
static bool dense(const layer_state *state, oribi_kit_run *run, const oribi_matmul_shapes *s,
                  const oribi_epilogue_args *extra, float *out)
{
    const float *left = TF_TensorData(run->in[0]);
    const bool flips = state->matmul.transpose_b;
    struct oribi_micro_conv2d_f32_args args = {.bias = extra->bias,
                                               .batch = 1,
                                               .in_h = (int32_t)s->m,
                                               .in_w = 1,
                                               .in_c = (int32_t)s->k,
                                               .out_h = (int32_t)s->m,
                                               .out_w = 1,
                                               .out_c = (int32_t)s->n,
                                               .filter_h = 1,
                                               .filter_w = 1,
                                               .stride_h = 1,
                                               .stride_w = 1,
                                               .dilation_h = 1,
                                               .dilation_w = 1,
                                               .groups = 1,
                                               .adds = extra->residual != NULL ? 1 : 0,
                                               .activation = state->activation,
                                               .alpha = state->epilogue.alpha};
    const struct oribi_micro_filter_f32 filter = {TF_TensorData(run->in[1]), flips ? 1 : s->n,
                                                  flips ? s->k : 1};
    if (!call_conv(run, state->kernels, &args, &filter, left,
                   extra->residual != NULL ? extra->residual : left, out)) {
        return false;
    }
    finish(run, state, out, s->m * s->n);
    return true;
}

static bool matmul_run(const void *arg, oribi_kit_run *run)
{
    const layer_state *state = arg;
    oribi_matmul_shapes s;
    oribi_epilogue_args extra;
    if (!oribi_matmul_shapes_take(run, &state->matmul, NULL, &s) ||
        !oribi_epilogue_args_take(run, &state->epilogue, s.out.at, s.out.n, &extra)) {
        return false;
    }
    const bool flips_a = state->matmul.transpose_a, flips_b = state->matmul.transpose_b;
    const int64_t left_dims[] = {s.m, s.k}, right_dims[] = {s.k, s.n};
    int64_t sizes[3] = {0};
    if (!oribi_cpu_count(run, s.out.at, s.out.n, &sizes[0]) ||
        !oribi_cpu_count(run, left_dims, 2, &sizes[1]) ||
        !oribi_cpu_count(run, right_dims, 2, &sizes[2])) {
        return false;
    }
    if (!fits(run, sizes, 3)) {
        return false;
    }
    const float *left = TF_TensorData(run->in[0]), *right = TF_TensorData(run->in[1]);
    float *out = oribi_kit_output(run, 0, s.out.at, s.out.n);
    if (out == NULL || sizes[0] == 0) {
        return out != NULL;
    }
    if (s.batches == 1 && !flips_a) {
        return dense(state, run, &s, &extra, out);
    }
    if (extra.bias != NULL || extra.residual != NULL ||
        state->epilogue.activation != ORIBI_ACTIVATION_NONE) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED,
                              "the kernels of micro/ fuse nothing into a transposed product");
    }
    const struct oribi_micro_matmul_f32_args args = {{1, {1}, {0}, {0}},
                                                     (int32_t)s.m,
                                                     (int32_t)s.k,
                                                     (int32_t)s.n,
                                                     (int32_t)(flips_a ? 1 : s.k),
                                                     (int32_t)(flips_a ? s.m : 1),
                                                     (int32_t)(flips_b ? 1 : s.n),
                                                     (int32_t)(flips_b ? s.k : 1)};
    for (int64_t i = 0, patience = 0; i < s.batches; i++) {
        if (oribi_kit_stops(run, &patience, s.m * s.n * s.k)) {
            return false;
        }
        state->kernels->matmul(&args, left + oribi_matmul_batch(&s, &s.left_strides, i) * s.m * s.k,
                               right + oribi_matmul_batch(&s, &s.right_strides, i) * s.k * s.n,
                               out + i * s.m * s.n);
    }
    return true;
}
ORIBI_KIT_COMPUTE(matmul, 2)

#define ROW(op, kind, fn, create_fn)                                                               \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, .label = kind,                             \
        .priority = ORIBI_CPU_MICRO, .create = create_fn, .compute = fn##_compute,                 \
        .destroy = oribi_kit_free, .tolerance = 2e-4f, .why = "the arithmetic of emitted C"        \
    }
#define BOTH(op, fn, create_fn)                                                                    \
    ROW(op, "micro", fn, create_fn##_create), ROW(op, "micro-fma", fn, create_fn##_fma_create)
const oribi_cpu_kernel oribi_cpu_micro_layers_kernels[] = {
    BOTH("Conv2D", conv, conv),
    BOTH("_FusedConv2D", conv, conv),
    BOTH("DepthwiseConv2dNative", depthwise, conv),
    BOTH("_FusedDepthwiseConv2dNative", depthwise, conv),
    BOTH("Oribi>FusedDepthwiseConv2d", depthwise, conv),
    BOTH("Conv2DBackpropInput", backprop, backprop),
    BOTH("MatMul", matmul, matmul),
    BOTH("_FusedMatMul", matmul, matmul),
    BOTH("BatchMatMulV2", matmul, matmul),
    {.op_name = NULL}};
