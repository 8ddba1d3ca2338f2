/* SPDX-License-Identifier: Apache-2.0 */
/* MatMul, BatchMatMulV2 and their fused forms, float32: constant right sides are packed once,
 * others by the call. At batch 1 a dense layer is as fast as its weights can be read. What they
 * mean is in matmul_reference.c; the product is gemm.h.
 */
#include "cpu/product/matmul.h"
#include "cpu/base/families.h"
#include "cpu/product/packed_weights.h"

#include <stdlib.h>
#include <string.h>

typedef struct matmul_state {
    const oribi_gemm_variant *variant;
    oribi_matmul_attrs attrs;
    oribi_epilogue epilogue;
    bool packed;
    int64_t k, n;        /* of the packed right side */
    const float *panels; /* the host's */
} matmul_state;

typedef struct matmul_call {
    oribi_matmul_shapes shapes;
    oribi_weights_view right;
    const matmul_state *state;
    const float *left, *panels;
    float *out, *workers; /* workers: scratch panels, one matrix for each worker */
    int64_t left_stride, packed_count;
    oribi_gemm_lines rows;
    oribi_gemm gemm;
    oribi_gemm_plan plan;
    TF_Tensor *scratch, *turned;
} matmul_call;

/* The right side as k x n, whichever way it lies. */
static oribi_gemm_source right_source(const oribi_weights_view *view, bool transposed)
{
    const int k_axis = view->dims.n - 2 + (transposed ? 1 : 0);
    const int n_axis = view->dims.n - 2 + (transposed ? 0 : 1);
    return (oribi_gemm_source){.data = view->data,
                               .outer = 1,
                               .middle = 1,
                               .inner = view->dims.at[k_axis],
                               .n = view->dims.at[n_axis],
                               .inner_stride = view->strides.at[k_axis],
                               .n_stride = view->strides.at[n_axis]};
}

typedef struct filling {
    const oribi_gemm_variant *variant;
    oribi_gemm_source source;
} filling;

static void fill_panels(void *arg, float *to)
{
    const filling *f = arg;
    oribi_gemm_pack(f->variant, &f->source, to);
}

static void pack_constant(oribi_kit_setup *setup, matmul_state *state)
{
    oribi_weights_view view;
    if (!oribi_weights_constant(setup, 1, 2, &view)) {
        return;
    }
    oribi_weights_reader reader = {setup->construction, 1};
    oribi_gemm_source source = right_source(&view, state->attrs.transpose_b);
    source.done = oribi_weights_read;
    source.done_arg = &reader;
    filling f = {state->variant, source};
    const oribi_weights_packing packing = {
        .inputs = 1U << 1,
        .count = oribi_weights_count(state->variant, 1, source.inner, source.n),
        .fill = fill_panels,
        .arg = &f};
    state->panels = oribi_weights_pack(setup, &packing, "matrix.1 width %d turned %d",
                                       (int)state->variant->width, (int)state->attrs.transpose_b);
    if (state->panels != NULL) {
        state->k = source.inner;
        state->n = source.n;
        state->packed = true;
        TF_OpKernelConstruction_ReleaseConstant(setup->construction, 1);
    }
}

static void *matmul_create(TF_OpKernelConstruction *construction, oribi_cpu_isa isa,
                           const oribi_gemm_variant *variant)
{
    oribi_kit_setup setup;
    matmul_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        state->variant = variant;
        oribi_matmul_attrs_read(&setup, &state->attrs);
        oribi_epilogue_read(&setup, isa, &state->epilogue);
        pack_constant(&setup, state);
    }
    return oribi_kit_setup_end(&setup);
}

static void matmul_destroy(void *arg)
{
    matmul_state *state = arg;
    if (state != NULL) {
        free(state);
    }
}

