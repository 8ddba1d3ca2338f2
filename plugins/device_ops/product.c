/* SPDX-License-Identifier: Apache-2.0 */
/* MatMul, _FusedMatMul, BatchMatMulV2: by the device's own products (the slot `gemm`: cuBLAS and
 * the like) where its plugin has some, else by code/ (device_tile.c).
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "device_ops/fused.h"
#include "device_ops/device_tile.h"
#include "micro/geometry/geometry_walk.h"

typedef struct product_attrs {
    bool transpose_x, transpose_y;
    bool is_batched;
    fused_words words;
    atomic_bool has_no_gemm; /* the plugin said so */
} product_attrs;

static bool has_epilogue(const fused_words *words)
{
    return words->has_bias || words->activation != OP_NO_ACTIVATION;
}

/* --- One product ----------------------------------------------------------------------------- */

static void launch_tile(op_kernel *kernel, op_request *r, const TF_Gemm *g,
                        const fused_words *words)
{
    op_tile t;
    bool is_swapped = false, is_dots = false;
    if (!tile_of_gemm(g, op_has_vectors(r), &t, &is_swapped, &is_dots, r->run.status)) {
        return;
    }
    if (words != NULL) {
        t.has_bias = words->has_bias;
        t.activation = words->activation;
        t.slope = words->alpha;
    }
    const TF_LaunchArg out = {.kind = TF_LAUNCH_MEMORY, .value = g->c};
    const TF_LaunchArg memories[5] = {out,
                                      {.kind = TF_LAUNCH_MEMORY, .value = is_swapped ? g->b : g->a},
                                      {.kind = TF_LAUNCH_MEMORY, .value = is_swapped ? g->a : g->b},
                                      r->bias != NULL ? op_memory(r->bias) : out,
                                      out};
    tile_enqueue(kernel, r, &t, is_dots, memories);
}

static void launch_epilogue(op_kernel *kernel, op_request *r, const fused_words *words,
                            int64_t columns)
{
    const op_bias b = {.n = (int)TF_TensorElementCount(r->out),
                       .columns = (int)columns,
                       .has_bias = words->has_bias,
                       .activation = words->activation,
                       .alpha = words->alpha};
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(words->has_bias ? r->bias : r->out),
                                 op_value(&b, sizeof b)};
    op_enqueue(kernel, r, b.n, 1, args, 3);
}

/* The plugin's product; false, with nothing said, where it has none for these. */
static bool launch_gemm(product_attrs *own, op_request *r, const TF_Gemm *g)
{
    if (atomic_load(&own->has_no_gemm)) {
        return false;
    }
    TF_LaunchGemm(r->run.context, g, r->run.status);
    if (TF_GetCode(r->run.status) != TF_UNIMPLEMENTED) {
        return true;
    }
    atomic_store(&own->has_no_gemm, true);
    TF_SetStatus(r->run.status, TF_OK, "");
    return false;
}

static void launch_product(op_kernel *kernel, op_request *r, const TF_Gemm *g)
{
    product_attrs *own = kernel->attrs;
    /* Tiles end with bias and activation, unless they make the transpose of the result. */
    const bool is_fused = has_epilogue(&own->words);
    const bool is_one = is_fused && op_has_vectors(r) && !(g->transpose_a && g->transpose_b);
    if (is_one || !launch_gemm(own, r, g)) {
        launch_tile(kernel, r, g, is_one ? &own->words : NULL);
    }
    if (is_fused && !is_one && op_is_ok(r)) {
        launch_epilogue(kernel, r, &own->words, g->n);
    }
}

/* --- Shapes ---------------------------------------------------------------------------------- */

typedef struct shapes { /* leading dimensions of x, y and the result, aligned at the end */
    oribi_dims outer, x_step, y_step; /* of one length */
    TF_Gemm gemm;
} shapes;

static int64_t dim_from_end(const TF_Tensor *tensor, int i)
{
    return i < TF_NumDims(tensor) ? TF_Dim(tensor, TF_NumDims(tensor) - 1 - i) : 1;
}

static bool read_shapes(op_request *r, const product_attrs *own, shapes *s)
{
    const int x_rank = TF_NumDims(r->x), y_rank = TF_NumDims(r->y);
    const int64_t x[2] = {dim_from_end(r->x, 1), dim_from_end(r->x, 0)};
    const int64_t y[2] = {dim_from_end(r->y, 1), dim_from_end(r->y, 0)};
    const int n_outer = (x_rank > y_rank ? x_rank : y_rank) - 2;
    *s = (shapes){0};
    if (x_rank < 2 || y_rank < 2 || (!own->is_batched && (x_rank > 2 || y_rank > 2)) ||
        y[own->transpose_y != 0] != x[own->transpose_x == 0]) {
        return op_refuse(r, TF_INVALID_ARGUMENT,
                         "the operands are not matrices that can be multiplied");
    }
    oribi_dims x_dims, y_dims;
    if (!op_dims(r, r->x, &x_dims) || !op_dims(r, r->y, &y_dims)) {
        return false;
    }
    if (!oribi_geometry_broadcast(x_dims.at, x_rank - 2, y_dims.at, y_rank - 2, s->outer.at)) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "the leading dimensions do not broadcast");
    }
    s->outer.n = s->x_step.n = s->y_step.n = n_outer;
    oribi_geometry_broadcast_steps(x_dims.at, x_rank - 2, n_outer, s->x_step.at);
    oribi_geometry_broadcast_steps(y_dims.at, y_rank - 2, n_outer, s->y_step.at);
    s->gemm = (TF_Gemm){.struct_size = TF_GEMM_STRUCT_SIZE,
                        .dtype = TF_FLOAT,
                        .transpose_a = own->transpose_x,
                        .transpose_b = own->transpose_y,
                        .m = x[own->transpose_x != 0],
                        .n = y[own->transpose_y == 0],
                        .k = x[own->transpose_x == 0],
                        .alpha = 1.0,
                        .lda = x[1],
                        .ldb = y[1],
                        .batch = 1,
                        .stride_a = x[0] * x[1],
                        .stride_b = y[0] * y[1]};
    s->gemm.ldc = s->gemm.n;
    s->gemm.stride_c = s->gemm.m * s->gemm.n;
    return true;
}

