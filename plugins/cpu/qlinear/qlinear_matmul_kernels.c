/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearMatMul by micro/'s kernel. qlinear_matmul_loops.h is faster. */
#include "cpu/base/families.h"
#include "cpu/qlinear/qlinear_product.h"

#include "micro/broadcast_prepare.h"

void oribi_qlinear_matmul_read(oribi_kit_setup *setup, oribi_qlinear_matmul_state *state)
{
    struct oribi_micro_qlinear_matmul_args *a = &state->args;
    TF_DataType left = TF_INT8, right = TF_INT8;
    oribi_kit_attr_type(setup, "Ta", &left);
    oribi_kit_attr_type(setup, "Tb", &right);
    oribi_kit_attr_type(setup, "Ty", &state->output);
    oribi_qlinear_zero(setup, "output_zero", &a->output_zero);
    oribi_qlinear_bounds(setup, state->output == TF_INT8, &a->low, &a->high);
    a->a_signed = left == TF_INT8 ? 1 : 0;
    a->b_signed = right == TF_INT8 ? 1 : 0;
    a->output = oribi_qlinear_output(state->output);
}
/* The parameters of input `index`: one, or `whole` of them. */
static bool read_step(oribi_kit_run *run, int index, int64_t whole, int32_t *out_step)
{
    const int64_t count = TF_TensorElementCount(run->in[index]);
    if (count != 1 && count != whole) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d has %lld values, not 1 or %lld",
                              index, (long long)count, (long long)whole);
    }
    *out_step = count == 1 ? 0 : 1;
    return true;
}

static bool resolve(oribi_kit_run *run, struct oribi_micro_qlinear_matmul_args *args,
                    oribi_cpu_shape *y)
{
    oribi_quantized_operands in;
    if (!oribi_quantized_operands_take(run, 2, &in)) {
        return false;
    }
    const oribi_sizes *a = &in.a, *b = &in.b;
    args->rows = a->at[a->n - 2];
    args->inner = a->at[a->n - 1];
    args->columns = b->at[b->n - 1];
    if (b->at[b->n - 2] != args->inner) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the first matrix has %d columns, but the second has %d rows",
                              args->inner, b->at[b->n - 2]);
    }
    *y = in.y;
    y->at[y->n++] = args->rows;
    y->at[y->n++] = args->columns;
    int64_t count = 0;
    if (!oribi_cpu_count(run, y->at, y->n, &count)) {
        return false;
    }
    if (count > INT32_MAX / 4 || TF_TensorElementCount(run->in[0]) > INT32_MAX ||
        TF_TensorElementCount(run->in[1]) > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a matrix has 2^31 bytes or more");
    }
    return count == 0 ||
           oribi_quantized_check(
               run, oribi_micro_broadcast_resolve(a->at, a->n - 2, b->at, b->n - 2, &args->batch));
}

/* A unit is one row of one product. */
static void matmul_rows(void *object, int64_t begin, int64_t end)
{
    const oribi_qlinear_matmul_call *call = object;
    const struct oribi_micro_qlinear_matmul_args *whole = &call->args;
    for (int64_t unit = begin; unit < end; unit++) {
        struct oribi_micro_qlinear_matmul_args args = *whole;
        const int64_t y = unit % whole->rows;
        int64_t a = 0, b = 0;
        oribi_quantized_matrices(&whole->batch, unit / whole->rows, &a, &b);
        args.batch = (struct oribi_micro_broadcast){1, {1}, {0}, {0}};
        args.rows = 1;
        oribi_micro_qlinear_matmul(
            &args, call->a + (a * whole->rows + y) * whole->inner,
            call->b + b * whole->inner * whole->columns, call->a_zeros + y * whole->a_zero_step,
            call->b_zeros, call->multipliers, call->output + unit * whole->columns * call->width);
    }
}

bool oribi_qlinear_matmul_begin(const oribi_qlinear_matmul_state *state, oribi_kit_run *run,
                                oribi_qlinear_matmul_call *out)
{
    struct oribi_micro_qlinear_matmul_args args = state->args;
    oribi_cpu_shape y;
    if (!resolve(run, &args, &y) || !read_step(run, 2, args.rows, &args.a_zero_step) ||
        !read_step(run, 3, args.columns, &args.b_zero_step) ||
        !read_step(run, 4, args.columns, &args.multiplier_step) || !oribi_qlinear_zeros(run, 2) ||
        !oribi_qlinear_zeros(run, 3)) {
        return false;
    }
    void *output = oribi_kit_output(run, 0, y.at, y.n);
    if (output == NULL) {
        return false;
    }
    const int64_t count = oribi_cpu_product(y.at, y.n);
    *out = (oribi_qlinear_matmul_call){
        .args = args,
        .a = TF_TensorData(run->in[0]),
        .b = TF_TensorData(run->in[1]),
        .a_zeros = TF_TensorData(run->in[2]),
        .b_zeros = TF_TensorData(run->in[3]),
        .multipliers = TF_TensorData(run->in[4]),
        .output = output,
        .width = (int64_t)TF_DataTypeSize(TF_ExpectedOutputDataType(run->context, 0)),
        .matrices = count == 0 ? 0 : count / args.rows / args.columns};
    return true;
}

static void matmul_read(oribi_kit_setup *setup, oribi_qlinear_matmul_state *state)
{
    oribi_qlinear_matmul_read(setup, state);
}
ORIBI_KIT_CREATE(matmul, oribi_qlinear_matmul_state)

static bool matmul_run(const oribi_qlinear_matmul_state *state, oribi_kit_run *run)
{
    oribi_qlinear_matmul_call call;
    if (!oribi_qlinear_matmul_begin(state, run, &call)) {
        return false;
    }
    oribi_kit_parallel(run, call.matrices * call.args.rows,
                       (int64_t)call.args.columns * call.args.inner, &call, matmul_rows);
    return true;
}
ORIBI_KIT_COMPUTE(matmul, 5)

const oribi_cpu_kernel oribi_cpu_qlinear_matmul_kernels[] = {
    ORIBI_QUANTIZED_ROW("ONNX>QLinearMatMul", matmul, matmul, {"Ta", ORIBI_QUANTIZED_BYTES},
                        {"Tb", ORIBI_QUANTIZED_BYTES}),
    {.op_name = NULL},
};
