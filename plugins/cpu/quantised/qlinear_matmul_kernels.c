/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearMatMul by micro/'s kernel. Faster: qlinear_matmul_loops.h. */
#include "cpu/base/families.h"
#include "cpu/quantised/qlinear_product.h"

#include "micro/broadcast_prepare.h"

typedef struct matmul_state {
    struct oribi_micro_qlinear_matmul_args args; /* sizes unset */
    TF_DataType output;
} matmul_state;

static void matmul_read(oribi_kit_setup *setup, matmul_state *state)
{
    struct oribi_micro_qlinear_matmul_args *a = &state->args;
    TF_DataType left = TF_INT8, right = TF_INT8;
    int64_t zero = 0;
    oribi_kit_attr_type(setup, "Ta", &left);
    oribi_kit_attr_type(setup, "Tb", &right);
    oribi_kit_attr_type(setup, "Ty", &state->output);
    oribi_kit_attr_int(setup, "output_zero", &zero);
    oribi_qlinear_bounds(setup, state->output == TF_INT8, &a->low, &a->high);
    a->a_signed = left == TF_INT8 ? 1 : 0;
    a->b_signed = right == TF_INT8 ? 1 : 0;
    a->output = oribi_qlinear_output(state->output);
    if (oribi_kit_setup_is_ok(setup) && (zero < INT8_MIN || zero > UINT8_MAX)) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "zero point %lld must be a value of 8 bits", (long long)zero);
    }
    a->output_zero = (int32_t)zero;
}
ORIBI_KIT_CREATE(matmul, matmul_state)

void *oribi_qlinear_matmul_create(TF_OpKernelConstruction *construction)
{
    return matmul_create(construction);
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

static bool check_zeros(oribi_kit_run *run, int index)
{
    const int32_t *zeros = TF_TensorData(run->in[index]);
    for (int64_t i = 0; i < TF_TensorElementCount(run->in[index]); i++) {
        if (zeros[i] < INT8_MIN || zeros[i] > UINT8_MAX) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "zero point %d of input %d must be a value of 8 bits",
                                  (int)zeros[i], index);
        }
    }
    return true;
}

static bool resolve(oribi_kit_run *run, struct oribi_micro_qlinear_matmul_args *args,
                    oribi_cpu_shape *y)
{
    enum { RANK = ORIBI_MICRO_BROADCAST_RANK + 2 };
    oribi_sizes a, b;
    oribi_cpu_shape left, right;
    if (!oribi_quantized_sizes(run, 0, 2, RANK, &a) ||
        !oribi_quantized_sizes(run, 1, 2, RANK, &b) || !oribi_cpu_input_shape(run, 0, &left) ||
        !oribi_cpu_input_shape(run, 1, &right)) {
        return false;
    }
    args->rows = a.at[a.n - 2];
    args->inner = a.at[a.n - 1];
    args->columns = b.at[b.n - 1];
    if (b.at[b.n - 2] != args->inner) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the first matrix has %d columns, but the second has %d rows",
                              args->inner, b.at[b.n - 2]);
    }
    left.n -= 2;
    right.n -= 2;
    if (!oribi_cpu_broadcast(run, &left, &right, y)) {
        return false;
    }
    y->at[y->n++] = args->rows;
    y->at[y->n++] = args->columns;
    int64_t count = 0, taken = 0;
    left.n += 2;
    right.n += 2;
    if (!oribi_cpu_count(run, y->at, y->n, &count)) {
        return false;
    }
    taken = oribi_cpu_product(left.at, left.n) > oribi_cpu_product(right.at, right.n)
                ? oribi_cpu_product(left.at, left.n)
                : oribi_cpu_product(right.at, right.n);
    if (count > INT32_MAX / 4 || taken > INT32_MAX) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a matrix has 2^31 bytes or more");
    }
    return count == 0 ||
           oribi_quantized_check(
               run, oribi_micro_broadcast_resolve(a.at, a.n - 2, b.at, b.n - 2, &args->batch));
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
        oribi_micro_qlinear_matmul(&args, call->a + (a * whole->rows + y) * whole->inner,
                                   call->b + b * whole->inner * whole->columns,
                                   call->a_zeros + y * whole->a_zero_step, call->b_zeros,
                                   call->multipliers, call->output + unit * call->row);
    }
}

bool oribi_qlinear_matmul_run(const void *arg, oribi_kit_run *run, oribi_kit_range rows)
{
    const matmul_state *state = arg;
    struct oribi_micro_qlinear_matmul_args args = state->args;
    oribi_cpu_shape y;
    if (!resolve(run, &args, &y) || !read_step(run, 2, args.rows, &args.a_zero_step) ||
        !read_step(run, 3, args.columns, &args.b_zero_step) ||
        !read_step(run, 4, args.columns, &args.multiplier_step) || !check_zeros(run, 2) ||
        !check_zeros(run, 3)) {
        return false;
    }
    void *output = oribi_kit_output(run, 0, y.at, y.n);
    const int64_t count = oribi_cpu_product(y.at, y.n);
    if (output != NULL && count > 0) {
        const size_t width = TF_DataTypeSize(TF_ExpectedOutputDataType(run->context, 0));
        oribi_qlinear_matmul_call call = {args,
                                          TF_TensorData(run->in[0]),
                                          TF_TensorData(run->in[1]),
                                          TF_TensorData(run->in[2]),
                                          TF_TensorData(run->in[3]),
                                          TF_TensorData(run->in[4]),
                                          output,
                                          args.columns * (int64_t)width};
        oribi_kit_parallel(run, count / args.columns, (int64_t)args.columns * args.inner, &call,
                           rows);
    }
    return output != NULL;
}

static bool matmul_run(const void *state, oribi_kit_run *run)
{
    return oribi_qlinear_matmul_run(state, run, matmul_rows);
}
ORIBI_KIT_COMPUTE(matmul, 5)

const oribi_cpu_kernel oribi_cpu_qlinear_matmul_kernels[] = {
    {.op_name = "ONNX>QLinearMatMul",
     .types = {{"Ta", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_UINT8)},
               {"Tb", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_UINT8)}},
     .priority = ORIBI_CPU_REFERENCE,
     .create = matmul_create,
     .compute = matmul_compute,
     .destroy = oribi_kit_free,
     .why = "the arithmetic of micro/, bit for bit"},
    {.op_name = NULL},
};
