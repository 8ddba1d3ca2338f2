/* SPDX-License-Identifier: Apache-2.0 */
/* Conv2D and its fused forms, float32, NHWC, as a product over the pixels' pointers: the filter is
 * packed once, the image is read where it lies. Groups, dilations and every padding included, and
 * images that come as planes. The plain loops that say what it means are in conv_reference.c; the
 * product is gemm.h.
 */
#include "cpu/product/conv_attrs.h"
#include "cpu/product/conv_geometry.h"
#include "cpu/product/epilogue.h"
#include "cpu/base/families.h"
#include "cpu/product/packed_weights.h"
#include "cpu/winograd/winograd.h"

#include <stdlib.h>
#include <string.h>

typedef struct conv_state {
    const oribi_gemm_variant *variant;
    const oribi_winograd_variant *winograd;
    oribi_conv_attrs attrs;
    oribi_epilogue epilogue;
    int64_t filter[4];   /* of the packed filter */
    int64_t groups;      /* 0: not packed, the filter comes with each call */
    bool is_winograd;    /* packed for winograd.h */
    const float *panels; /* the host's */
    float *zeros;
} conv_state;

/* One call. */
typedef struct conv_call {
    int64_t input[4], filter[4], groups;
    oribi_conv_rows rows;
    oribi_gemm_lines lines;
    oribi_gemm gemm;
    oribi_gemm_plan plan;
    TF_Tensor *panels, *zeros, *pixels; /* scratch, or NULL */
} conv_call;

static int64_t packed_group_count(const oribi_gemm_variant *variant, const int64_t *filter,
                                  int64_t groups)
{
    return oribi_gemm_packed_count(variant, filter[0] * filter[1] * filter[2], filter[3] / groups);
}

static void pack_filter(const oribi_gemm_variant *variant, const oribi_weights_view *view,
                        int64_t groups, oribi_weights_reader *reader, float *out)
{
    const int64_t n = view->dims.at[3] / groups;
    for (int64_t group = 0; group < groups; group++) {
        const oribi_gemm_source source = {.data = view->data + group * n * view->strides.at[3],
                                          .outer = view->dims.at[0],
                                          .middle = view->dims.at[1],
                                          .inner = view->dims.at[2],
                                          .n = n,
                                          .outer_stride = view->strides.at[0],
                                          .middle_stride = view->strides.at[1],
                                          .inner_stride = view->strides.at[2],
                                          .n_stride = view->strides.at[3],
                                          .done = reader != NULL ? oribi_weights_read : NULL,
                                          .done_arg = reader};
        oribi_gemm_pack(variant, &source,
                        out + group * packed_group_count(variant, view->dims.at, groups));
    }
}

/* Groups that a filter means for an image of so many channels; 0: they do not fit. */
static int64_t groups_of(const int64_t *filter, int64_t channels)
{
    const int64_t groups = filter[2] > 0 && channels % filter[2] == 0 ? channels / filter[2] : 0;
    return groups > 0 && filter[3] % groups == 0 ? groups : 0;
}

static int64_t tap_floats(const int64_t *filter)
{
    return filter[2] + ORIBI_GEMM_MAX_WIDTH;
}

typedef struct filling {
    const conv_state *state;
    const oribi_weights_view *view;
    int64_t groups;
    oribi_weights_reader reader;
} filling;

static void fill_panels(void *arg, float *to)
{
    filling *f = arg;
    if (f->state->is_winograd) {
        oribi_winograd_pack(f->state->variant, f->view, &f->reader, to);
    } else {
        pack_filter(f->state->variant, f->view, f->groups, &f->reader, to);
    }
}

