/* SPDX-License-Identifier: Apache-2.0 */
/* What the matrix products mean: MatMul, _FusedMatMul and BatchMatMulV2 as plain loops with double
 * sums, and the shapes that they share with matmul.c. See matmul.h.
 */
#include "cpu/product/matmul.h"
#include "cpu/base/families.h"

void oribi_matmul_attrs_read(oribi_kit_setup *setup, oribi_matmul_attrs *out)
{
    if (setup->state == NULL || TF_GetCode(setup->status) != TF_OK) {
        return;
    }
    const bool plain =
        TF_OpKernelConstruction_HasAttr(setup->construction, "transpose_a", setup->status);
    oribi_kit_attr_bool(setup, plain ? "transpose_a" : "adj_x", &out->transpose_a);
    oribi_kit_attr_bool(setup, plain ? "transpose_b" : "adj_y", &out->transpose_b);
}

/* Batch dims broadcast; matrices are counted in whole matrices. */
static bool take_batches(oribi_kit_run *run, oribi_cpu_shape left, oribi_cpu_shape right,
                         oribi_matmul_shapes *out)
{
    oribi_cpu_shape batches;
    left.n -= 2;
    right.n -= 2;
    if (!oribi_cpu_broadcast(run, &left, &right, &batches)) {
        return false;
    }
    out->left_batches = oribi_cpu_product(left.at, left.n);
    out->right_batches = oribi_cpu_product(right.at, right.n);
    oribi_cpu_broadcast_strides(&left, &batches, &out->left_strides);
    oribi_cpu_broadcast_strides(&right, &batches, &out->right_strides);
    out->out = batches;
    if (!oribi_dims_add(&out->out, out->m) || !oribi_dims_add(&out->out, out->n)) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED, "the product's rank is above %d",
                              ORIBI_MAX_RANK);
    }
    return oribi_cpu_count(run, batches.at, batches.n, &out->batches);
}

bool oribi_matmul_shapes_take(oribi_kit_run *run, const oribi_matmul_attrs *attrs,
                              const int64_t *packed, oribi_matmul_shapes *out)
{
    oribi_cpu_shape left, right = {.n = 2};
    if (!oribi_cpu_input_shape(run, 0, &left) ||
        (packed == NULL && !oribi_cpu_input_shape(run, 1, &right))) {
        return false;
    }
    if (left.n < 2 || right.n < 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "a matrix product needs inputs of rank 2 or more, not %d and %d",
                              left.n, right.n);
    }
    const int64_t *a = left.at + left.n - 2, *b = right.at + right.n - 2;
    out->m = a[attrs->transpose_a ? 1 : 0];
    out->k = a[attrs->transpose_a ? 0 : 1];
    out->n = packed != NULL ? packed[1] : b[attrs->transpose_b ? 0 : 1];
    const int64_t k = packed != NULL ? packed[0] : b[attrs->transpose_b ? 1 : 0];
    if (out->k != k) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the inner dims of a matrix product differ: %lld and %lld",
                              (long long)out->k, (long long)k);
    }
    return take_batches(run, left, right, out);
}

int64_t oribi_matmul_batch(const oribi_matmul_shapes *shapes, const oribi_dims *strides,
                           int64_t batch)
{
    int64_t index = 0;
    for (int i = strides->n - 1; i >= 0; i--) {
        index += batch % shapes->out.at[i] * strides->at[i];
        batch /= shapes->out.at[i];
    }
    return index;
}

typedef struct reference_state {
    oribi_matmul_attrs attrs;
    oribi_epilogue epilogue;
} reference_state;

static void reference_read(oribi_kit_setup *setup, reference_state *state)
{
    oribi_matmul_attrs_read(setup, &state->attrs);
    oribi_epilogue_read(setup, ORIBI_ISA_any, &state->epilogue);
}
ORIBI_KIT_CREATE(reference, reference_state)

static bool matmul_reference_run(const void *arg, oribi_kit_run *run)
{
    const reference_state *state = arg;
    oribi_matmul_shapes s;
    oribi_epilogue_args args;
    if (!oribi_matmul_shapes_take(run, &state->attrs, NULL, &s) ||
        !oribi_epilogue_args_take(run, &state->epilogue, s.out.at, s.out.n, &args)) {
        return false;
    }
    const float *left = TF_TensorData(run->in[0]), *right = TF_TensorData(run->in[1]);
    float *out = oribi_kit_output(run, 0, s.out.at, s.out.n);
    const int64_t count = oribi_cpu_product(s.out.at, s.out.n);
    for (int64_t i = 0, patience = 0; out != NULL && i < count; i++) {
        if (oribi_kit_stops(run, &patience, s.k)) {
            return false;
        }
        const int64_t batch = i / (s.m * s.n), row = i / s.n % s.m, column = i % s.n;
        const float *a = left + oribi_matmul_batch(&s, &s.left_strides, batch) * s.m * s.k;
        const float *b = right + oribi_matmul_batch(&s, &s.right_strides, batch) * s.k * s.n;
        double sum = 0.0;
        for (int64_t k = 0; k < s.k; k++) {
            const float x = state->attrs.transpose_a ? a[k * s.m + row] : a[row * s.k + k];
            const float y = state->attrs.transpose_b ? b[column * s.k + k] : b[k * s.n + column];
            sum += (double)x * (double)y;
        }
        sum += args.bias != NULL ? (double)args.bias[column] : 0.0;
        sum += args.residual != NULL ? (double)args.residual[i] : 0.0;
        out[i] = oribi_epilogue_value(&args, sum, column);
    }
    return out != NULL;
}

ORIBI_KIT_COMPUTE(matmul_reference, 2)

#define ROW(op)                                                                                    \
    ORIBI_CPU_STATE_ROW(op, reference, matmul_reference, "plain loops, double sums",               \
                        ORIBI_CPU_OF(TF_FLOAT))
const oribi_cpu_kernel oribi_cpu_matmul_reference_kernels[] = {ROW("MatMul"),
                                                               ROW("_FusedMatMul"),
                                                               ROW("BatchMatMulV2"),
                                                               ROW("Oribi>FusedBatchMatMul"),
                                                               {.op_name = NULL}};
