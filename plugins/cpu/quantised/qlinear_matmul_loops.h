/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearMatMul some rows at a time: a block of columns is summed over all of the inner
 * dimension in numbers of 16 bits, which compilers make vectors of. Sums are integers that wrap, so
 * the order does not matter: bit for bit the reference. Compiled once for each instruction set, by
 * a file that defines ORIBI_ISA (cpu/base/isa.h).
 */
#include "cpu/base/families.h"
#include "cpu/quantised/qlinear_product.h"

#include "micro/qlinear.h"

#include <string.h>

/* Columns of sums; rows of b for each time that the sums are read; rows of a. */
enum { BLOCK = 256, DEPTH = 4, ROWS = 8 };

/* sums[j] += the products of x and column j of DEPTH rows of b. */
#define ADD(name, type)                                                                            \
    static void name(const int16_t x[DEPTH], const uint8_t *bytes, int32_t step, int32_t n,        \
                     uint32_t *restrict sums)                                                      \
    {                                                                                              \
        const type *b0 = (const type *)bytes, *b1 = b0 + step, *b2 = b1 + step, *b3 = b2 + step;   \
        for (int32_t j = 0; j < n; j++) {                                                          \
            const int16_t y0 = b0[j], y1 = b1[j], y2 = b2[j], y3 = b3[j];                          \
            sums[j] += (uint32_t)(x[0] * y0 + x[1] * y1 + x[2] * y2 + x[3] * y3);                  \
        }                                                                                          \
    }
ADD(add_s8, int8_t)
ADD(add_u8, uint8_t)

/* Some rows of a product: where they and their zero points begin, and what their sums are. */
typedef struct group {
    const uint8_t *a;
    const int32_t *a_zeros;
    int32_t n;
    uint32_t sums[ROWS][BLOCK], a_sums[ROWS];
} group;

/* Row i's numbers [k, k + DEPTH), those beyond the last being 0. */
static void take_numbers(const struct oribi_micro_qlinear_matmul_args *args, group *g, int32_t i,
                         int32_t k, int16_t x[DEPTH])
{
    const uint8_t *a = g->a + (int64_t)i * args->inner;
    for (int32_t d = 0; d < DEPTH; d++) {
        const int32_t number = k + d < args->inner
                                   ? oribi_micro_qlinear_get(a, k + d, args->a_signed) -
                                         g->a_zeros[i * args->a_zero_step]
                                   : 0;
        x[d] = (int16_t)number;
        g->a_sums[i] = g->a_sums[i] + (uint32_t)number;
    }
}

/* Columns [first, first + n) of b, which are read once for all rows of the group. */
static void sum_block(const oribi_qlinear_matmul_call *call, const uint8_t *b, int32_t n, group *g)
{
    const struct oribi_micro_qlinear_matmul_args *args = &call->args;
    memset(g->sums, 0, sizeof g->sums);
    memset(g->a_sums, 0, sizeof g->a_sums);
    for (int32_t k = 0; k < args->inner; k += DEPTH) {
        const uint8_t *from = b + (int64_t)k * args->columns;
        const int32_t left = args->inner - k;
        for (int32_t i = 0; i < g->n; i++) {
            int16_t x[DEPTH];
            take_numbers(args, g, i, k, x);
            for (int32_t d = 0; left < DEPTH && d < left; d++) { /* the last rows of b one by one */
                const int16_t one[DEPTH] = {x[d]};
                (args->b_signed != 0 ? add_s8 : add_u8)(one, from + (int64_t)d * args->columns, 0,
                                                        n, g->sums[i]);
            }
            if (left >= DEPTH) {
                (args->b_signed != 0 ? add_s8 : add_u8)(x, from, args->columns, n, g->sums[i]);
            }
        }
    }
}

static void store_block(const oribi_qlinear_matmul_call *call, const group *g, int64_t unit,
                        int32_t first, int32_t n)
{
    const struct oribi_micro_qlinear_matmul_args *args = &call->args;
    for (int32_t i = 0; i < g->n; i++) {
        for (int32_t j = 0; j < n; j++) {
            const int32_t column = first + j;
            const uint32_t zero = (uint32_t)call->b_zeros[column * args->b_zero_step];
            oribi_micro_qlinear_store(call->output + (unit + i) * call->row, column, args->output,
                                      (int32_t)(g->sums[i][j] - zero * g->a_sums[i]),
                                      call->multipliers[column * args->multiplier_step],
                                      args->output_zero, args->low, args->high);
        }
    }
}

static void fast_rows(void *object, int64_t begin, int64_t end)
{
    const oribi_qlinear_matmul_call *call = object;
    const struct oribi_micro_qlinear_matmul_args *args = &call->args;
    group g;
    for (int64_t unit = begin; unit < end; unit += g.n) {
        const int64_t row = unit % args->rows, left = args->rows - row;
        const int64_t most = left < end - unit ? left : end - unit;
        int64_t a = 0, b = 0;
        oribi_quantized_matrices(&args->batch, unit / args->rows, &a, &b);
        g.n = (int32_t)(most < ROWS ? most : ROWS);
        g.a = call->a + (a * args->rows + row) * args->inner;
        g.a_zeros = call->a_zeros + row * args->a_zero_step;
        const uint8_t *right = call->b + b * args->inner * args->columns;
        for (int32_t first = 0; first < args->columns; first += BLOCK) {
            const int32_t columns = args->columns - first;
            const int32_t n = columns < BLOCK ? columns : BLOCK;
            sum_block(call, right + first, n, &g);
            store_block(call, &g, unit, first, n);
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
