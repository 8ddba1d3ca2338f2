/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>Conv and Conv3D of floats as a product over the pixels' pointers, like conv.c: the filter is
 * packed, pictures with channels first are turned around before and after. See conv_nd.h.
 */
#include "cpu/base/families.h"
#include "cpu/product/conv_nd.h"
#include "cpu/product/packed_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 16, BLOCK = 32 };

typedef struct packed_state {
    oribi_conv_nd conv;
    const oribi_gemm_variant *variant;
    oribi_cpu_shape filter; /* of the packed one */
    int64_t groups;         /* 0: not packed, the filter comes with each call */
    const float *panels;    /* the host's */
} packed_state;

typedef struct packed_call {
    const packed_state *state;
    oribi_conv_nd_call c;
    const float *x; /* [batch, pixel, channel] */
    float *zeros;
    oribi_gemm gemm;
    oribi_gemm_plan plan;
    TF_Tensor *panels, *image, *result, *padding; /* scratch, or NULL */
} packed_call;

/* An oribi_gemm_rows_fn. */
static void fill_rows(const void *arg, int64_t row, int32_t n_rows, int64_t tap, int64_t n_taps,
                      int64_t channel, const float **out)
{
    const packed_call *p = arg;
    const oribi_geometry_window *a = p->c.axes;
    int64_t at[ROWS_AT_ONCE][3], batch[ROWS_AT_ONCE];
    for (int32_t i = 0; i < n_rows; i++) {
        const int64_t pixel = (row + i) % p->c.pixels;
        batch[i] = (row + i) / p->c.pixels * p->c.in_pixels;
        at[i][0] = pixel / a[2].out / a[1].out * a[0].stride - a[0].before;
        at[i][1] = pixel / a[2].out % a[1].out * a[1].stride - a[1].before;
        at[i][2] = pixel % a[2].out * a[2].stride - a[2].before;
    }
    for (int64_t t = tap; t < tap + n_taps; t++, out += n_rows) {
        const int64_t deep = t / a[2].taps / a[1].taps * a[0].dilation;
        const int64_t down = t / a[2].taps % a[1].taps * a[1].dilation;
        const int64_t right = t % a[2].taps * a[2].dilation;
        for (int32_t i = 0; i < n_rows; i++) {
            const int64_t z = at[i][0] + deep, y = at[i][1] + down, x = at[i][2] + right;
            /* One unsigned comparison tells both ends. */
            const bool inside = (uint64_t)z < (uint64_t)a[0].in &&
                                (uint64_t)y < (uint64_t)a[1].in && (uint64_t)x < (uint64_t)a[2].in;
            const int64_t pixel = batch[i] + (z * a[1].in + y) * a[2].in + x;
            out[i] = inside ? p->x + pixel * p->c.channels + channel : p->zeros;
        }
    }
}

/* Matrices [rows, columns] turned around, one after the other; a unit is a block of columns. */
typedef struct turn_work {
    const float *from;
    float *to;
    int64_t rows, columns, blocks;
} turn_work;

static void turn_blocks(void *object, int64_t begin, int64_t end)
{
    const turn_work *work = object;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t first = unit % work->blocks * BLOCK;
        const int64_t last = first + BLOCK < work->columns ? first + BLOCK : work->columns;
        const float *from = work->from + unit / work->blocks * work->rows * work->columns;
        float *to = work->to + unit / work->blocks * work->rows * work->columns;
        for (int64_t row = 0; row < work->rows; row++) {
            for (int64_t column = first; column < last; column++) {
                to[column * work->rows + row] = from[row * work->columns + column];
            }
        }
    }
}

static void turn(oribi_kit_run *run, const float *from, float *to, int64_t n, int64_t rows,
                 int64_t columns)
{
    turn_work work = {from, to, rows, columns, (columns + BLOCK - 1) / BLOCK};
    oribi_kit_parallel(run, n * work.blocks, rows * BLOCK * 2, &work, turn_blocks);
}

static float *room(oribi_kit_run *run, int64_t a, int64_t b, int64_t c, TF_Tensor **memory)
{
    const int64_t sizes[] = {a, b, c, (int64_t)sizeof(float)};
    int64_t bytes = 0;
    return oribi_cpu_count(run, sizes, 4, &bytes) ? oribi_kit_scratch(run, bytes, memory) : NULL;
}