/* Packs a constant filter; leaves state->groups 0 where that has to wait for the call. */
static void pack_constant(oribi_kit_setup *setup, conv_state *state)
{
    oribi_weights_view view;
    int64_t input[4] = {-1, -1, -1, -1};
    if (!oribi_weights_constant(setup, 1, 4, &view) ||
        TF_OpKernelConstruction_InputShape(setup->construction, 0, input, 4) != 4) {
        return;
    }
    oribi_conv_image_dims(&state->attrs, input);
    const int64_t groups = input[3] > 0 ? groups_of(view.dims.at, input[3]) : 0;
    if (groups == 0) {
        return;
    }
    const oribi_conv_attrs *attrs = &state->attrs;
    const int64_t taps = view.dims.at[0] * view.dims.at[1];
    const bool has_steps = attrs->strides[0] != 1 || attrs->strides[1] != 1 ||
                           attrs->dilations[0] != 1 || attrs->dilations[1] != 1;
    state->is_winograd = groups == 1 && !has_steps && oribi_winograd_is_worth(input, view.dims.at);
    const int64_t count = state->is_winograd
                              ? oribi_winograd_count(state->variant, view.dims.at)
                              : oribi_weights_count(state->variant, groups, taps * view.dims.at[2],
                                                    view.dims.at[3] / groups);
    filling f = {state, &view, groups, {setup->construction, 1}};
    const oribi_weights_packing packing = {
        .inputs = 1U << 1, .count = count, .fill = fill_panels, .arg = &f};
    state->panels = oribi_weights_pack(setup, &packing, "%s.1 width %d groups %lld",
                                       state->is_winograd ? "winograd" : "filter",
                                       (int)state->variant->width, (long long)groups);
    state->zeros = oribi_weights_allocate(setup, tap_floats(view.dims.at));
    if (state->panels == NULL || state->zeros == NULL) {
        return;
    }
    memset(state->zeros, 0, (size_t)tap_floats(view.dims.at) * sizeof(float));
    memcpy(state->filter, view.dims.at, sizeof state->filter);
    state->groups = groups;
    TF_OpKernelConstruction_ReleaseConstant(setup->construction, 1);
}

static void *conv_create(TF_OpKernelConstruction *construction, oribi_cpu_isa isa,
                         const oribi_gemm_variant *variant, const oribi_winograd_variant *winograd)
{
    oribi_kit_setup setup;
    conv_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        state->variant = variant;
        state->winograd = winograd;
        oribi_conv_attrs_read(&setup, &state->attrs);
        oribi_epilogue_read(&setup, isa, &state->epilogue);
        pack_constant(&setup, state);
    }
    return oribi_kit_setup_end(&setup);
}

static void conv_destroy(void *arg)
{
    conv_state *state = arg;
    if (state != NULL) {
        free(state->zeros);
        free(state);
    }
}

/* Dims of image and filter, the axes, the groups. */
static bool take_shapes(oribi_kit_run *run, const conv_state *state, conv_call *call,
                        oribi_weights_view *filter)
{
    oribi_weights_view image;
    if (!oribi_weights_input(run, 0, 4, &image)) {
        return false;
    }
    memcpy(call->input, image.dims.at, sizeof call->input);
    oribi_conv_image_dims(&state->attrs, call->input);
    call->rows.variant = state->variant;
    call->rows.is_planes = state->attrs.is_planes;
    if (state->groups != 0) {
        memcpy(call->filter, state->filter, sizeof call->filter);
    } else {
        if (!oribi_weights_input(run, 1, 4, filter)) {
            return false;
        }
        memcpy(call->filter, filter->dims.at, sizeof call->filter);
    }
    call->groups = groups_of(call->filter, call->input[3]);
    if (call->groups == 0 || (state->groups != 0 && call->groups != state->groups)) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "an image with %lld channels does not fit a filter of %lld by %lld channels",
            (long long)call->input[3], (long long)call->filter[2], (long long)call->filter[3]);
    }
    call->rows.input = (const float *)(const void *)image.data;
    call->rows.channels = call->input[3];
    return oribi_conv_attrs_resolve(run, &state->attrs, call->input[1], call->input[2],
                                    call->filter[0], call->filter[1], &call->rows.y, &call->rows.x);
}

/* Panels and zeros: the kernel's own, or scratch made now. */
static bool take_filter(oribi_kit_run *run, const conv_state *state, conv_call *call,
                        const oribi_weights_view *filter)
{
    call->gemm.panels = state->panels;
    call->rows.zeros = state->zeros;
    if (state->groups != 0) {
        return true;
    }
    const int64_t count = oribi_weights_count(state->variant, call->groups,
                                              call->filter[0] * call->filter[1] * call->filter[2],
                                              call->filter[3] / call->groups);
    const int64_t zero_bytes = tap_floats(call->filter) * (int64_t)sizeof(float);
    float *panels = oribi_kit_scratch(
        run, (count < 0 ? INT64_MAX / 8 : count) * (int64_t)sizeof(float), &call->panels);
    float *zeros = panels == NULL ? NULL : oribi_kit_scratch(run, zero_bytes, &call->zeros);
    if (zeros == NULL) {
        return false;
    }
    memset(zeros, 0, (size_t)zero_bytes);
    pack_filter(state->variant, filter, call->groups, NULL, panels);
    call->gemm.panels = panels;
    call->rows.zeros = zeros;
    return true;
}

/* Planes that no bands read become pixels. */
static bool take_pixels(oribi_kit_run *run, conv_call *call)
{
    const int64_t row = call->input[2] * call->input[3], rows = call->input[0] * call->input[1];
    float *pixels = oribi_kit_scratch(run, row * rows * (int64_t)sizeof *pixels, &call->pixels);
    for (int64_t i = 0; pixels != NULL && i < rows; i++) {
        oribi_conv_pixels(&call->rows, i, call->input[2], pixels + i * row);
    }
    call->rows.input = pixels;
    call->rows.is_planes = false;
    return pixels != NULL;
}