/* Leading dimensions whose steps follow one another become one: the last of them is the batch of a
 * launch. */
static void merge_outer(shapes *s)
{
    int n = 0;
    for (int i = 0; i < s->outer.n; i++) {
        if (n > 0 && s->x_step.at[n - 1] == s->x_step.at[i] * s->outer.at[i] &&
            s->y_step.at[n - 1] == s->y_step.at[i] * s->outer.at[i]) {
            s->outer.at[n - 1] *= s->outer.at[i];
            s->x_step.at[n - 1] = s->x_step.at[i];
            s->y_step.at[n - 1] = s->y_step.at[i];
        } else if (s->outer.at[i] != 1) {
            s->outer.at[n] = s->outer.at[i];
            s->x_step.at[n] = s->x_step.at[i];
            s->y_step.at[n++] = s->y_step.at[i];
        }
    }
    s->outer.n = s->x_step.n = s->y_step.n = n;
    if (n == 1 && s->y_step.at[0] == 0 && s->x_step.at[0] == 1 && !s->gemm.transpose_a) {
        s->gemm.m *= s->outer.at[0]; /* all rows meet the same matrix */
        s->outer.n = s->x_step.n = s->y_step.n = 0;
    } else if (n > 0) {
        s->gemm.batch = s->outer.at[n - 1];
        s->gemm.stride_a *= s->x_step.at[n - 1];
        s->gemm.stride_b *= s->y_step.at[n - 1];
    }
}

/* --- Ops ------------------------------------------------------------------------------------- */

static void launch_all(op_kernel *kernel, op_request *r, shapes *s)
{
    const int64_t x_matrix = s->gemm.stride_a, y_matrix = s->gemm.stride_b;
    int64_t n_launches = 1;
    merge_outer(s);
    for (int i = 0; i < s->outer.n - 1; i++) {
        n_launches *= s->outer.at[i];
    }
    const float *x = TF_TensorData(r->x), *y = TF_TensorData(r->y);
    float *z = TF_TensorData(r->out);
    for (int64_t i = 0; i < n_launches && op_is_ok(r); i++) {
        int64_t x_at = 0, y_at = 0, rest = i;
        for (int k = s->outer.n - 2; k >= 0; k--) {
            x_at += rest % s->outer.at[k] * s->x_step.at[k];
            y_at += rest % s->outer.at[k] * s->y_step.at[k];
            rest /= s->outer.at[k];
        }
        TF_Gemm g = s->gemm;
        g.a = x + x_at * x_matrix;
        g.b = y + y_at * y_matrix;
        g.c = z + i * g.batch * g.stride_c;
        launch_product(kernel, r, &g);
    }
}

static void compute_product(void *kernel, TF_OpKernelContext *ctx)
{
    product_attrs *own = ((op_kernel *)kernel)->attrs;
    op_request r;
    shapes s;
    if (op_open(&r, ctx, 2) && read_shapes(&r, own, &s)) {
        oribi_dims dims = s.outer;
        if (oribi_dims_add(&dims, s.gemm.m) && oribi_dims_add(&dims, s.gemm.n) &&
            op_output(&r, &dims) && fused_open(&r, &own->words, s.gemm.n) &&
            TF_TensorElementCount(r.out) > 0) {
            launch_all(kernel, &r, &s);
        }
    }
    op_close(&r);
}

static void *create_product(TF_OpKernelConstruction *c, const char *transpose_x,
                            const char *transpose_y, bool is_fused)
{
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "epilogue", "op_epilogue", sizeof(product_attrs));
    if (kernel != NULL) {
        product_attrs *own = kernel->attrs;
        own->is_batched = transpose_x[0] != 't';
        oribi_kit_attr_bool(&setup, transpose_x, &own->transpose_x);
        oribi_kit_attr_bool(&setup, transpose_y, &own->transpose_y);
        if (is_fused) {
            fused_read(&setup, &own->words);
        }
        if (own->words.has_residual) {
            (void)oribi_kit_setup_fail(&setup, TF_UNIMPLEMENTED,
                                       "_FusedMatMul cannot fuse Add on devices");
        }
    }
    return oribi_kit_setup_end(&setup);
}

static void *create_matmul(TF_OpKernelConstruction *c)
{
    return create_product(c, "transpose_a", "transpose_b", false);
}

static void *create_fused_matmul(TF_OpKernelConstruction *c)
{
    return create_product(c, "transpose_a", "transpose_b", true);
}

static void *create_batch_matmul(TF_OpKernelConstruction *c)
{
    return create_product(c, "adj_x", "adj_y", false);
}

static const op_entry entries[] = {
    {"MatMul", "tile_shared", create_matmul, compute_product, {NULL}},
    {"_FusedMatMul", "tile_shared", create_fused_matmul, compute_product, {NULL}},
    {"BatchMatMulV2", "tile_shared", create_batch_matmul, compute_product, {NULL}},
};
const op_table op_product_table = {entries, sizeof entries / sizeof *entries};