/* A filter of these matrices into panels, group by group. */
static void pack(const oribi_gemm_variant *variant, const oribi_gemm_source *all, int64_t groups,
                 float *panels)
{
    const int64_t count = oribi_gemm_packed_count(variant, all->middle * all->inner, all->n);
    for (int64_t group = 0; group < groups; group++) {
        oribi_gemm_source source = *all;
        source.data += group * all->n * all->n_stride;
        oribi_gemm_pack(variant, &source, panels + group * count);
    }
}

/* Taps that lie one behind the other are one dimension; false: they do not. */
static bool is_one(const oribi_weights_view *view, int first, int n)
{
    bool one = true;
    for (int i = first; i + 1 < first + n; i++) {
        one = one && view->strides.at[i] == view->dims.at[i + 1] * view->strides.at[i + 1];
    }
    return one;
}

typedef struct filling {
    const oribi_gemm_variant *variant;
    const oribi_gemm_source *source;
    int64_t groups;
} filling;

static void fill_panels(void *arg, float *to)
{
    const filling *f = arg;
    pack(f->variant, f->source, f->groups, to);
}

/* Packs a constant filter; leaves state->groups 0 where that has to wait for the call. */
static void pack_constant(oribi_kit_setup *setup, packed_state *state)
{
    const oribi_conv_nd *conv = &state->conv;
    oribi_weights_view view = {.data = NULL};
    int64_t input[5] = {-1, -1, -1, -1, -1}, groups = conv->groups;
    int rank = 5;
    while (rank > 2 && !oribi_weights_constant(setup, 1, rank, &view)) {
        rank--;
    }
    const int in = conv->is_onnx ? 1 : 3, out = conv->is_onnx ? 0 : 4;
    const int taps = conv->is_onnx ? 2 : 0, space = rank - 2;
    if (rank < 3 || (!conv->is_onnx && rank != 5) || !is_one(&view, taps, space) ||
        view.dims.at[in] < 1) {
        return;
    }
    if (groups == 0 && TF_OpKernelConstruction_InputShape(setup->construction, 0, input, 5) == 5) {
        const int64_t channels = input[conv->channels_last ? 4 : 1];
        groups = channels > 0 ? channels / view.dims.at[in] : 0;
    }
    if (groups < 1 || view.dims.at[out] < 1 || view.dims.at[out] % groups != 0) {
        return;
    }
    oribi_weights_reader reader = {setup->construction, 1};
    const oribi_gemm_source source = {.data = view.data,
                                      .outer = 1,
                                      .middle = oribi_cpu_product(view.dims.at + taps, space),
                                      .inner = view.dims.at[in],
                                      .n = view.dims.at[out] / groups,
                                      .middle_stride = view.strides.at[taps + space - 1],
                                      .inner_stride = view.strides.at[in],
                                      .n_stride = view.strides.at[out],
                                      .done = oribi_weights_read,
                                      .done_arg = &reader};
    filling f = {state->variant, &source, groups};
    const oribi_weights_packing packing = {
        .inputs = 1U << 1,
        .count =
            oribi_weights_count(state->variant, groups, source.middle * source.inner, source.n),
        .fill = fill_panels,
        .arg = &f};
    if (source.middle < 1 || (state->panels = oribi_weights_pack(
                                  setup, &packing, "taps.1 width %d groups %lld order %d",
                                  (int)state->variant->width, (long long)groups, in)) == NULL) {
        return;
    }
    state->filter = view.dims;
    state->groups = groups;
    TF_OpKernelConstruction_ReleaseConstant(setup->construction, 1);
}

static bool take_panels(oribi_kit_run *run, packed_call *p)
{
    const oribi_conv_nd_call *c = &p->c;
    const int64_t k = c->taps * c->depth, n = c->outputs / c->groups;
    const int64_t count = oribi_weights_count(p->gemm.variant, c->groups, k, n);
    const int64_t width = (int64_t)sizeof(float);
    p->gemm.panels = p->state->panels;
    if (p->state->groups != 0) {
        return p->state->groups == c->groups ||
               oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the filter was made for %lld groups, not for %lld",
                              (long long)p->state->groups, (long long)c->groups);
    }
    float *panels = room(run, count < 0 ? INT64_MAX / 8 : count, 1, 1, &p->panels);
    const oribi_gemm_source source = {.data = c->w,
                                      .outer = 1,
                                      .middle = c->taps,
                                      .inner = c->depth,
                                      .n = n,
                                      .middle_stride = c->w_tap * width,
                                      .inner_stride = c->w_in * width,
                                      .n_stride = c->w_out * width};
    if (panels != NULL) {
        pack(p->gemm.variant, &source, c->groups, panels);
    }
    p->gemm.panels = panels;
    return panels != NULL;
}

