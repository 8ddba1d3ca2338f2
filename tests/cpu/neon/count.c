/* SPDX-License-Identifier: Apache-2.0 */
/* One computation of one NEON kernel between two marks, for neon_cost.py, which counts what QEMU
 * executes from one to the other: `count 0`, `count 1`, .. A number beyond the last ends with 1.
 */
#include "kernel_harness.h"

typedef struct layer {
    const char *name, *op;
    int64_t x[4], y[4]; /* the second is constant: a filter, or a matrix */
    int rank;
} layer;

static const layer layers[] = {
    {"conv 3x3 of 32 channels", "Conv2D", {1, 14, 14, 32}, {3, 3, 32, 32}, 4},
    {"conv 1x1 of 64 channels", "Conv2D", {1, 7, 7, 64}, {1, 1, 64, 64}, 4},
    {"conv 3x3 of 3 channels", "Conv2D", {1, 32, 32, 3}, {3, 3, 3, 16}, 4},
    {"depthwise 3x3", "DepthwiseConv2dNative", {1, 14, 14, 64}, {3, 3, 64, 1}, 4},
    {"product of 64 rows", "MatMul", {64, 64}, {64, 64}, 2},
    {"product of one row", "MatMul", {1, 256}, {256, 128}, 2},
};

void count_begin(void);
void count_end(void);
__attribute__((noinline)) void count_begin(void)
{
    __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void count_end(void)
{
    __asm__ volatile("" ::: "memory");
}

static void (*counted)(void *state, TF_OpKernelContext *ctx);

static void compute(void *state, TF_OpKernelContext *ctx)
{
    count_begin();
    counted(state, ctx);
    count_end();
}

static void run_row(void *arg, const oribi_cpu_kernel *row)
{
    if (row->isa != ORIBI_ISA_neon) {
        return;
    }
    TF_Status *status = TF_NewStatus();
    oribi_cpu_kernel watched = *row;
    counted = row->compute;
    watched.compute = compute;
    TF_DeleteTensor(harness_compute(arg, &watched, status));
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

static void run_layer(const layer *l)
{
    static const int64_t ones[4] = {1, 1, 1, 1};
    static const int order[4] = {0, 1, 2, 3};
    harness node;
    harness_begin(&node);
    assert_true(oribi_attrs_set_ints(&node.attrs, &node.arena, "strides", ones, 4));
    assert_true(oribi_attrs_set_ints(&node.attrs, &node.arena, "dilations", ones, 4));
    assert_true(oribi_attrs_set_string(&node.attrs, &node.arena, "padding", "SAME"));
    assert_true(oribi_attrs_set_string(&node.attrs, &node.arena, "data_format", "NHWC"));
    assert_true(oribi_attrs_set_bool(&node.attrs, &node.arena, "transpose_a", false));
    assert_true(oribi_attrs_set_bool(&node.attrs, &node.arena, "transpose_b", false));
    harness_add(&node, harness_random_tensor(l->x, l->rank));
    harness_add(&node, harness_random_tensor(l->y, l->rank));
    harness_make_constant(&node, 1, order);
    assert_true(harness_each_variant(l->op, run_row, &node) > 0);
    harness_end(&node);
}

int main(int argc, char **argv)
{
    const size_t n = sizeof layers / sizeof *layers;
    const size_t i = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : n;
    if (i >= n) {
        return 1;
    }
    printf("%s\n", layers[i].name);
    run_layer(&layers[i]);
    return 0;
}
