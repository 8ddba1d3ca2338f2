/* SPDX-License-Identifier: Apache-2.0 */
/* Conv2DBackpropInput, float32, NHWC: one product makes for each pixel of the image what it gives
 * to every tap of its window, then each pixel of the result gathers its share. What it means is in
 * conv_reference.c.
 */
#include "cpu/product/conv_backprop.h"
#include "cpu/base/families.h"
#include "cpu/base/cpu_shape.h"
#include "cpu/product/packed_weights.h"

#include <stdlib.h>
#include <string.h>

static bool read_dims(oribi_kit_run *run, const int64_t *filter, const int64_t *image,
                      int64_t *out_dims)
{
    int64_t sizes[4] = {0};
    int count = 0;
    if (!oribi_kit_read_ints(run, run->in[0], "input_sizes", sizes, 4, &count)) {
        return false;
    }
    if (count != 4 && count != 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "input_sizes must hold 4 or 2 sizes, not %d", count);
    }
    out_dims[0] = count == 4 ? sizes[0] : image[0];
    out_dims[1] = sizes[count == 4 ? 1 : 0];
    out_dims[2] = sizes[count == 4 ? 2 : 1];
    out_dims[3] = count == 4 ? sizes[3] : filter[2];
    return true;
}

bool oribi_conv_backprop_take(oribi_kit_run *run, const oribi_conv_attrs *attrs,
                              oribi_conv_shapes *out)
{
    const int64_t *dims = out->dims, *filter = out->filter.dims.at, *image = out->image.dims.at;
    if (!oribi_weights_input(run, 1, 4, &out->filter) ||
        !oribi_weights_input(run, 2, 4, &out->image) || !read_dims(run, filter, image, out->dims) ||
        !oribi_conv_attrs_resolve(run, attrs, dims[1], dims[2], filter[0], filter[1], &out->y,
                                  &out->x)) {
        return false;
    }
    if (dims[0] != image[0] || dims[3] != filter[2] || image[3] != filter[3] ||
        out->y.out != image[1] || out->x.out != image[2]) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "input_sizes [%lld,%lld,%lld,%lld] and this filter make [%lld,%lld,%lld,%lld], but "
            "out_backprop is [%lld,%lld,%lld,%lld]",
            (long long)dims[0], (long long)dims[1], (long long)dims[2], (long long)dims[3],
            (long long)dims[0], (long long)out->y.out, (long long)out->x.out, (long long)filter[3],
            (long long)image[0], (long long)image[1], (long long)image[2], (long long)image[3]);
    }
    return true;
}

typedef struct backprop_state {
    const oribi_gemm_variant *variant;
    oribi_conv_attrs attrs;
} backprop_state;

typedef struct backprop_call {
    oribi_geometry_window y, x;
    int64_t dims[4];
    oribi_gemm_lines pixels;
    const float *shares; /* [pixels, taps, channels] */
    float *out;
    int64_t depth; /* of the image */
    oribi_gemm gemm;
    oribi_gemm_plan plan;
    TF_Tensor *panels_tensor, *shares_tensor;
} backprop_call;

static void *backprop_create(TF_OpKernelConstruction *construction,
                             const oribi_gemm_variant *variant)
{
    oribi_kit_setup setup;
    backprop_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        state->variant = variant;
        oribi_conv_attrs_read(&setup, &state->attrs);
    }
    return oribi_kit_setup_end(&setup);
}

static void run_units(void *object, int64_t begin, int64_t end)
{
    const backprop_call *call = object;
    oribi_gemm_run(&call->gemm, &call->plan, begin, end);
}

/* Adds to a row of the result what a row of the image gives it by the taps of row ky, from `pixel`
 * on. Taps that lie side by side in the shares do so in the result, too, unless they are dilated.
 */
static void add_row(const backprop_call *call, int64_t pixel, int64_t ky, float *out)
{
    const oribi_geometry_window *x = &call->x;
    const int64_t channels = call->dims[3], width = call->dims[2];
    const int64_t side_by_side = x->dilation == 1 ? x->taps : 1;
    for (int64_t i = 0; i < x->out; i++) {
        const float *shares = call->shares + ((pixel + i) * call->y.taps + ky) * x->taps * channels;
        for (int64_t kx = 0; kx < x->taps; kx += side_by_side) {
            const int64_t at = i * x->stride - x->before + kx * x->dilation;
            const int64_t first = at < 0 ? -at : 0;
            const int64_t end = width - at < side_by_side ? width - at : side_by_side;
            for (int64_t k = first * channels; k < end * channels; k++) {
                out[at * channels + k] += shares[kx * channels + k];
            }
        }
    }
}

