/* SPDX-License-Identifier: Apache-2.0 */
/* MatMul and BatchMatMulV2 of integers of 32 and 64 bits, whose sums wrap, and of double. What is
 * common to all products: matmul.h.
 */
#include "cpu/product/matmul.h"
#include "cpu/base/families.h"

#include <string.h>

typedef struct wide_call {
    oribi_matmul_shapes s;
    oribi_matmul_attrs attrs;
    const void *left, *right;
    void *out;
    /* y += x * each of b's n values */
    void (*add)(const void *a, int64_t at, const void *b, int64_t b_at, int64_t b_step, void *y,
                int64_t n);
    int64_t width;
} wide_call;

/* The signed types are computed as the unsigned of their size. */
#define ADD(name, type)                                                                            \
    static void name(const void *a, int64_t at, const void *b, int64_t b_at, int64_t b_step,       \
                     void *y, int64_t n)                                                           \
    {                                                                                              \
        const type x = ((const type *)a)[at], *from = (const type *)b + b_at;                      \
        type *to = y;                                                                              \
        if (b_step == 1) {                                                                         \
            for (int64_t i = 0; i < n; i++) {                                                      \
                to[i] += x * from[i];                                                              \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            to[i] += x * from[i * b_step];                                                         \
        }                                                                                          \
    }
ADD(add_32, uint32_t)
ADD(add_64, uint64_t)
ADD(add_double, double)

/* A unit is one row of one product. */
static void wide_rows(void *object, int64_t begin, int64_t end)
{
    enum { BLOCK = 512 }; /* columns, so that they stay in cache while k goes by */
    const wide_call *c = object;
    const oribi_matmul_shapes *s = &c->s;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t batch = unit / s->m, row = unit % s->m;
        const int64_t a = oribi_matmul_batch(s, &s->left_strides, batch) * s->m * s->k;
        const int64_t b = oribi_matmul_batch(s, &s->right_strides, batch) * s->k * s->n;
        char *y = (char *)c->out + unit * s->n * c->width;
        memset(y, 0, (size_t)(s->n * c->width));
        for (int64_t j = 0; j < s->n; j += BLOCK) {
            const int64_t n = s->n - j < BLOCK ? s->n - j : BLOCK;
            for (int64_t k = 0; k < s->k; k++) {
                const int64_t at = c->attrs.transpose_a ? k * s->m + row : row * s->k + k;
                const int64_t b_at = c->attrs.transpose_b ? j * s->k + k : k * s->n + j;
                c->add(c->left, a + at, c->right, b + b_at, c->attrs.transpose_b ? s->k : 1,
                       y + j * c->width, n);
            }
        }
    }
}

static void wide_read(oribi_kit_setup *setup, oribi_matmul_attrs *attrs)
{
    oribi_matmul_attrs_read(setup, attrs);
}
ORIBI_KIT_CREATE(wide, oribi_matmul_attrs)

static bool wide_run(const oribi_matmul_attrs *attrs, oribi_kit_run *run)
{
    wide_call c = {.attrs = *attrs};
    if (!oribi_matmul_shapes_take(run, attrs, NULL, &c.s)) {
        return false;
    }
    const TF_DataType type = TF_TensorType(run->in[0]);
    c.width = (int64_t)TF_DataTypeSize(type);
    c.add = type == TF_DOUBLE ? add_double : c.width == 8 ? add_64 : add_32;
    c.left = TF_TensorData(run->in[0]);
    c.right = TF_TensorData(run->in[1]);
    c.out = oribi_kit_output(run, 0, c.s.out.at, c.s.out.n);
    if (c.out != NULL && oribi_cpu_product(c.s.out.at, c.s.out.n) > 0) {
        oribi_kit_parallel(run, c.s.batches * c.s.m, c.s.k * c.s.n, &c, wide_rows);
    }
    return c.out != NULL;
}
ORIBI_KIT_COMPUTE(wide, 2)

#define WIDE_TYPES                                                                                 \
    (ORIBI_KIT_TYPE(TF_INT32) | ORIBI_KIT_TYPE(TF_UINT32) | ORIBI_KIT_TYPE(TF_INT64) |             \
     ORIBI_KIT_TYPE(TF_UINT64) | ORIBI_KIT_TYPE(TF_DOUBLE))
#define ROW(op) ORIBI_CPU_STATE_ROW(op, wide, wide, "plain loops", .types = {{"T", WIDE_TYPES}})
const oribi_cpu_kernel oribi_cpu_matmul_wide_kernels[] = {
    ROW("MatMul"), ROW("BatchMatMulV2"), {.op_name = NULL}};