static void run_units(void *object, int64_t begin, int64_t end)
{
    const packed_call *p = object;
    oribi_gemm_run(&p->gemm, &p->plan, begin, end);
}

static bool multiply(oribi_kit_run *run, packed_call *p)
{
    oribi_conv_nd_call *c = &p->c;
    oribi_gemm *gemm = &p->gemm;
    const bool turns = !p->state->conv.channels_last;
    const int64_t n_zeros = c->depth + ORIBI_GEMM_MAX_WIDTH;
    if (!take_panels(run, p) || (p->zeros = room(run, n_zeros, 1, 1, &p->padding)) == NULL) {
        return false;
    }
    memset(p->zeros, 0, (size_t)n_zeros * sizeof(float));
    p->x = c->x;
    gemm->c = c->y;
    if (turns) {
        float *image = room(run, c->batches, c->in_pixels, c->channels, &p->image);
        gemm->c = image == NULL ? NULL : room(run, c->batches, c->pixels, c->outputs, &p->result);
        if (gemm->c == NULL) {
            return false;
        }
        turn(run, c->x, image, c->batches, c->channels, c->in_pixels);
        p->x = image;
    }
    gemm->groups = c->groups;
    gemm->m = c->batches * c->pixels;
    gemm->n = c->outputs / c->groups;
    gemm->n_taps = c->taps;
    gemm->depth = c->depth;
    gemm->pairs = oribi_gemm_pairs(gemm->variant, c->depth, gemm->n);
    gemm->rows = fill_rows;
    gemm->rows_arg = p;
    gemm->c_stride = c->outputs;
    gemm->bias = c->bias;
    gemm->low = -INFINITY;
    gemm->high = INFINITY;
    oribi_gemm_plan_make(gemm, TF_ThreadPool_NumThreads(run->context), &p->plan);
    oribi_kit_parallel(run, p->plan.units, p->plan.unit_cost, p, run_units);
    if (turns && oribi_kit_is_ok(run)) {
        turn(run, gemm->c, c->y, c->batches, c->pixels, c->outputs);
    }
    return oribi_kit_is_ok(run);
}

static void packed_compute(void *object, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    const packed_state *state = object;
    packed_call p = {.state = state, .gemm.variant = state->variant};
    bool is_empty = true;
    const bool keeps = state->groups != 0, has_bias = TF_NumInputs(context) > 2;
    if (oribi_kit_begin(&run, context, keeps ? 1 : 2) &&
        (!has_bias || oribi_kit_input(&run, 2) != NULL) &&
        oribi_conv_nd_take(&run, &state->conv, keeps ? &state->filter : NULL, &p.c, &is_empty) &&
        !is_empty) {
        (void)multiply(&run, &p);
    }
    TF_DeleteTensor(p.panels);
    TF_DeleteTensor(p.padding);
    TF_DeleteTensor(p.image);
    TF_DeleteTensor(p.result);
    oribi_kit_end(&run);
}

static void *packed_create(TF_OpKernelConstruction *construction, const oribi_gemm_variant *variant,
                           void (*read)(oribi_kit_setup *setup, oribi_conv_nd *out))
{
    oribi_kit_setup setup;
    packed_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        state->variant = variant;
        read(&setup, &state->conv);
        pack_constant(&setup, state);
    }
    return oribi_kit_setup_end(&setup);
}

static void packed_destroy(void *object)
{
    packed_state *state = object;
    if (state != NULL) {
        free(state);
    }
}

#define CREATE(part, set)                                                                          \
    static void *onnx_##set(TF_OpKernelConstruction *construction)                                 \
    {                                                                                              \
        return packed_create(construction, &oribi_gemm_##set, oribi_conv_nd_read_onnx);            \
    }                                                                                              \
    static void *three_##set(TF_OpKernelConstruction *construction)                                \
    {                                                                                              \
        return packed_create(construction, &oribi_gemm_##set, oribi_conv_nd_read_3d);              \
    }
#define ROWS(part, set) ROW("ONNX>Conv", onnx_##set, set), ROW("Conv3D", three_##set, set),
#define ROW(op, create_fn, set)                                                                    \
    ORIBI_CPU_ISA_ROW(op, set, packed, "packed indirect product, " #set, ORIBI_CPU_OF(TF_FLOAT),   \
                      .create = create_fn, .destroy = packed_destroy, .tolerance = 1e-4f)

ORIBI_ISAS_OF_gemm(CREATE)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_conv_nd_packed_kernels[] = {
    ORIBI_ISAS_OF_gemm(ROWS)
    {.op_name = NULL},
};
/* clang-format on */