static void run_units(void *object, int64_t begin, int64_t end)
{
    const conv_call *call = object;
    oribi_gemm_run(&call->gemm, &call->plan, begin, end);
}

/* Does each pixel of the result come from the one in its place? As large, it has no padding. */
static bool is_pixelwise(const oribi_conv_rows *rows)
{
    return rows->y.taps == 1 && rows->x.taps == 1 && rows->y.stride == 1 && rows->x.stride == 1 &&
           rows->y.out == rows->y.in && rows->x.out == rows->x.in;
}

static bool conv_run(const conv_state *state, oribi_kit_run *run, conv_call *call)
{
    oribi_weights_view filter;
    oribi_epilogue_args args;
    oribi_gemm *gemm = &call->gemm;
    if (!take_shapes(run, state, call, &filter)) {
        return false;
    }
    const int64_t dims[4] = {call->input[0], call->rows.y.out, call->rows.x.out, call->filter[3]};
    if (!oribi_epilogue_args_take(run, &state->epilogue, dims, 4, &args)) {
        return false;
    }
    gemm->c = oribi_kit_output(run, 0, dims, 4);
    if (gemm->c == NULL || dims[0] * dims[1] * dims[2] == 0 || dims[3] == 0) {
        return gemm->c != NULL;
    }
    gemm->variant = state->variant;
    gemm->groups = call->groups;
    gemm->m = dims[0] * dims[1] * dims[2];
    gemm->n = dims[3] / call->groups;
    gemm->n_taps = call->filter[0] * call->filter[1];
    gemm->depth = call->filter[2];
    gemm->pairs = oribi_gemm_pairs(gemm->variant, call->filter[2], gemm->n);
    gemm->rows = oribi_conv_rows_fill;
    gemm->rows_arg = &call->rows;
    gemm->c_stride = TF_OutputRowStride(run->context, 0);
    gemm->residual_stride = dims[3];
    oribi_epilogue_apply(&state->epilogue, &args, gemm);
    if (!take_filter(run, state, call, &filter)) {
        return false;
    }
    const bool in_bands =
        !state->is_winograd && oribi_conv_bands_are_worth(&call->rows, call->groups);
    if (call->rows.is_planes && !in_bands && !take_pixels(run, call)) {
        return false;
    }
    if (state->is_winograd) {
        return oribi_winograd_run(run, state->winograd, &call->rows, gemm);
    }
    if (in_bands) {
        return oribi_conv_bands_run(run, &call->rows, gemm);
    }
    if (is_pixelwise(&call->rows)) { /* no pointer needs a comparison */
        call->lines = (oribi_gemm_lines){call->rows.input, call->rows.channels};
        gemm->rows = oribi_gemm_lines_fill;
        gemm->rows_arg = &call->lines;
    }
    oribi_gemm_plan_make(gemm, TF_ThreadPool_NumThreads(run->context), &call->plan);
    oribi_kit_parallel(run, call->plan.units, call->plan.unit_cost, call, run_units);
    return true;
}

static void conv_compute(void *arg, TF_OpKernelContext *context)
{
    const conv_state *state = arg;
    conv_call call = {.panels = NULL};
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, state->groups != 0 ? 1 : 2)) {
        (void)conv_run(state, &run, &call);
    }
    TF_DeleteTensor(call.panels);
    TF_DeleteTensor(call.zeros);
    TF_DeleteTensor(call.pixels);
    oribi_kit_end(&run);
}

#define CREATE(part, set)                                                                          \
    static void *create_##set(TF_OpKernelConstruction *construction)                               \
    {                                                                                              \
        return conv_create(construction, ORIBI_ISA_##set, &oribi_gemm_##set,                       \
                           &oribi_winograd_##set);                                                 \
    }
#define ROWS(part, set) ROW("Conv2D", set), ROW("_FusedConv2D", set), ROW("Oribi>FusedConv2d", set),
#define ROW(op, set)                                                                               \
    ORIBI_CPU_ISA_ROW(op, set, conv, "packed indirect product, " #set, ORIBI_CPU_OF(TF_FLOAT),     \
                      .create = create_##set, .destroy = conv_destroy, .strided_outputs = 1,       \
                      .tolerance = 1e-4f)

ORIBI_ISAS_OF_gemm(CREATE)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_conv_kernels[] = {
    ORIBI_ISAS_OF_gemm(ROWS)
    {.op_name = NULL},
};
/* clang-format on */
