/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>Conv and Conv3D of floats as a product over the pixels' pointers, like conv.c: the filter is
 * packed, pictures with channels first are turned around before and after. See conv_nd.h.
 */
#include "cpu/base/families.h"
#include "cpu/product/conv_nd.h"
#include "cpu/product/packed_weights.h"

#include <math.h>
#include <string.h>

enum { ROWS_AT_ONCE = 16, BLOCK = 32 };

typedef struct packed_call {
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

static bool pack(oribi_kit_run *run, packed_call *p)
{
    const oribi_conv_nd_call *c = &p->c;
    const oribi_gemm_variant *variant = p->gemm.variant;
    const int64_t k = c->taps * c->depth, n = c->outputs / c->groups;
    const int64_t count = oribi_weights_count(variant, c->groups, k, n);
    float *panels = room(run, count < 0 ? INT64_MAX / 8 : count, 1, 1, &p->panels);
    const int64_t width = (int64_t)sizeof(float);
    for (int64_t group = 0; panels != NULL && group < c->groups; group++) {
        const oribi_gemm_source source = {.data = (const char *)c->w + group * n * c->w_out * width,
                                          .outer = 1,
                                          .middle = c->taps,
                                          .inner = c->depth,
                                          .n = n,
                                          .middle_stride = c->w_tap * width,
                                          .inner_stride = c->w_in * width,
                                          .n_stride = c->w_out * width};
        oribi_gemm_pack(variant, &source, panels + group * oribi_gemm_packed_count(variant, k, n));
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
    const bool turns = c->in.channel != 1;
    const int64_t n_zeros = c->depth + ORIBI_GEMM_MAX_WIDTH;
    if (!pack(run, p) || (p->zeros = room(run, n_zeros, 1, 1, &p->padding)) == NULL) {
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

static void packed_compute(const oribi_conv_nd *conv, TF_OpKernelContext *context,
                           const oribi_gemm_variant *variant)
{
    oribi_kit_run run;
    packed_call p = {.gemm.variant = variant};
    bool is_empty = true;
    const int n = TF_NumInputs(context);
    if (oribi_kit_begin(&run, context, n > 3 ? 3 : n) &&
        oribi_conv_nd_take(&run, conv, &p.c, &is_empty) && !is_empty) {
        (void)multiply(&run, &p);
    }
    TF_DeleteTensor(p.panels);
    TF_DeleteTensor(p.padding);
    TF_DeleteTensor(p.image);
    TF_DeleteTensor(p.result);
    oribi_kit_end(&run);
}

#define COMPUTE(part, set)                                                                         \
    static void compute_##set(void *state, TF_OpKernelContext *context)                            \
    {                                                                                              \
        packed_compute(state, context, &oribi_gemm_##set);                                         \
    }
#define ROWS(part, set)                                                                            \
    ROW("ONNX>Conv", oribi_conv_nd_create_onnx, set), ROW("Conv3D", oribi_conv_nd_create_3d, set),
#define ROW(op, create_fn, set)                                                                    \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, ORIBI_ISA_FIELDS(set),                     \
        .create = create_fn, .compute = compute_##set, .destroy = oribi_kit_free,                  \
        .tolerance = 1e-4, .why = "packed indirect product, " #set                                 \
    }

ORIBI_ISAS_OF_gemm(COMPUTE)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_conv_nd_packed_kernels[] = {
    ORIBI_ISAS_OF_gemm(ROWS)
    {.op_name = NULL},
};
/* clang-format on */
