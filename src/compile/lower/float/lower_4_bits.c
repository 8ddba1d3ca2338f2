/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of products with weights of 4 bits, which stay packed. */
#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f32.h"
#include "micro/dense/matmul_4_bits.h"

/* Scales, zero points and bias where there are any. */
static bool read_floats(oribi_lowering *lowering, const oribi_call *call,
                        struct oribi_micro_matmul_4_bits_args *args)
{
    const int32_t n_zeros = oribi_lower_int(call, "n_zeros", 0);
    args->scales = oribi_lower_constant(lowering, call, 2, TF_FLOAT);
    ORIBI_TRY(args->scales != NULL);
    if (n_zeros == 1) {
        const TF_DataType dtype = oribi_lower_input(lowering, call, 3)->dtype;
        args->has_zero_bits = dtype == TF_UINT8;
        args->zeros = oribi_lower_constant(lowering, call, 3, dtype);
        ORIBI_TRY(args->zeros != NULL);
    }
    if (oribi_lower_int(call, "n_biases", 0) == 1) {
        args->bias = oribi_lower_constant(lowering, call, 3 + n_zeros, TF_FLOAT);
        ORIBI_TRY(args->bias != NULL);
    }
    return true;
}

bool oribi_lower_matmul_4_bits(oribi_lowering *lowering, oribi_call *call)
{
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    oribi_sizes weights, rows;
    struct oribi_micro_matmul_4_bits_args args = {.block = oribi_lower_int(call, "block_size", 0)};
    ORIBI_TRY(
        oribi_lower_is_f32(lowering, call) &&
        oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 1), &weights, NULL) &&
        oribi_lower_sizes(lowering, call, x, &rows, NULL));
    args.weights = oribi_lower_constant(lowering, call, 1, TF_UINT8);
    ORIBI_TRY(args.weights != NULL && read_floats(lowering, call, &args));
    args.inner = rows.at[rows.n - 1];
    args.rows = (int32_t)(oribi_lower_count(x) / args.inner);
    args.columns = weights.at[0];
    const int64_t blocks = (int64_t)weights.at[0] * weights.at[1];
    call->n_inputs = 1;
    call->macs = oribi_lower_count(x) * args.columns;
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "matmul_4_bits", matmul_4_bits, &args));
    ORIBI_CALL_PLACE(call, &args, weights, blocks * (args.block / 2))->kind = ORIBI_ELEMENT_U8;
    ORIBI_CALL_PLACE(call, &args, scales, blocks);
    if (args.zeros != NULL) {
        const int64_t bytes = (int64_t)weights.at[0] * ((weights.at[1] + 1) / 2);
        oribi_placed *zeros =
            ORIBI_CALL_PLACE(call, &args, zeros, args.has_zero_bits != 0 ? bytes : blocks);
        zeros->kind = args.has_zero_bits != 0 ? ORIBI_ELEMENT_U8 : ORIBI_ELEMENT_F32;
        zeros->alignment = args.has_zero_bits != 0 ? 1 : (int32_t)sizeof(float);
    }
    if (args.bias != NULL) {
        ORIBI_CALL_PLACE(call, &args, bias, args.columns);
    }
    return true;
}