/* a[k, m] of each batch to a[m, k], so that rows are contiguous. */
static bool turn_left(oribi_kit_run *run, matmul_call *call)
{
    const oribi_matmul_shapes *shapes = &call->shapes;
    const int64_t matrix = shapes->m * shapes->k;
    int64_t bytes = 0;
    if (__builtin_mul_overflow(matrix * (int64_t)sizeof(float), shapes->left_batches, &bytes)) {
        bytes = INT64_MAX;
    }
    float *to = oribi_kit_scratch(run, bytes, &call->turned);
    if (to == NULL) {
        return false;
    }
    for (int64_t batch = 0; batch < shapes->left_batches; batch++) {
        const float *from = call->left + batch * matrix;
        for (int64_t row = 0; row < shapes->m; row++) {
            for (int64_t k = 0; k < shapes->k; k++) {
                to[batch * matrix + row * shapes->k + k] = from[k * shapes->m + row];
            }
        }
    }
    call->left = to;
    return true;
}

static void run_units(void *object, int64_t begin, int64_t end)
{
    const matmul_call *call = object;
    oribi_gemm_run(&call->gemm, &call->plan, begin, end);
}

/* One matrix of a batch with the worker's own scratch. */
static void run_batches(void *object, int64_t begin, int64_t end, int worker)
{
    const matmul_call *call = object;
    const oribi_matmul_shapes *shapes = &call->shapes;
    for (int64_t batch = begin; batch < end; batch++) {
        const int64_t left = oribi_matmul_batch(shapes, &shapes->left_strides, batch);
        const int64_t right = oribi_matmul_batch(shapes, &shapes->right_strides, batch);
        oribi_gemm_lines rows = {call->left + left * shapes->m * shapes->k, shapes->k};
        oribi_gemm gemm = call->gemm;
        gemm.rows_arg = &rows;
        gemm.c = call->out + batch * shapes->m * shapes->n;
        if (gemm.residual != NULL) {
            gemm.residual += batch * shapes->m * shapes->n;
        }
        if (!call->state->packed) {
            oribi_gemm_source source = right_source(&call->right, call->state->attrs.transpose_b);
            float *panels = call->workers + worker * call->packed_count;
            source.data += right * shapes->k * shapes->n * (int64_t)sizeof(float);
            oribi_gemm_pack(gemm.variant, &source, panels);
            gemm.panels = panels;
        }
        oribi_gemm_run(&gemm, &call->plan, 0, call->plan.units);
    }
}

/* Scratch for the packed right side: one matrix for each worker that may pack. */
static bool take_panels(oribi_kit_run *run, matmul_call *call)
{
    const oribi_matmul_shapes *shapes = &call->shapes;
    const int64_t workers = shapes->batches > 1 ? TF_ThreadPool_NumThreads(run->context) : 1;
    const int64_t count = oribi_weights_count(call->state->variant, 1, shapes->k, shapes->n);
    int64_t bytes = 0;
    call->gemm.panels = call->state->panels;
    if (call->state->packed) {
        return true;
    }
    /* Whole cache lines, so that each worker's panels are aligned. */
    if (!oribi_count_round_up(count, 16, &call->packed_count) ||
        __builtin_mul_overflow(call->packed_count * (int64_t)sizeof(float), workers, &bytes)) {
        bytes = INT64_MAX;
    }
    call->workers = oribi_kit_scratch(run, bytes, &call->scratch);
    return call->workers != NULL;
}

static void fill_gemm(oribi_kit_run *run, matmul_call *call, const oribi_epilogue_args *args)
{
    const matmul_state *state = call->state;
    const oribi_matmul_shapes *shapes = &call->shapes;
    oribi_gemm *gemm = &call->gemm;
    gemm->variant = state->variant;
    gemm->groups = gemm->n_taps = 1;
    gemm->m = shapes->m;
    gemm->n = gemm->c_stride = gemm->residual_stride = shapes->n;
    gemm->depth = shapes->k;
    gemm->pairs = oribi_gemm_pairs(gemm->variant, shapes->k, shapes->n);
    gemm->rows = oribi_gemm_lines_fill;
    gemm->rows_arg = &call->rows;
    gemm->c = call->out;
    oribi_epilogue_apply(&state->epilogue, args, gemm);
    oribi_gemm_plan_make(gemm, shapes->batches > 1 ? 1 : TF_ThreadPool_NumThreads(run->context),
                         &call->plan);
}