static void gather_rows(void *object, int64_t begin, int64_t end)
{
    const backprop_call *call = object;
    const oribi_geometry_window *y = &call->y;
    const int64_t floats = call->dims[2] * call->dims[3];
    for (int64_t row = begin; row < end; row++) {
        const int64_t batch = row / call->dims[1];
        float *out = call->out + row * floats;
        memset(out, 0, (size_t)floats * sizeof(float));
        for (int64_t ky = 0; ky < y->taps; ky++) {
            const int64_t down = row % call->dims[1] + y->before - ky * y->dilation;
            if (down >= 0 && down % y->stride == 0 && down / y->stride < y->out) {
                add_row(call, (batch * y->out + down / y->stride) * call->x.out, ky, out);
            }
        }
    }
}

/* The product: pixels x depth by depth x (taps * channels). */
static bool make_shares(oribi_kit_run *run, const backprop_state *state, backprop_call *call,
                        const oribi_weights_view *filter)
{
    const int64_t pixels = call->dims[0] * call->y.out * call->x.out;
    const int64_t n = filter->dims.at[0] * filter->dims.at[1] * filter->dims.at[2];
    const int64_t packed = oribi_weights_count(state->variant, 1, call->depth, n);
    int64_t shares = 0;
    if (packed < 0 || __builtin_mul_overflow(pixels, n, &shares) || shares > INT64_MAX / 8) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "the scratch of this shape is too large");
    }
    float *panels = oribi_kit_scratch(run, packed * 4, &call->panels_tensor);
    float *product =
        panels == NULL ? NULL : oribi_kit_scratch(run, shares * 4, &call->shares_tensor);
    if (product == NULL) {
        return false;
    }
    /* Filter [taps, channels, depth] read as depth x (taps * channels). */
    const oribi_gemm_source source = {.data = filter->data,
                                      .outer = 1,
                                      .middle = 1,
                                      .inner = call->depth,
                                      .n = n,
                                      .inner_stride = filter->strides.at[3],
                                      .n_stride = filter->strides.at[2]};
    oribi_gemm_pack(state->variant, &source, panels);
    call->shares = product;
    call->gemm = (oribi_gemm){.variant = state->variant,
                              .panels = panels,
                              .groups = 1,
                              .m = pixels,
                              .n = n,
                              .n_taps = 1,
                              .depth = call->depth,
                              .pairs = oribi_gemm_pairs(state->variant, call->depth, n),
                              .rows = oribi_gemm_lines_fill,
                              .rows_arg = &call->pixels,
                              .c = product,
                              .c_stride = n,
                              .low = -__builtin_inff(),
                              .high = __builtin_inff()};
    oribi_gemm_plan_make(&call->gemm, TF_ThreadPool_NumThreads(run->context), &call->plan);
    oribi_kit_parallel(run, call->plan.units, call->plan.unit_cost, call, run_units);
    return true;
}

static bool backprop_run(const backprop_state *state, oribi_kit_run *run, backprop_call *call)
{
    oribi_conv_shapes shapes;
    if (!oribi_conv_backprop_take(run, &state->attrs, &shapes)) {
        return false;
    }
    call->y = shapes.y;
    call->x = shapes.x;
    memcpy(call->dims, shapes.dims, sizeof call->dims);
    call->depth = shapes.image.dims.at[3];
    call->pixels = (oribi_gemm_lines){(const float *)(const void *)shapes.image.data, call->depth};
    call->out = oribi_kit_output(run, 0, call->dims, 4);
    if (call->out == NULL || call->dims[0] * call->dims[1] * call->dims[2] * call->dims[3] == 0) {
        return call->out != NULL;
    }
    if (!make_shares(run, state, call, &shapes.filter)) {
        return false;
    }
    oribi_kit_parallel(run, call->dims[0] * call->dims[1],
                       call->dims[2] * call->dims[3] * call->y.taps * call->x.taps / 4 + 1, call,
                       gather_rows);
    return true;
}

static void backprop_compute(void *arg, TF_OpKernelContext *context)
{
    backprop_call call = {.panels_tensor = NULL};
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 3)) {
        (void)backprop_run(arg, &run, &call);
    }
    TF_DeleteTensor(call.panels_tensor);
    TF_DeleteTensor(call.shares_tensor);
    oribi_kit_end(&run);
}

#define CREATE(part, set)                                                                          \
    static void *create_##set(TF_OpKernelConstruction *construction)                               \
    {                                                                                              \
        return backprop_create(construction, &oribi_gemm_##set);                                   \
    }
#define ROW(part, set)                                                                             \
    ORIBI_CPU_ISA_ROW("Conv2DBackpropInput", set, backprop, "product, then gather, " #set,         \
                      ORIBI_CPU_OF(TF_FLOAT), .create = create_##set, .destroy = oribi_kit_free,   \
                      .tolerance = 1e-4f),

ORIBI_ISAS_OF_gemm(CREATE)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_conv_backprop_kernels[] = {
    ORIBI_ISAS_OF_gemm(ROW)
    {.op_name = NULL},
};
/* clang-format on */
