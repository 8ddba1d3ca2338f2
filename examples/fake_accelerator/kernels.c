/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the example device: each asks for its memory, takes the context's stream and enqueues
 * one step; none waits. Reshape shows an argument in host memory and an output that is a view.
 */
#include "fake.h"
#include "oribi/kernel_kit.h"

enum { MAX_RANK = 8 };

static void *address_of(const TF_Tensor *tensor)
{
    return fake_address(TF_TensorData(tensor));
}

/* What every kernel here ends with, when all was well so far. */
static void enqueue(oribi_kit_run *run, fake_step step, const void *arg, size_t bytes)
{
    SP_Stream stream = TF_GetStream(run->context, run->status);
    if (oribi_kit_is_ok(run)) {
        (void)fake_enqueue(stream, "launch", step, arg, bytes, run->status);
    }
}

/* --- Relu and AddV2 -------------------------------------------------------------------------- */

typedef struct elementwise {
    float *out;
    const float *x, *y;
    int64_t n, y_count; /* y begins again after y_count */
} elementwise;

static bool relu_step(void *arg, bool runs)
{
    const elementwise *e = arg;
    for (int64_t i = 0; runs && i < e->n; i++) {
        e->out[i] = e->x[i] > 0 ? e->x[i] : 0;
    }
    return runs;
}

static bool add_step(void *arg, bool runs)
{
    const elementwise *e = arg;
    for (int64_t i = 0; runs && i < e->n; i++) {
        e->out[i] = e->x[i] + e->y[i % e->y_count];
    }
    return runs;
}

/* The output has the shape of x; y has it too, or that of its last dimension. */
static bool shape_elementwise(oribi_kit_run *run, elementwise *e)
{
    int64_t dims[MAX_RANK];
    const TF_Tensor *x = run->in[0], *y = run->n_in > 1 ? run->in[1] : NULL;
    const int rank = oribi_kit_dims(run, x, dims, MAX_RANK);
    if (rank < 0) {
        return false;
    }
    if (y != NULL && TF_TensorElementCount(y) != TF_TensorElementCount(x) &&
        (rank < 1 || TF_NumDims(y) != 1 || TF_Dim(y, 0) != dims[rank - 1])) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "shapes that differ but for a vector");
    }
    *e = (elementwise){.x = address_of(x),
                       .y = y != NULL ? address_of(y) : NULL,
                       .n = TF_TensorElementCount(x),
                       .y_count = y != NULL ? TF_TensorElementCount(y) : 0};
    void *out = oribi_kit_output(run, 0, dims, rank);
    e->out = fake_address(out);
    return oribi_kit_is_ok(run);
}

static void compute_elementwise(TF_OpKernelContext *ctx, int n_inputs, fake_step step)
{
    oribi_kit_run run;
    elementwise e;
    if (oribi_kit_begin(&run, ctx, n_inputs) && shape_elementwise(&run, &e)) {
        enqueue(&run, step, &e, sizeof e);
    }
    oribi_kit_end(&run);
}

static void compute_relu(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    compute_elementwise(ctx, 1, relu_step);
}

static void compute_add(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    compute_elementwise(ctx, 2, add_step);
}

/* --- MatMul ---------------------------------------------------------------------------------- */

typedef struct product { /* strides in elements */
    float *out;
    const float *a, *b;
    int64_t m, n, k, a_row, a_column, b_row, b_column;
} product;

static bool product_step(void *arg, bool runs)
{
    const product *p = arg;
    for (int64_t i = 0; runs && i < p->m * p->n; i++) {
        const float *a = p->a + i / p->n * p->a_row;
        const float *b = p->b + i % p->n * p->b_column;
        float sum = 0;
        for (int64_t k = 0; k < p->k; k++) {
            sum += a[k * p->a_column] * b[k * p->b_row];
        }
        p->out[i] = sum;
    }
    return runs;
}

typedef struct matmul {
    bool transpose_a, transpose_b;
} matmul;

static void matmul_read(oribi_kit_setup *setup, matmul *m)
{
    oribi_kit_attr_bool(setup, "transpose_a", &m->transpose_a);
    oribi_kit_attr_bool(setup, "transpose_b", &m->transpose_b);
}
ORIBI_KIT_CREATE(matmul, matmul)

static bool matmul_run(const void *state, oribi_kit_run *run)
{
    const matmul *m = state;
    const TF_Tensor *a = run->in[0], *b = run->in[1];
    if (TF_NumDims(a) != 2 || TF_NumDims(b) != 2 ||
        TF_Dim(a, !m->transpose_a) != TF_Dim(b, m->transpose_b)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the operands are not matrices that can be multiplied");
    }
    const int64_t a_columns = TF_Dim(a, 1), b_columns = TF_Dim(b, 1);
    product p = {.a = address_of(a),
                 .b = address_of(b),
                 .m = TF_Dim(a, m->transpose_a),
                 .n = TF_Dim(b, !m->transpose_b),
                 .k = TF_Dim(a, !m->transpose_a),
                 .a_row = m->transpose_a ? 1 : a_columns,
                 .a_column = m->transpose_a ? a_columns : 1,
                 .b_row = m->transpose_b ? 1 : b_columns,
                 .b_column = m->transpose_b ? b_columns : 1};
    p.out = fake_address(oribi_kit_output(run, 0, (int64_t[]){p.m, p.n}, 2));
    if (oribi_kit_is_ok(run)) {
        enqueue(run, product_step, &p, sizeof p);
    }
    return oribi_kit_is_ok(run);
}
ORIBI_KIT_COMPUTE(matmul, 2)

/* --- Reshape --------------------------------------------------------------------------------- */

/* The shape is in host memory; the output is the input's memory under another shape. */
static bool reshape_run(const void *state, oribi_kit_run *run)
{
    int64_t dims[MAX_RANK], known = 1;
    const int64_t count = TF_TensorElementCount(run->in[0]);
    int rank = 0;
    (void)state;
    if (!oribi_kit_read_ints(run, run->in[1], "shape", dims, MAX_RANK, &rank)) {
        return false;
    }
    for (int i = 0; i < rank; i++) {
        known *= dims[i] < 0 ? 1 : dims[i];
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = dims[i] < 0 ? count / (known > 0 ? known : 1) : dims[i];
    }
    return oribi_kit_output_alias(run, 0, dims, rank);
}
ORIBI_KIT_COMPUTE(reshape, 2)

/* --- Registration ---------------------------------------------------------------------------- */

#define FLOATS                                                                                     \
    {                                                                                              \
        "T", ORIBI_KIT_TYPE(TF_FLOAT)                                                              \
    }
static const oribi_kit_kernel kernels[] = {
    {.op = "Relu", .device = "FAKE", .types = {FLOATS}, .compute = compute_relu},
    {.op = "AddV2", .device = "FAKE", .types = {FLOATS}, .compute = compute_add},
    {.op = "MatMul",
     .device = "FAKE",
     .types = {FLOATS},
     .create = matmul_create,
     .compute = matmul_compute,
     .destroy = oribi_kit_free},
    {.op = "Reshape",
     .device = "FAKE",
     .types = {FLOATS, {"Tshape", ORIBI_KIT_TYPE(TF_INT32)}},
     .host = {"shape"},
     .compute = reshape_compute},
};

__attribute__((visibility("default"))) void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        oribi_kit_register(&kernels[i], status);
    }
    TF_DeleteStatus(status);
}