static bool matmul_run(const matmul_state *state, oribi_kit_run *run, matmul_call *call)
{
    oribi_epilogue_args args;
    oribi_matmul_shapes *shapes = &call->shapes;
    const int64_t packed[2] = {state->k, state->n};
    call->state = state;
    if (!oribi_matmul_shapes_take(run, &state->attrs, state->packed ? packed : NULL, shapes) ||
        !oribi_epilogue_args_take(run, &state->epilogue, shapes->out.at, shapes->out.n, &args)) {
        return false;
    }
    call->out = oribi_kit_output(run, 0, shapes->out.at, shapes->out.n);
    if (call->out == NULL || oribi_cpu_product(shapes->out.at, shapes->out.n) == 0) {
        return call->out != NULL;
    }
    call->left = TF_TensorData(run->in[0]);
    if (state->packed && !state->attrs.transpose_a) { /* all matrices are rows of one */
        shapes->m *= shapes->batches;
        shapes->batches = shapes->left_batches = 1;
    }
    if (!state->packed) {
        const int64_t k_n[2] = {shapes->k, shapes->n}, n_k[2] = {shapes->n, shapes->k};
        const int64_t *dims = state->attrs.transpose_b ? n_k : k_n;
        call->right = (oribi_weights_view){.data = TF_TensorData(run->in[1]),
                                           .dims = {2, {dims[0], dims[1]}},
                                           .strides = {2, {dims[1] * 4, 4}}};
    }
    if ((state->attrs.transpose_a && !turn_left(run, call)) || !take_panels(run, call)) {
        return false;
    }
    call->rows = (oribi_gemm_lines){call->left, shapes->k};
    fill_gemm(run, call, &args);
    if (shapes->batches > 1) {
        const TF_WorkerRangeCallable callable = {call, run_batches, NULL};
        TF_ThreadPool_ParallelForWithWorkerId(
            run->context, shapes->batches, call->plan.units * call->plan.unit_cost + 100, callable);
        return true;
    }
    if (!state->packed) {
        const oribi_gemm_source source = right_source(&call->right, state->attrs.transpose_b);
        oribi_gemm_pack(state->variant, &source, call->workers);
        call->gemm.panels = call->workers;
    }
    oribi_kit_parallel(run, call->plan.units, call->plan.unit_cost, call, run_units);
    return true;
}

static void matmul_compute(void *arg, TF_OpKernelContext *context)
{
    const matmul_state *state = arg;
    matmul_call call = {.scratch = NULL};
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, state->packed ? 1 : 2)) {
        (void)matmul_run(state, &run, &call);
    }
    TF_DeleteTensor(call.scratch);
    TF_DeleteTensor(call.turned);
    oribi_kit_end(&run);
}

#define CREATE(part, set)                                                                          \
    static void *create_##set(TF_OpKernelConstruction *construction)                               \
    {                                                                                              \
        return matmul_create(construction, ORIBI_ISA_##set, &oribi_gemm_##set);                    \
    }
#define ROW(op, set)                                                                               \
    ORIBI_CPU_ISA_ROW(op, set, matmul, "packed product, " #set, ORIBI_CPU_OF(TF_FLOAT),            \
                      .create = create_##set, .destroy = matmul_destroy, .tolerance = 1e-4f)
#define ROWS(part, set)                                                                            \
    ROW("MatMul", set), ROW("_FusedMatMul", set), ROW("BatchMatMulV2", set),                       \
        ROW("Oribi>FusedBatchMatMul", set),

ORIBI_ISAS_OF_gemm(CREATE)

    /* clang-format off */
const oribi_cpu_kernel oribi_cpu_matmul_kernels[] = {
    ORIBI_ISAS_OF_gemm(ROWS)
    {.op_name = NULL},
};
/* clang-format on */
