/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearMatMul a row at a time: a block of columns is summed over all of the inner dimension
 * in numbers of 16 bits, which compilers make vectors of. Sums are integers that wrap, so the
 * order does not matter: bit for bit the reference. Compiled once for each instruction set, by a
 * file that defines ORIBI_ISA (cpu/base/isa.h).
 */
#include "cpu/base/families.h"
#include "cpu/quantised/qlinear_product.h"

#include "micro/qlinear.h"

#include <string.h>

enum { BLOCK = 256 };

#define ADD(name, type)                                                                            \
    static void name(int16_t x, const uint8_t *bytes, int32_t n, uint32_t *sums)                   \
    {                                                                                              \
        const type *b = (const type *)bytes;                                                       \
        for (int32_t j = 0; j < n; j++) {                                                          \
            const int16_t y = b[j];                                                                \
            sums[j] += (uint32_t)(x * y);                                                          \
        }                                                                                          \
    }
ADD(add_s8, int8_t)
ADD(add_u8, uint8_t)

/* Columns [first, first + n) of row y of a product. */
static void sum_block(const oribi_qlinear_matmul_call *call, const uint8_t *a, const uint8_t *b,
                      int32_t a_zero, int32_t n, uint32_t *sums, uint32_t *out_a_sum)
{
    const struct oribi_micro_qlinear_matmul_args *args = &call->args;
    memset(sums, 0, (size_t)n * sizeof *sums);
    *out_a_sum = 0;
    for (int32_t k = 0; k < args->inner; k++) {
        const int32_t x = oribi_micro_qlinear_get(a, k, args->a_signed) - a_zero;
        const uint8_t *from = b + (int64_t)k * args->columns;
        *out_a_sum += (uint32_t)x;
        (args->b_signed != 0 ? add_s8 : add_u8)((int16_t)x, from, n, sums);
    }
}

static void fast_rows(void *object, int64_t begin, int64_t end)
{
    const oribi_qlinear_matmul_call *call = object;
    const struct oribi_micro_qlinear_matmul_args *args = &call->args;
    uint32_t sums[BLOCK], a_sum;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t row = unit % args->rows;
        int64_t a = 0, b = 0;
        oribi_quantized_matrices(&args->batch, unit / args->rows, &a, &b);
        const uint8_t *left = call->a + (a * args->rows + row) * args->inner;
        const uint8_t *right = call->b + b * args->inner * args->columns;
        const int32_t a_zero = call->a_zeros[row * args->a_zero_step];
        for (int32_t first = 0; first < args->columns; first += BLOCK) {
            const int32_t left_over = args->columns - first,
                          n = left_over < BLOCK ? left_over : BLOCK;
            sum_block(call, left, right + first, a_zero, n, sums, &a_sum);
            for (int32_t j = 0; j < n; j++) {
                const int32_t column = first + j;
                const uint32_t zero = (uint32_t)call->b_zeros[column * args->b_zero_step];
                oribi_micro_qlinear_store(call->output + unit * call->row, column, args->output,
                                          (int32_t)(sums[j] - zero * a_sum),
                                          call->multipliers[column * args->multiplier_step],
                                          args->output_zero, args->low, args->high);
            }
        }
    }
}

static bool fast_run(const void *state, oribi_kit_run *run)
{
    return oribi_qlinear_matmul_run(state, run, fast_rows);
}
ORIBI_KIT_COMPUTE(fast, 5)

const oribi_cpu_kernel ORIBI_ISA_TABLE(qlinear_matmul)[] = {
    {.op_name = "ONNX>QLinearMatMul",
     .types = {{"Ta", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_UINT8)},
               {"Tb", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_UINT8)}},
     ORIBI_ISA_FIELDS(ORIBI_ISA),
     .create = oribi_qlinear_matmul_create,
     .compute = fast_compute,
     .destroy = oribi_kit_free,
     .why = "blocks of columns in 16 bits, " ORIBI_ISA_NAME},
    {.op_name = NULL},
};
